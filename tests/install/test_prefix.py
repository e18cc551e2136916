#!/usr/bin/env python3
"""An installation in a prefix of its own: the tool starts and finds drivers, apps and drivers are built,
with no variable set.

    test_prefix.py MESON SOURCE_FOLDER CC...

Builds everything without tests and benches, since folders of the prefix are part of what is built.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

MESON, SOURCES, *CC = sys.argv[1:]


def run(*command, **environment):
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          env=dict(PATH=os.environ['PATH'], HOME='/dev/null', **environment)).stdout


class Prefix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.root = os.path.join(temporary.name, 'prefix')
        build = os.path.join(temporary.name, 'build')
        environment = dict(os.environ, CC=' '.join(CC))
        for command in (['setup', build, SOURCES, '--prefix', cls.root, '-Dtests=false',
                         '-Doptimization=1', '-Ddebug=false'],
                        ['compile', '-C', build], ['install', '-C', build, '--quiet']):
            subprocess.run([MESON, *command], check=True, stdout=subprocess.DEVNULL, env=environment)
        cls.pkg_config_folder, = (os.path.join(folder, 'pkgconfig')
                                  for folder, subfolders, _ in os.walk(cls.root)
                                  if 'pkgconfig' in subfolders)
        cls.halyard = os.path.join(cls.root, 'bin/halyard')

    def pkg_config(self, *arguments):
        return run('pkg-config', *arguments, PKG_CONFIG_LIBDIR=self.pkg_config_folder).split()

    def devices(self):
        return json.loads(run(self.halyard, 'devices', '--json'))

    def test_tool_starts_with_no_variable_set(self):
        names = [device['name'] for device in self.devices()['devices']]
        self.assertEqual(names[-2:], ['halyard-cpu', 'nnapi-reference'])

    def test_driver_put_where_pkg_config_says_is_found(self):
        drivers, = self.pkg_config('--variable=driverdir', 'neuralnetworks')
        manifests, = self.pkg_config('--variable=manifestdir', 'neuralnetworks')
        examples = os.path.join(os.path.dirname(drivers), 'examples')
        for folder in (manifests, os.path.join(self.root, 'etc/halyard/drivers.d')):
            with self.subTest(folder):
                os.makedirs(drivers, exist_ok=True)
                os.makedirs(folder, exist_ok=True)
                library = shutil.copy(os.path.join(examples, 'libhalyard_sample.so'), drivers)
                with open(os.path.join(examples, 'sample_driver.json'), encoding='utf-8') as file:
                    text = file.read().replace('./libhalyard_sample.so', 'libhalyard_sample.so')
                manifest = os.path.join(folder, 'acme.json')
                with open(manifest, 'w', encoding='utf-8') as file:
                    file.write(text)
                found = self.devices()
                os.remove(manifest)
                os.remove(library)
                self.assertEqual(found['refused'], [])
                self.assertIn(manifest, [device['manifest'] for device in found['devices']])

    def test_app_is_built_with_pkg_config_and_runs(self):
        libraries, = self.pkg_config('--variable=libdir', 'halyard')
        digits = os.path.join(SOURCES, 'examples/digits')
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'program')
            run(*CC, '-std=c17', os.path.join(SOURCES, 'examples/session.c'),
                *self.pkg_config('--cflags', '--libs', 'halyard'), f'-Wl,-rpath,{libraries}', '-o',
                program)
            said = run(program, os.path.join(digits, 'digits.tflite'),
                       os.path.join(digits, 'seven.png'))
        self.assertRegex(said, r'^ *7  0\.996 ')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
