"""Makes a virtual environment of pinned packages once, and prints its folder.

environment.py ROOT REQUIREMENTS [PYTHON]

It is kept below ROOT, under a name with a checksum of REQUIREMENTS. With PYTHON, an environment's interpreter, the folder
has those packages alone, without what they require: in PYTHONPATH they hide others of the same name.
"""

import fcntl
import pathlib
import subprocess
import sys
import zlib

root, requirements = map(pathlib.Path, sys.argv[1:3])
root.mkdir(parents=True, exist_ok=True)
folder = root.resolve() / f"{requirements.stem}-{zlib.crc32(requirements.read_bytes()):08x}"
install = ["-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check"]
with open(f"{folder}.lock", "w") as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    if not (folder / "complete").exists():
        if len(sys.argv) > 3:
            command = [sys.argv[3], *install, "--no-deps", "--target", str(folder), "-r", str(requirements)]
        else:
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, stdout=sys.stderr)
            command = [str(folder / "bin/python"), *install, "-r", str(requirements)]
        subprocess.run(command, check=True, stdout=sys.stderr)
        (folder / "complete").touch()
print(folder)
