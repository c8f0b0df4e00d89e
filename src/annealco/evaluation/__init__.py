"""What it was worth: best-known values to compare with."""
