"""Clone the repository and paste what README and Start show into shells in which nothing is activated.

python tools/first_contact.py [DOCUMENT...]

Unlike `run_documents` nothing is left out, made smaller or set up before: `make setup` runs in the clone too. What is
not committed is not in a clone. All commands of a document run in the order in which they stand, then its programs as
one. Takes some minutes, most of them for downloads.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from documents import ROOT, blocks

DOCUMENTS = ("README.md", "docs/index.md")


def main(names: Sequence[str]) -> int:
    """Paste documents one after the other into one clone, and return 1 where one of them fails."""
    with tempfile.TemporaryDirectory(prefix="annealco-first-contact-") as folder:
        clone = Path(folder, "annealco")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        for name in names or DOCUMENTS:
            began = time.perf_counter()
            # Whatever shell there is: nothing of bash is used.
            done = subprocess.run(
                ["sh"], input=as_pasted(clone / name), cwd=clone, env=not_activated(os.environ), text=True, check=False
            )
            outcome = "works as pasted" if done.returncode == 0 else f"failed with exit status {done.returncode}"
            print(f"first contact: {name} {outcome}, {time.perf_counter() - began:.0f} s", flush=True)
            if done.returncode:
                return 1
    return 0


def as_pasted(document: Path) -> str:
    """Return all commands of a document, then its programs as one, for a shell that stops at the first failure."""
    found = list(blocks(document))
    commands = [block.code for block in found if block.language == "sh"]
    program = "\n".join(block.code for block in found if block.language == "python")
    return "\n".join(["set -ex", *commands, "python - <<'END_OF_PROGRAM'", program, "END_OF_PROGRAM"])


def not_activated(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the one of Python that is active, and without settings of annealco.

    Example:
        >>> not_activated({"PATH": f"{sys.prefix}/bin:/usr/bin", "VIRTUAL_ENV": sys.prefix, "LANG": "C"})
        {'PATH': '/usr/bin', 'LANG': 'C'}
    """
    active = {sys.prefix, environment.get("VIRTUAL_ENV", sys.prefix)}
    own = {str(Path(each, "bin")) for each in active}
    kept = {
        key: value
        for key, value in environment.items()
        if key not in {"VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME"} and not key.startswith(("ANNEALCO_", "MAKE"))
    }
    path = os.pathsep.join(each for each in environment.get("PATH", "").split(os.pathsep) if each not in own)
    return {**kept, "PATH": path}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
