"""What the tests that `meson test FOLDER OPTION...` would run need: targets for ninja, a line each.

    test_targets.py FOLDER [OPTION...]
"""
import json
import os
import subprocess
import sys


def introspect(folder, kind):
    with open(os.path.join(folder, 'meson-info', f'intro-{kind}.json'), encoding='utf-8') as file:
        return json.load(file)


def main(folder, *options):
    listed = subprocess.run(['meson', 'test', '-C', folder, '--list', *options], check=True, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    names = {line.rpartition(' / ')[2] for line in listed.splitlines()}
    needed = {target for test in introspect(folder, 'tests') if test['name'] in names
              for target in test['depends']}
    files = {os.path.relpath(file, os.path.realpath(folder))
             for target in introspect(folder, 'targets') if target['id'] in needed
             for file in target['filename']}
    print('\n'.join(sorted(files)))


main(*sys.argv[1:])
