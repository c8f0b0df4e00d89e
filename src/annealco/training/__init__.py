"""How a network learns: the annealed loss, the data, the run, and what is kept of it."""
