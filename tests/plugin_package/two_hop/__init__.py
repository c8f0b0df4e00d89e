"""Dominating sets within some hops: a problem, a network, a search, a bound and a method."""
