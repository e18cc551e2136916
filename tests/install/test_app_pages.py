#!/usr/bin/env python3
"""The programs of the pages for those who write apps are built without a warning, and do what the
pages say.

    test_app_pages.py SOURCE_FOLDER LIBNEURALNETWORKS LIBHALYARD COMPILER...
"""
import array
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, CC = sys.argv[1], sys.argv[4:]
LIBRARIES = [os.path.abspath(path) for path in sys.argv[2:4]]
CPP = [path for path in map(shutil.which, ('g++', 'clang++')) if path]
DIGITS = os.path.join(ROOT, 'examples', 'digits')


def listings(page, language):
    with open(os.path.join(ROOT, 'docs', page), encoding='utf-8') as file:
        return re.findall(r'^```%s\n(.*?)^```\n' % re.escape(language), file.read(), re.M | re.S)


def headings(path):
    """Their anchors, as GitHub makes them."""
    with open(path, encoding='utf-8') as file:
        found = re.findall(r'^#+ (.*)$', file.read(), re.M)
    return {re.sub(r'[^\w -]', '', heading).strip().lower().replace(' ', '-') for heading in found}


def digit(name):
    return os.path.join(DIGITS, name)


class Pages(unittest.TestCase):
    def output(self, compiler, extension, text, *arguments):
        """What a program prints that is built of the text."""
        with tempfile.TemporaryDirectory() as folder:
            source, program = (os.path.join(folder, name) for name in ('app' + extension, 'app'))
            with open(source, 'w', encoding='utf-8') as file:
                file.write(text)
            subprocess.run([*compiler, '-Wall', '-Wextra', '-Werror', '-I', os.path.join(ROOT, 'include'),
                            source, *LIBRARIES, '-o', program,
                            *('-Wl,-rpath,' + os.path.dirname(path) for path in LIBRARIES)], check=True)
            return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout

    def output_c(self, text, *arguments):
        return self.output(CC, '.c', text, *arguments)

    def outputs_cpp(self, text, *arguments):
        """Of the programs of all compilers that there are."""
        return [self.output([compiler, '-std=c++17'], '.cpp', text, *arguments) for compiler in CPP]

    def test_listings_of_the_guide_to_the_api_are_one_program(self):
        text = '\n'.join(listings('api-guide.md', 'c'))
        with tempfile.TemporaryDirectory() as cache:
            said = self.output_c(text, cache).splitlines()
        rows = {line.split(':')[0]: line.split()[1:] for line in said}
        for how in ('once', 'asynchronous', 'fenced'):
            self.assertEqual(rows[how], ['0.002', '0.007', '0.991'])
        self.assertIn('rows: 2', said)
        self.assertIn('second: 0.576 0.212 0.212', said)
        self.assertIn('on a device: 0.991', said)
        self.assertEqual([line for line in said if line.startswith('burst')],
                         [f'burst {frame}: 1.000' for frame in range(3)])
        self.assertTrue(said[0].startswith('FULLY_CONNECTED on '))

    def test_programs_of_the_page_about_sessions_run(self):
        program, = listings('sessions.md', 'c')
        files = digit('digits.tflite'), digit('seven.png')
        self.assertEqual(self.output_c(program, *files), '7 \n')
        program, = listings('sessions.md', 'cpp')
        for said in self.outputs_cpp(program, *files):
            self.assertEqual(said, '7 \n')

    def test_program_of_the_page_for_those_from_android_runs(self):
        program, = listings('from-android.md', 'c')
        self.assertEqual(self.output_c(program), '1 + 2 = 3\n')

    def test_programs_of_the_pages_for_those_from_other_runtimes_read_a_seven(self):
        with open(digit('seven.pgm'), 'rb') as file:
            grey = file.read()[-28 * 28:]
        with tempfile.TemporaryDirectory() as folder:
            integers, floats = (os.path.join(folder, name) for name in ('int8.bin', 'float32.bin'))
            with open(integers, 'wb') as file:
                file.write(bytes(value ^ 128 for value in grey))
            with open(floats, 'wb') as file:
                array.array('f', (value / 255 for value in grey)).tofile(file)
            program, = listings('from-tflite.md', 'c')
            said = self.output_c(program, digit('digits.tflite'), integers).split()
            self.assertEqual((len(said), said[7]), (10, '0.996'))
            program, = listings('from-onnxruntime.md', 'cpp')
            for said in self.outputs_cpp(program, digit('digits_float.tflite'), floats):
                self.assertEqual(said, '7: 1.000\n')

    def test_functions_that_the_pages_name_are_declared(self):
        headers = ''
        for place, _, files in os.walk(os.path.join(ROOT, 'include')):
            for name in files:
                with open(os.path.join(place, name), encoding='utf-8') as file:
                    headers += file.read()
        for page in ('api-guide', 'from-android', 'from-tflite', 'from-onnxruntime', 'sessions'):
            with open(os.path.join(ROOT, 'docs', page + '.md'), encoding='utf-8') as file:
                names = set(re.findall(r'\b(?:halyard_|HALYARD_TYPE_|ANeuralNetworks|AHardwareBuffer_)\w*\w',
                                       file.read()))
            self.assertGreater(len(names), 4)
            with self.subTest(page):
                self.assertEqual({name for name in names if name.rstrip('_') not in headers}, set())

    def test_links_of_the_pages_lead_to_files_and_headings(self):
        for page in ('api-guide', 'from-android', 'from-tflite', 'from-onnxruntime', 'sessions'):
            with open(os.path.join(ROOT, 'docs', page + '.md'), encoding='utf-8') as file:
                links = re.findall(r'\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)', file.read())
            self.assertGreater(len(links), 4)
            for path, anchor in links:
                target = os.path.join(ROOT, 'docs', path or page + '.md')
                with self.subTest(page, link=(path, anchor)):
                    self.assertTrue(os.path.isfile(target))
                    if anchor:
                        self.assertIn(anchor, headings(target))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
