#!/usr/bin/env python3
"""The vectors in data/ are those that make_vectors.py makes."""
import filecmp
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, 'data')

with tempfile.TemporaryDirectory() as made:
    subprocess.run([sys.executable, '-B', os.path.join(HERE, 'make_vectors.py'), made], check=True)
    names = sorted(set(os.listdir(made)) | set(os.listdir(DATA)))
    _, differ, missing = filecmp.cmpfiles(DATA, made, names, shallow=False)
    if differ or missing:
        sys.exit(f'make_vectors.py gives other files: {", ".join(differ + missing)}')
