"""Compares what the evaluation gives with the expected outputs of vectors made by others."""
import collections
import glob
import json
import os

import numpy as np

from .evaluate import evaluate_example

HALF_TOLERANCE = 5 * 2**-10


def tolerance(kind, half_exact):
    """(absolute, relative)"""
    if kind.is_float:
        return (HALF_TOLERANCE,) * 2 if half_exact else (1e-5, 5 * 2**-23)
    return (0, 0) if kind.type == 'TENSOR_BOOL8' else (1, 0)


def is_half_exact(test):
    models = [test['main']] + test['referenced']
    return test['is_relaxed'] or any(operand['type'] == 'TENSOR_FLOAT16'
                                     for model in models for operand in model['operands'])


def difference(test):
    """What is wrong, in words; nothing if all is well."""
    operands = test['main']['operands']
    try:
        values = evaluate_example(test)
    except Exception as error:  # every surprise is a finding
        return f'{type(error).__name__}: {error}'
    for index, value, expected in zip(test['main']['output_indexes'], values,
                                      test['examples'][0]['outputs'], strict=True):
        operand = operands[index]
        if operand.get('ignored'):
            continue
        if list(value.stored.shape) != operand['dims']:
            return f'output is {value.stored.shape}, expected {operand["dims"]}'
        absolute, relative = tolerance(value.kind, is_half_exact(test))
        actual, expected = value.stored.ravel().astype(float), np.array(expected, float)
        bad = ~(np.abs(actual - expected) <= absolute + relative * np.abs(expected))
        if bad.any():
            at = bad.argmax()
            return f'element {at} is {actual[at]}, expected {expected[at]}; {bad.sum()} are wrong'
    return ''


def verify(folder):
    """Prints a line for each operation; returns how many tests differ."""
    passed, failed = collections.Counter(), collections.Counter()
    for path in sorted(glob.glob(os.path.join(folder, '**', '*.json'), recursive=True)):
        with open(path, encoding='utf-8') as file:
            tests = json.load(file)['tests']
        for test in tests:
            if test['expect_failure']:
                continue
            op = operation_under_test(test)
            words = difference(test)
            (failed if words else passed)[op] += 1
            if words:
                print(f'{os.path.relpath(path, folder)}: {test["name"]}: {words}')
    for op in sorted(set(passed) | set(failed)):
        print(f'{op}: {passed[op]} agree, {failed[op]} differ')
    print(f'{sum(passed.values())} agree, {sum(failed.values())} differ')
    return sum(failed.values())


def operation_under_test(test):
    """The one that is not an ADD around it, if there is one."""
    names = [step['op'] for step in test['main']['operations']]
    return next((name for name in names if name != 'ADD'), 'ADD')
