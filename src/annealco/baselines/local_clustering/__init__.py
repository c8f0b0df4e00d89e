"""Local graph clustering: sets of small cut around a seed node, by diffusion or by flow.

Each method returns the set that it would return anywhere: it knows a volume box only where its own sweep can look for
one. A set that misses the box or the seed is passed on with a note, and whoever uses it scores it anew.
"""
