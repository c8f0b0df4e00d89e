"""Pictures: of solutions, and what all pictures share."""
