"""Lost Cities as a reinforcement-learning environment."""
