"""Whether vectors have every signature of the project's own list, common/operations/signatures.def."""
import glob
import itertools
import json
import os
import re

from .kinds import EXTENSION

# Taken by the API, though no arithmetic is defined for it.
WITHOUT_MEANING = {('DIV', 'SSi', 'S')}


def read(common, name):
    with open(os.path.join(common, name), encoding='ascii') as file:
        return file.read()


def type_letters(common):
    text = read(common, 'operand_types.def')
    rows = re.findall(r"^OPERAND_TYPE\(\s*\d+,\s*(\w+),\s*'(.)'", text, re.MULTILINE)
    own = re.findall(r"^EXTENSION_TYPE\((\w+),\s*'(.)'", text, re.MULTILINE)
    return dict(rows) | {EXTENSION + name: letter for name, letter in own}


def signatures(common):
    """(operation, pattern of the inputs, pattern of the outputs), as regular expressions."""
    yield from signatures_in(read(common, 'signatures.def'), '')
    yield from signatures_in(read(common, 'extension_signatures.def'), EXTENSION)


def signatures_in(text, prefix):
    names = dict(re.findall(r'^#define (\w+)\s+("[^"]*")$', text, re.MULTILINE))
    rows = re.findall(r'^SIG\((\w+),\s*\d+,\s*"([^"]*)",\s*"([^"]*)",\s*("[^"]*"|\w+)\)', text,
                      re.MULTILINE)
    for op, inputs, outputs, variants in rows:
        for variant in names.get(variants, variants).strip('"').split():
            letters = variant.split(':')[-1]
            for pair in itertools.product(patterns(inputs, letters), patterns(outputs, letters)):
                yield prefix + op, *pair


def patterns(text, letters):
    """With the letters of a variant, and once with and once without what is optional."""
    text = re.sub(r'(\{\d+\})|(\d)', lambda m: m[1] or letters[int(m[2]) - 1],
                  text.replace(' ', ''))
    return [text.replace('?', ''), re.sub(r'.\?', '', text)] if '?' in text else [text]


def signatures_of(folder, letters):
    """What the valid tests of a folder have, subgraphs included."""
    for path in glob.glob(os.path.join(folder, '*.json')):
        with open(path, encoding='ascii') as file:
            tests = [test for test in json.load(file)['tests'] if not test['expect_failure']]
        for model in (part for test in tests for part in [test['main']] + test['referenced']):
            types = [letters[operand['type']] for operand in model['operands']]
            for step in model['operations']:
                yield (step['op'], ''.join(types[i] for i in step['inputs']),
                       ''.join(types[i] for i in step['outputs']))


def missing(folder, common):
    """The signatures that no valid vector of the folder has."""
    present = {}
    for op, inputs, outputs in set(signatures_of(folder, type_letters(common))) | WITHOUT_MEANING:
        present.setdefault(op, []).append((inputs, outputs))
    return sorted({f'{op}: {inputs} to {outputs}' for op, inputs, outputs in signatures(common)
                   if not any(re.fullmatch(inputs, i) and re.fullmatch(outputs, o)
                              for i, o in present.get(op, []))})
