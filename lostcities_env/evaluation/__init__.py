"""How good an agent is, and how sure that is."""
