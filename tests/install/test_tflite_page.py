#!/usr/bin/env python3
"""docs/tflite.md has a row for each operator of the schema, in the schema's order, and says of those
that are lowered what they become, and of the others why not.

    test_tflite_page.py SOURCE_FOLDER
"""
import os
import re
import sys
import unittest

ROOT = sys.argv[1]


def read(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()


class Page(unittest.TestCase):
    schema = re.findall(r'^OP\(\d+, (\w+),', read('libhalyard', 'tflite', 'tflite_ops.def'), re.M)
    rows = re.findall(r'^\| ([A-Z][A-Z0-9_]+) \| ([^|]*) \| ([^|]+) \|$', read('docs', 'tflite.md'), re.M)
    models = dict(re.findall(r'\{HY_TFLITE_OP_(\w+), ([^,]+), hy_op_',
                             read('tests', 'unit', 'tools', 'operators', 'op_rows.c')))
    letters = {'F': 'float32', 'D': 'float64', 'I': 'int32', 'J': 'int16', 'U': 'uint8', 'S': 'int8', 'W': 'int16',
               'X': 'uint32', 'L': 'int64', 'B': 'bool'}

    def test_each_operator_of_the_schema_has_one_row(self):
        self.assertEqual([row[0] for row in self.rows], self.schema)

    def test_operators_with_random_models_are_those_that_run(self):
        for name, types, lowered in self.rows:
            if name in self.models:
                self.assertTrue(types, name)
                self.assertFalse(lowered.startswith('refused'), name)
            elif not types:
                self.assertTrue(lowered.startswith('refused'), name)

    def test_types_of_random_models_are_on_the_page(self):
        pages = {name: types.split(', ') for name, types, lowered in self.rows}
        self.assertTrue(self.models)
        for name, types in self.models.items():
            for letter in types.replace('Q', 'U | S').split(' | '):
                self.assertIn(self.letters[letter], pages[name], name)

    def test_operators_without_a_meaning_are_refused_in_the_words_of_the_program(self):
        text = read('libhalyard', 'tflite', 'tflite_foreign.c')
        shared = dict(re.findall(r'^#define (NO_\w+)\s+"([^"]+)"$', text, re.M))
        reasons = dict(re.findall(r'\[HY_TFLITE_OP_(\w+)\] = "?([^",]+(?:, [^",]+)?)"?,$', text, re.M))
        self.assertTrue(reasons)
        pages = {name: lowered for name, types, lowered in self.rows}
        for name, reason in reasons.items():
            self.assertEqual(pages[name], 'refused: ' + shared.get(reason, reason))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
