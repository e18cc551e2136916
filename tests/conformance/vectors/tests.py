"""Makes tests of cases, and writes them in the vector format."""
import collections
import json
import math
import random
import zlib

from .cases import VECTORS
from .evaluate import LEVELS, evaluate_example
from .kinds import LEVELS as TYPE_LEVELS, shortest
from .model import Model


def level_of(case, model):
    """Of the operations, of the types, and of what the case says about its form."""
    levels = [case.level]
    for part in [model] + case.referenced:
        levels += [LEVELS[step['op']] for step in part['operations']]
        levels += [TYPE_LEVELS.get(operand['type'], 1) for operand in part['operands']]
    return max(levels)


def make_test(op, case):
    """The test of the vector format, its outputs evaluated."""
    name = f'{op.lower()}_{case.form}'
    model = Model(random.Random(zlib.crc32(name.encode())))
    inputs = [model.add_via(item, case.via) if case.via and i in case.via_inputs else
              model.add(item) for i, item in enumerate(case.inputs)]
    shapes = case.dims if isinstance(case.dims[0], list) else [case.dims] * len(case.outputs)
    outputs = [model.add_output(kind, dims) for kind, dims in zip(case.outputs, shapes)]
    model.run(op, inputs, outputs)
    assert model.input_indexes, f'{name} has no model inputs'
    test = {
        'name': name, 'feature_level': level_of(case, model.as_object()), 'hal_version': None,
        'is_relaxed': case.relaxed, 'expect_failure': case.fails, **case.extra,
        'main': model.as_object(), 'referenced': case.referenced,
        'examples': [{'inputs': model.given, 'outputs': [[] for _ in outputs]}],
    }
    return refused(test) if case.fails else answered(test)


def answered(test):
    operands = test['main']['operands']
    values = evaluate_example(test)
    for index, value in zip(test['main']['output_indexes'], values, strict=True):
        operands[index]['dims'] = [int(d) for d in value.stored.shape]
    test['examples'][0]['outputs'] = [value.kind.listed(value.stored) for value in values]
    return test


def refused(test):
    """Any numbers of the right count: what they are means nothing."""
    operands = test['main']['operands']
    test['examples'][0]['outputs'] = [[0] * math.prod(operands[index]['dims'])
                                      for index in test['main']['output_indexes']]
    return test


def signature(test):
    """The type of the first tensor; and all types and the feature level."""
    operands = test['main']['operands']
    step = test['main']['operations'][-1]
    types = [operands[i]['type'] for i in step['inputs'] + step['outputs']]
    main = next(name for name in types if 'TENSOR' in name)
    return main, (test['feature_level'], *types)


def tests_of(op):
    """All cases of the first type; of the others, which share code, one for each signature."""
    tests, seen, first = [], collections.Counter(), None
    for function in VECTORS[op]:
        for case in function(op):
            test = make_test(op, case)
            main, key = signature(test)
            first = first or main
            seen[key] += not case.fails
            if case.fails or main == first or seen[key] == 1:
                tests.append(test)
    names = [test['name'] for test in tests]
    assert len(set(names)) == len(names), f'{op}: a name is used twice: {sorted(names)}'
    return tests


def as_text(value):
    """JSON without spaces, floats in their shortest form."""
    if isinstance(value, dict):
        return '{' + ','.join(f'{json.dumps(k)}:{as_text(v)}' for k, v in value.items()) + '}'
    if isinstance(value, list):
        return '[' + ','.join(map(as_text, value)) + ']'
    if isinstance(value, float):
        return shortest(value)
    return json.dumps(value)


def write(path, spec, tests):
    lines = ',\n'.join(as_text(test) for test in tests)
    with open(path, 'w', encoding='ascii', newline='\n') as file:
        file.write(f'{{"spec":"{spec}","version":"halyard","tests":[\n{lines}\n]}}\n')
