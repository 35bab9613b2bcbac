"""The game and nothing else: cards, turns, scores, what a player sees."""
