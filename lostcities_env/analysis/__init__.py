"""What an agent makes of positions, and of the turns that were taken in them."""
