#!/usr/bin/env python3
"""The vectors in data/ have every signature there is, and are those that make_vectors.py makes."""
import filecmp
import importlib.util
import os
import subprocess
import sys
import tempfile

from vectors.coverage import missing

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, 'data')
COMMON = os.path.join(HERE, '..', '..', 'common', 'operations')
SKIPPED = 77


def check_coverage():
    absent = missing(DATA, COMMON)
    if absent:
        sys.exit('no vector has\n  ' + '\n  '.join(absent))


def check_reproducible():
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([sys.executable, '-B', os.path.join(HERE, 'make_vectors.py'), made],
                       check=True)
        names = sorted(set(os.listdir(made)) | set(os.listdir(DATA)))
        _, differ, absent = filecmp.cmpfiles(DATA, made, names, shallow=False)
        if differ or absent:
            sys.exit(f'make_vectors.py gives other files: {", ".join(differ + absent)}')


check_coverage()
if not importlib.util.find_spec('numpy'):
    print('numpy is not there: the vectors are not made again')
    sys.exit(SKIPPED)
check_reproducible()
