#!/usr/bin/env python3
"""Programs hold the tests of many files, and `meson test` runs them by selections: no TEST may be left out.

    test_selected_tests.py BUILD_FOLDER

Repeats the selection of tests/kit/test_main.c for each test of meson, slow ones included.
"""
import json
import os
import re
import sys
import unittest

BUILD = os.path.realpath(sys.argv[1])
TEST = re.compile(r'^TEST\((\w+),\s*(\w+)\)', re.MULTILINE)  # TESTs that macros make are not seen
BY_HAND = {'test_random_graphs.c:random_graphs.seed_of_choice'}  # repeats a failure


def introspect(kind):
    with open(os.path.join(BUILD, 'meson-info', f'intro-{kind}.json'), encoding='utf-8') as file:
        return json.load(file)


def tests_of(target):
    """FILE:SUITE.NAME of each TEST in the sources of a program."""
    for source in (source for group in target['target_sources'] for source in group.get('sources', [])):
        if os.sep + 'tests' + os.sep in source and source.endswith(('.c', '.cpp')) and os.path.exists(source):
            with open(source, encoding='utf-8') as file:
                for suite, name in TEST.findall(file.read()):
                    yield f'{os.path.basename(source)}:{suite}.{name}'


def is_selected(test, arguments):
    return all(any(part and part in test for part in argument.split(',')) for argument in arguments)


class SelectedTests(unittest.TestCase):
    def test_every_test_of_a_program_is_run_by_a_test_of_meson(self):
        left = {target['filename'][0]: set(tests_of(target)) for target in introspect('targets')
                if target['type'] == 'executable'}
        known = sum(map(len, left.values()))
        for test in introspect('tests'):
            command = [os.path.join(BUILD, word) for word in test['cmd']]  # a path may be relative
            for number, path in enumerate(command):
                if left.get(path):
                    arguments = test['cmd'][number + 1:]
                    left[path] = {name for name in left[path] if not is_selected(name, arguments)}
                    break
        self.assertGreater(known, 3000)
        self.assertEqual({name for names in left.values() for name in names}, BY_HAND)


unittest.main(argv=sys.argv[:1])
