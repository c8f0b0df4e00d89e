"""Settings for all tests."""

import atexit
import os
import shutil
import tempfile

from hypothesis import HealthCheck, settings

# Two test processes on two cores: more threads in each would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Graphs that tests draw are not kept in the user's cache, nor found there; test processes share one folder.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["ANNEALCO_CACHE"] = tempfile.mkdtemp(prefix="annealco-tests-")
    atexit.register(shutil.rmtree, os.environ["ANNEALCO_CACHE"], ignore_errors=True)

# How long an example takes is no property of the code where other processes use the cores.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("annealco", patient, max_examples=50)
settings.register_profile("exhaustive", patient, max_examples=300)
settings.load_profile("annealco")

# A package of somebody else's, which `test_plugin_package` installs into a folder of its own.
collect_ignore = ["plugin_package"]
