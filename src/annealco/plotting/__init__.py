"""Pictures of solutions, and the style of all pictures."""
