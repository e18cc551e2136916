#!/usr/bin/env python3
"""The words of the house: what docs/style.md says of them, as far as a script can see it.

    test_words.py SOURCE_FOLDER

Prints how much each folder leans on pointer words (scripts/pointer_words.py). A share that has grown fails;
one that has clearly shrunk fails too, so that its new value is written here and holds from then on.
"""
import os
import re
import sys
import unittest

ROOT = sys.argv[1]
sys.path.insert(0, os.path.join(ROOT, 'scripts'))
import pointer_words  # noqa: E402

HEADER_LIMIT = 6.0  # percent
SLACK = 0.5         # by which a folder may be better than its share here

# Percent of pointer words in the headers of each folder, and in the pages.
SHARES = {
    'bench': 2.0,
    'cache_store': 1.2,
    'common': 1.4,
    'cpu_fallback': 2.6,
    'docs': 2.3,
    'driver_kit': 2.3,
    'driverd': 3.6,
    'hardware_buffer': 1.7,
    'include/android': 2.1,
    'include/halyard': 4.1,
    'libhalyard': 2.5,
    'plugins': 2.7,
    'runtime': 2.5,
    'sample_driver': 3.7,
    'tests': 1.2,
    'tools': 2.6,
    'xnnpack_driver': 2.4,
}

# Private words that the glossary has replaced: no identifier may have one as a part.
BANNED = set('''
    take takes took taking room rooms placed placement tells say says said folders keeper facts fact
    answers answered choices forgets forgotten shun shuns blame blames settle settles settled spoil
    spoils spoiled spoilt shares sharing late borders draft drafts board boards trial trials judge
    judges judged lockstep beside enlist enlisted delist aside prices price effort efforts wishes
    wish spare spares torn ration rations pins acting door doors doorman racer racers contest
    contests contestant contestants entrant entrants twin twins recall lent lend lends verdict
    verdicts introduction title untold company pace paces thing things newcomers newcomer greeting
    hear heard told taken folder kept keep keeps keeping place places
'''.split())

# Standard terms of the driver ABI, of operators, of kernels and of Linux that have such a word.
STANDARD = re.compile(
    r'(?:kept|keeps?)_(?:open|awake)|keep_(?:num_)?dim(?:s|ensions)|in_place|keep_size')

# Identifiers that are private words in these folders, and elsewhere say what they are.
BANNED_BELOW = {
    'levels': ('cpu_fallback',),  # isa_levels
    'matrix': ('runtime',),       # support_matrix
    'words': ('common', 'driverd', 'hardware_buffer', 'libhalyard', 'plugins/service/client',
              'plugins/service/server', 'plugins/service/wire', 'runtime', 'tools'),  # text
}

CODE = ('.c', '.h', '.hpp', '.def')
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
IDENTIFIER = re.compile(r'[A-Za-z_]\w*')
OURS = [folder for folder in SHARES if folder not in ('docs', 'include/android', 'include/halyard')]
FROZEN = 'include/halyard/driver.h'  # names of the driver ABI stay, also where others mirror them


def files(folder, endings):
    for place, folders, names in os.walk(os.path.join(ROOT, folder)):
        folders[:] = sorted(set(folders) - {'frozen_1_0'})  # a vendor's, as of version 1.0
        yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(endings))


def relative(path):
    return os.path.relpath(path, ROOT)


def identifiers(path):
    with open(path, encoding='utf-8') as source:
        code = NOT_CODE.sub(' ', source.read())
    code = re.sub(r'^[ \t]*#[ \t]*include.*$', '', code, flags=re.MULTILINE)
    code = re.sub(r'^(TEST\w*\(\w+),.*', r'\1', code, flags=re.MULTILINE)  # its name is a sentence
    return set(IDENTIFIER.findall(code))


class Words(unittest.TestCase):
    def test_no_folder_leans_more_on_pointer_words(self):
        wrong = []
        for folder, share in SHARES.items():
            found = pointer_words.Measure()
            for path in files(folder, '.md' if folder == 'docs' else '.h'):
                found.add(path)
            print(f'{folder}: {found}')
            if found.percent > share + 0.05:
                wrong.append(f'{folder}: {found.percent:.1f} %, not more than {share}')
                wrong += [f'  {relative(path)}:{line}: {text}'
                          for _, path, line, text in found.worst(10)]
            elif found.percent < share - SLACK:
                wrong.append(f'{folder}: {found.percent:.1f} % is better than {share}: lower it here')
        self.assertFalse(wrong, '\n'.join(wrong))

    def test_no_header_leans_much_on_pointer_words(self):
        wrong = []
        for folder in SHARES:
            for path in files(folder, '.h'):
                found = pointer_words.Measure().add(path)
                if found.percent > HEADER_LIMIT:
                    wrong.append(f'{relative(path)}: {found.percent:.1f} %, at most {HEADER_LIMIT}')
                    wrong += [f'  line {line}: {text}' for _, _, line, text in found.worst(3)]
        self.assertFalse(wrong, '\n'.join(wrong))

    def test_identifiers_have_no_private_words(self):
        frozen = identifiers(os.path.join(ROOT, FROZEN))
        wrong = []
        for folder in OURS:
            for path in files(folder, CODE):
                for name in sorted(identifiers(path) - frozen):
                    parts = STANDARD.sub('', name.lower()).split('_')
                    wrong += [f'{relative(path)}: {name}: see docs/glossary.md for "{word}"'
                              for word in BANNED & set(parts)]
        for name, folders in BANNED_BELOW.items():
            wrong += [f'{relative(path)}: {name}: see docs/glossary.md for "{name}"'
                      for folder in folders for path in files(folder, CODE)
                      if name in identifiers(path)]
        self.assertFalse(wrong, '\n'.join(wrong))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
