#!/usr/bin/env python3
"""The driver guide is true: its example builds against the public headers alone and keeps every
rule, and its table has the rules that check-driver checks.

    test_driver_guide.py SOURCE_FOLDER HALYARD COMPILER...
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT, HALYARD, COMPILER = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]


def read(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()


def listing(guide, name):
    """The code block that stands behind `name`:."""
    return re.search(r'`%s`:\n\n```\w+\n(.*?)```\n' % re.escape(name), guide, re.DOTALL).group(1)


class DriverGuide(unittest.TestCase):
    guide = read('docs', 'driver-guide.md')

    def test_example_builds_from_the_headers_alone_and_keeps_every_rule(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ('acme.c', 'acme.json'):
                with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                    file.write(listing(self.guide, name))
            build = [*COMPILER, '-shared', '-fPIC', '-fvisibility=hidden', '-Wall', '-Wextra',
                     '-Werror', '-I', os.path.join(ROOT, 'include'), '-o', 'libacme_two.so', 'acme.c']
            subprocess.run(build, cwd=folder, check=True)
            run = subprocess.run([HALYARD, 'check-driver', 'acme.json', '--json'], cwd=folder,
                                 stdout=subprocess.PIPE, check=False)
        result = json.loads(run.stdout)
        failed = [rule for group in result['groups'] for rule in group['rules']
                  if rule['result'] == 'failed']
        self.assertEqual(failed, [])
        self.assertEqual(run.returncode, 0)
        self.assertGreaterEqual(result['groups'][1]['supported_models'], 3)

    def test_listings_of_the_page_about_the_kit_compile(self):
        listings = re.findall(r'```c\n(.*?)```\n', read('docs', 'driver-kit.md'), re.DOTALL)
        self.assertEqual(len(listings), 3)
        for text in listings:
            subprocess.run([*COMPILER, '-fsyntax-only', '-Wall', '-Wextra', '-Werror', '-I', ROOT,
                            '-I', os.path.join(ROOT, 'include'), '-x', 'c', '-'],
                           input=text, text=True, check=True)

    def test_page_about_the_kit_names_every_header(self):
        named = set(re.findall(r'^\| `(\w+\.h)` \|', read('docs', 'driver-kit.md'), re.MULTILINE))
        headers = {name for name in os.listdir(os.path.join(ROOT, 'driver_kit')) if name.endswith('.h')}
        self.assertEqual(named, headers - {'execute_fn.h'})  # which others include

    def test_table_has_the_rules_that_are_checked(self):
        checked = re.findall(r'^RULE\((\w+),', read('tools', 'check_driver', 'rules', 'rules.def'),
                             re.MULTILINE)
        rows = re.findall(r'^\| (\w+) \|.*\| x \|$', self.guide, re.MULTILINE)
        self.assertEqual([rule for rule in checked if rule not in rows], [])
        # The rules of the header are checked by others, which their rows name.
        self.assertEqual([row for row in rows if row not in checked and row[0] != 'R'], [])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
