#!/usr/bin/env python3
"""Real .tflite files through TensorFlow Lite's own NNAPI delegate, on this library.

    test_zoo_client.py SHARED_FOLDER

HALYARD_TFLITE is TensorFlow Lite's C library; the libneuralnetworks.so that it finds is ours.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

SHARED = os.path.abspath(sys.argv[1])
ZOO = os.path.join(SHARED, 'zoo')
TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lite_tool.py')

# Networks whose interpreter is created: all but one with an operator of its maker, which TensorFlow
# Lite itself does not run, and one with UNIDIRECTIONAL_SEQUENCE_LSTM of int8, see below.
LEAST_CREATED = 18
# Not right: those two; two that the client requantises through floats (QUANTIZE from bytes to bytes is
# DEQUANTIZE and QUANTIZE there); and one with int8 weights of which it gives some operators only.
LEAST_RIGHT = {'models': 15, 'ops': 97, 'refused': 3}

# What the documentation of the operation refuses, and Android with it, is refused to this client, too.
DOCUMENTED = re.compile(r'UNIDIRECTIONAL_SEQUENCE_LSTM: input 0 \(operand \d+\) is TENSOR_QUANT8')
# An input without elements has an unknown extent in NNAPI, and no shape at all from this client.
UNKNOWN = re.compile(r'Execution_setInputFromMemory: input \d+: shape \[0\] is not complete')


class ZooClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            counts = os.path.join(folder, 'counts')
            run = subprocess.run([sys.executable, os.path.join(ZOO, 'check.py'), TOOL, ZOO, '--json'],
                                 stdout=subprocess.PIPE, universal_newlines=True, check=False,
                                 env=dict(os.environ, LITE_COUNTS=counts))
            with open(counts, encoding='utf-8') as file:
                lines = [line.split() for line in file]
        cls.results = [json.loads(line) for line in run.stdout.splitlines() if line.startswith('{')]
        cls.created = {line[0] for line in lines if line[1] == 'created'}
        cls.executed = {line[0] for line in lines if line[1] == 'run' and int(line[2]) > 0}
        cls.ran = {line[0] for line in lines if line[1] == 'run'}

    def test_interpreters_of_networks_are_created(self):
        networks = [result for result in self.results if result['group'] == 'models']
        missing = [result['reason'] for result in networks if result['name'] + '.tflite' not in self.created]
        self.assertGreaterEqual(len(networks) - len(missing), LEAST_CREATED, '\n'.join(missing))

    def test_nothing_is_refused_but_what_the_documentation_refuses(self):
        for result in self.results:
            for line in result['reason'].splitlines():
                if line.startswith('halyard: api:'):
                    self.assertTrue(DOCUMENTED.search(line) or UNKNOWN.search(line),
                                    '%s: %s' % (result['name'], line))

    def test_networks_run_here(self):
        for result in self.results:
            name = result['name'] + '.tflite'
            if result['group'] == 'models' and name in self.ran:
                self.assertIn(name, self.executed)

    def test_results_are_right(self):
        right = collections.Counter(result['group'] for result in self.results if result['passes'])
        wrong = '\n'.join('%s: %s' % (result['name'], result['reason'].splitlines()[0])
                          for result in self.results if not result['passes'])
        for group, least in LEAST_RIGHT.items():
            self.assertGreaterEqual(right[group], least, wrong)


if __name__ == '__main__':
    if not os.path.isdir(ZOO):
        print('no shared folder')
        sys.exit(1 if os.environ.get('CI') else 77)
    unittest.main(argv=sys.argv[:1])
