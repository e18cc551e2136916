#!/usr/bin/env python3
"""What the programs of examples/ print, and how they fail.

    test_examples.py PROGRAM_FOLDER SOURCE_FOLDER
"""
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAMS, SOURCES = sys.argv[1:]
DIGITS = os.path.join(SOURCES, 'examples/digits')
WEIGHTS = os.path.join(DIGITS, 'digits_float_weights.bin')
NAMES = ('zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine')

# Where there is no compiler for C++, there is no program of it.
SESSIONS = [name for name in ('session', 'from_cpp')
            if name == 'session' or os.path.exists(os.path.join(PROGRAMS, name))]


def run(name, *arguments, **environment):
    environment = {'HALYARD_STATE_DIR': '/dev/null/none', **os.environ, **environment}
    return subprocess.run([os.path.join(PROGRAMS, name), *arguments], env=environment,
                          capture_output=True, text=True, check=False)


def digit(file):
    return os.path.join(DIGITS, file)


class Examples(unittest.TestCase):
    def assert_prints(self, done, pattern):
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertRegex(done.stdout, pattern)

    def assert_fails(self, done, *words):
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, '')
        for each in words:
            self.assertIn(each, done.stderr.splitlines()[-1])

    def test_hello_adds(self):
        self.assert_prints(run('hello'), r'^11 22 33\n$')

    def test_hello_tells_why_a_call_failed(self):
        self.assert_fails(run('hello', HALYARD_PLAN_WITHOUT='*'),
                          'hello: Compilation_finish: operation 0 ADD', 'HALYARD_PLAN_WITHOUT')

    def test_classify_reads_all_digits_in_one_burst(self):
        pictures = [digit(name + '.pgm') for name in NAMES]
        done = run('classify', WEIGHTS, *pictures)
        self.assert_prints(done, '.')
        self.assertEqual([line.split()[:2] for line in done.stdout.splitlines()],
                         [[picture + ':', str(i)] for i, picture in enumerate(pictures)])

    def test_classify_computes_on_the_device_that_is_named(self):
        self.assert_prints(run('classify', '-d', 'nnapi-reference', WEIGHTS, digit('seven.pgm')),
                           r'seven\.pgm: 7  1\.000\n$')
        self.assert_fails(run('classify', '-d', 'npu', WEIGHTS, digit('seven.pgm')), 'npu')

    def test_classify_finds_in_the_cache_what_it_has_compiled(self):
        with tempfile.TemporaryDirectory() as folder:
            cache, state = os.path.join(folder, 'cache'), os.path.join(folder, 'state')
            os.mkdir(cache)
            said = [run('classify', '-c', cache, WEIGHTS, digit('seven.pgm'), HALYARD_LOG='info:cache',
                        HALYARD_STATE_DIR=state) for _ in range(2)]
        self.assertEqual(said[0].stdout, said[1].stdout)
        self.assertIn('miss, stored', said[0].stderr)
        self.assertIn('hit', said[1].stderr)

    def test_classify_names_the_file_that_is_wrong(self):
        self.assert_fails(run('classify', digit('labels.txt'), digit('seven.pgm')),
                          'setOperandValueFromMemory', '20 bytes')
        self.assert_fails(run('classify', digit('digits_float.tflite'), digit('seven.pgm')),
                          'digits_float.tflite')
        self.assert_fails(run('classify', WEIGHTS, digit('seven.png')), 'seven.png')
        self.assert_fails(run('classify', WEIGHTS, digit('eleven.pgm')), 'eleven.pgm')

    def test_sessions_read_a_digit(self):
        for name in SESSIONS:
            with self.subTest(name):
                self.assert_prints(run(name, digit('digits.tflite'), digit('seven.png')),
                                   r'^ *7  0\.996 .*\n.*\n.*\n$')

    def test_sessions_tell_why_a_call_failed(self):
        for name in SESSIONS:
            with self.subTest(name):
                self.assert_fails(run(name, digit('labels.txt'), digit('seven.png')),
                                  name + ': ', 'labels.txt: a text file, not a network')
                self.assert_fails(run(name, digit('digits.tflite'), digit('labels.txt')),
                                  'labels.txt')

    def test_programs_without_arguments_say_what_they_take(self):
        for name in ('classify', *SESSIONS):
            with self.subTest(name):
                done = run(name)
                self.assertEqual(done.returncode, 2)
                self.assertIn('usage: ' + name, done.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
