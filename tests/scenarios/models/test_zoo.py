#!/usr/bin/env python3
"""Real .tflite files, on every device and from a cache: as many give the right outputs as have done so
before, or more.

    test_zoo.py HALYARD SHARED_FOLDER SOURCE_FOLDER DEALING_DRIVER

HALYARD_TEST_SEED is the seed of the cuts between two drivers, which is printed.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

HALYARD, SHARED, SOURCE, DEALING = (os.path.abspath(path) for path in sys.argv[1:])
ZOO = os.path.join(SHARED, 'zoo')

LEAST = {'models': 20, 'ops': 50, 'refused': 3}


def run_zoo(*options, **variables):
    """How many files of each group are right, and the lines about those that are not."""
    with tempfile.TemporaryDirectory() as folder:
        tool = os.path.join(folder, 'tool')
        with open(tool, 'w', encoding='utf-8') as file:
            file.write('#!/bin/sh\nexec "%s" "$@" %s\n' % (HALYARD, ' '.join(options)))
        os.chmod(tool, 0o700)
        run = subprocess.run([sys.executable, os.path.join(ZOO, 'check.py'), tool, ZOO],
                             stdout=subprocess.PIPE, universal_newlines=True, check=False,
                             env=dict(os.environ, **variables))
    return ({group: int(count) for group, count in
             re.findall(r'(\w+) (\d+)/\d+', run.stdout.splitlines()[-1])}, run.stdout)


def sources():
    """The text of everything that reads or runs models."""
    texts = []
    for folder in ('common', 'cpu_fallback', 'libhalyard', 'plugins', 'runtime', 'tools', 'xnnpack_driver'):
        for path, _, names in os.walk(os.path.join(SOURCE, folder)):
            for name in names:
                with open(os.path.join(path, name), encoding='utf-8') as file:
                    texts.append(file.read())
    return '\n'.join(texts)


class Zoo(unittest.TestCase):
    def test_sources_know_no_file_digest_or_tensor_of_a_model(self):
        text = sources()
        with open(os.path.join(ZOO, 'index.json'), encoding='utf-8') as file:
            index = json.load(file)
        for entry in index if isinstance(index, list) else index['files']:
            tensors = [tensor['name'] for tensor in entry['inputs'] + entry['outputs']]
            custom = entry.get('custom', [])
            names = [name for name in tensors if len(name) >= 16 and not name.startswith(tuple(custom))]
            for name in [entry['name'], entry['sha256'], *names]:
                self.assertFalse(len(name) >= 8 and name in text, name)

    def expect_as_many(self, *options, **variables):
        found, lines = run_zoo(*options, **variables)
        for group, least in LEAST.items():
            self.assertGreaterEqual(found.get(group, 0), least, lines)

    def test_files_are_right_on_the_devices_that_the_plan_chooses(self):
        self.expect_as_many()

    def test_files_are_right_on_the_reference_device(self):
        self.expect_as_many('--device', 'nnapi-reference')

    def test_files_are_right_in_a_process_of_their_own(self):
        self.expect_as_many('--isolate')

    def test_files_are_right_asynchronously(self):
        self.expect_as_many('--mode', 'async')

    def test_files_are_right_in_bursts_to_a_process(self):
        self.expect_as_many('--mode', 'burst', '--isolate')

    def test_files_are_right_behind_fences(self):
        self.expect_as_many('--mode', 'fenced')

    def test_files_are_right_split_over_two_drivers(self):
        seed = int(os.environ.get('HALYARD_TEST_SEED', random.randrange(1, 1 << 31)))
        print('cuts of seed %d' % seed, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            manifest = os.path.join(folder, 'dealing.json')
            with open(manifest, 'w', encoding='utf-8') as file:
                json.dump({'file_format_version': '1.0.0',
                           'driver': {'library_path': DEALING, 'abi': '1.0', 'name': 'Dealing driver',
                                      'arguments': {'devices': 2, 'priced': False, 'seed': seed}}}, file)
            self.expect_as_many(HALYARD_DRIVER_FILES=manifest)

    def test_files_are_right_from_a_cache(self):
        with tempfile.TemporaryDirectory() as cache:
            state = os.path.join(cache, 'state')
            os.mkdir(state)
            for _ in ('stored', 'found'):
                self.expect_as_many('--cache', cache, HALYARD_STATE_DIR=state)


if __name__ == '__main__':
    if not os.path.isdir(ZOO):
        print('no shared folder')
        sys.exit(1 if os.environ.get('CI') else 77)
    unittest.main(argv=sys.argv[:1])
