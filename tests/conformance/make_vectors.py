#!/usr/bin/env python3
"""Makes tests/conformance/data: vectors of our own for every operation. Needs numpy.

    make_vectors.py [FOLDER]           writes a file for each operation
    make_vectors.py --verify FOLDER    evaluates vectors made by others, and says what differs

Inputs are seeded by the name of the test. What is expected is computed in float64 from the inputs
as they are stored, and rounded once at the end; the two LSTM operations that are defined by their
integer arithmetic are computed in integers.
"""
import importlib
import os
import sys

from vectors.evaluate import OPERATIONS
from vectors.tests import tests_of, write
from vectors.verify import verify

# Each registers how its operations are evaluated, and their cases.
FAMILIES = ['activations', 'box_cases', 'boxes', 'casts', 'chance', 'control_flow', 'convolutions',
            'elementwise', 'extension_bodies', 'extension_conversions', 'extension_functions',
            'extension_images', 'extension_landmarks', 'extension_movement', 'extension_pairs',
            'extension_reductions', 'extension_search', 'extension_signals', 'extension_tables',
            'extension_volumes', 'integer_lstm', 'lookup', 'movement', 'normalisation', 'pooling',
            'recurrent', 'recurrent_cases', 'reductions', 'regions', 'resize']


def make(folder):
    os.makedirs(folder, exist_ok=True)
    for op in sorted(OPERATIONS):
        write(os.path.join(folder, op.lower() + '.json'), op.lower(), tests_of(op))


def main():
    for family in FAMILIES:
        importlib.import_module(f'vectors.{family}')
    if len(sys.argv) == 3 and sys.argv[1] == '--verify':
        sys.exit(1 if verify(sys.argv[2]) else 0)
    here = os.path.dirname(os.path.abspath(__file__))
    make(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, 'data'))


if __name__ == '__main__':
    main()
