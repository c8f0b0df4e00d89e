"""Compare methods on the test graphs of a set."""
