"""Settings for all tests."""

import os

# Two test processes on two cores: more threads in each would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
