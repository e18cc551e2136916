"""What a family module says about its tests: operands in short, and the tests made of them."""
import collections
import json
import math
import random
import zlib
from dataclasses import dataclass, field

import numpy as np

from .evaluate import LEVELS, evaluate_example
from .kinds import F16, F32, I32, LEVELS as TYPE_LEVELS, Kind, shortest

NONE, RELU, RELU1, RELU6 = range(4)  # fused activations
SAME, VALID = 1, 2                   # padding schemes

VECTORS = {}  # operation: functions that yield its cases


def vectors(*operations):
    """Registers a function of the operation's name that yields its cases."""
    def register(function):
        for name in operations:
            VECTORS.setdefault(name, []).append(function)
        return function
    return register


@dataclass
class Input:
    """
    A model input. Its numbers are `values` (real numbers, or stored ones if `stored`), else random
    ones of `span`: multiples of 1/16, which are short and which no float type rounds.
    """
    kind: Kind
    dims: list
    values: object = None
    span: tuple = (-2, 2)
    stored: bool = False
    lifetime = 'SUBGRAPH_INPUT'

    def numbers(self, source):
        values = self.values
        if values is None:
            values = self.random(source)
        values = np.asarray(values, np.float64).reshape(self.dims)
        if not self.stored:
            return self.kind.store(values)
        low, high = self.kind.limits
        assert low <= values.min() and values.max() <= high, f'{self.kind.type}: {values}'
        return values.astype(np.int64)

    def random(self, source):
        low, high = self.span
        if self.kind.type == 'TENSOR_BOOL8':
            low, high = 0, 1
        parts = 16 if (self.kind.is_float or self.kind.scale or self.kind.scales) else 1
        parts = 1 if self.stored else parts
        return [source.randint(math.ceil(low * parts), math.floor(high * parts)) / parts
                for _ in range(math.prod(self.dims))]


class Const(Input):
    """The same as a constant of the model."""
    lifetime = 'CONSTANT_COPY'


class SharedConst(Input):
    """A constant in a memory object."""
    lifetime = 'CONSTANT_REFERENCE'


@dataclass
class Half:
    """A FLOAT16 scalar; the others are written as Python's bool, int and float."""
    value: float


@dataclass
class Omitted:
    """An optional operand without a value; `kind` is the type it would have."""
    kind: Kind = F32


@dataclass
class OmittedInput:
    """The same as a model input for which the execution is given nothing."""
    kind: Kind
    dims: list


@dataclass
class Branch:
    """A MODEL operand: a model of the test's `referenced`."""
    index: int


def real(kind, value):
    """The float scalar that goes with a tensor."""
    return Half(value) if kind.is_half else float(value)


def ints(values):
    """A constant TENSOR_INT32."""
    values = np.array(values)
    return Const(I32, list(values.shape), values)


@dataclass
class Case:
    """
    `outputs` are Kinds, or Ignored. `via` puts an operation between the inputs `via_inputs` and the
    operation under test: ZERO_SIZED or INTERNAL. `dims` is what the outputs of a failing test are
    declared as.
    """
    form: str
    inputs: list
    outputs: list
    level: int = 1
    relaxed: bool = False
    fails: bool = False
    via: str = ''
    via_inputs: tuple = (0,)
    dims: list = field(default_factory=lambda: [1])
    referenced: list = field(default_factory=list)
    extra: dict = field(default_factory=dict)


ZERO_SIZED, INTERNAL = 'zero_sized', 'internal'


def failing(form, inputs, outputs, dims, **options):
    """A case that must be refused."""
    return Case(form, inputs, outputs, fails=True, dims=dims, **options)


class Model:
    """A model of the vector format while it is put together."""

    def __init__(self, source):
        self.source = source
        self.operands, self.operations = [], []
        self.input_indexes, self.output_indexes, self.given = [], [], []

    def operand(self, kind, dims, lifetime, **more):
        entry = {'type': kind.type, 'dims': [int(d) for d in dims], 'lifetime': lifetime}
        if kind.scale:
            entry['scale'] = kind.scale
        if kind.zero_point:
            entry['zero_point'] = kind.zero_point
        if kind.scales:
            entry['channel_quant'] = {'scales': list(kind.scales), 'channel_dim': kind.channel_dim}
        self.operands.append(entry | more)
        return len(self.operands) - 1

    def add(self, item):
        """One input of an operation; returns its index."""
        if isinstance(item, Omitted):
            return self.operand(item.kind, [0] if item.kind.type.startswith('TENSOR') else [],
                                'NO_VALUE', value=None)
        if isinstance(item, OmittedInput):
            self.given.append(None)
            self.input_indexes.append(self.operand(item.kind, item.dims, 'SUBGRAPH_INPUT'))
            return self.input_indexes[-1]
        if isinstance(item, Branch):
            return self.operand(Kind('MODEL'), [], 'SUBGRAPH', value=[item.index])
        if isinstance(item, Input):
            return self.add_tensor(item)
        return self.add_scalar(item)

    def add_tensor(self, item):
        numbers = item.numbers(self.source).ravel().tolist()
        if item.lifetime != 'SUBGRAPH_INPUT':
            return self.operand(item.kind, item.dims, item.lifetime, value=numbers)
        self.given.append(numbers)
        self.input_indexes.append(self.operand(item.kind, item.dims, item.lifetime))
        return self.input_indexes[-1]

    def add_scalar(self, item):
        if isinstance(item, Half):
            number = float(F16.store(item.value))
            return self.operand(Kind('FLOAT16'), [], 'CONSTANT_COPY', value=[number])
        if isinstance(item, bool):
            return self.operand(Kind('BOOL'), [], 'CONSTANT_COPY', value=[int(item)])
        if isinstance(item, int):
            return self.operand(Kind('INT32'), [], 'CONSTANT_COPY', value=[item])
        number = float(F32.store(item))
        return self.operand(Kind('FLOAT32'), [], 'CONSTANT_COPY', value=[number])

    def run(self, op, inputs, outputs):
        self.operations.append({'op': op, 'inputs': inputs, 'outputs': outputs})

    def add_via(self, item, via):
        """An input of the operation under test that another operation makes."""
        source = self.add(item)
        if via == INTERNAL:
            zero = self.operand(item.kind, [1], 'CONSTANT_COPY', value=[item.kind.zero_point])
            made = self.operand(item.kind, item.dims, 'TEMPORARY_VARIABLE')
            self.run('ADD', [source, zero, self.add(NONE)], [made])
            return made
        begin = self.add(ints([0] * len(item.dims)))
        size = self.add(ints([0] + [-1] * (len(item.dims) - 1)))
        made = self.operand(item.kind, [0] + item.dims[1:], 'TEMPORARY_VARIABLE')
        self.run('SLICE', [source, begin, size], [made])
        return made

    def add_output(self, kind, dims=(1,)):
        more = {'ignored': True} if isinstance(kind, Ignored) else {}
        kind = kind.kind if isinstance(kind, Ignored) else kind
        self.output_indexes.append(self.operand(kind, dims, 'SUBGRAPH_OUTPUT', **more))
        return self.output_indexes[-1]

    def as_object(self):
        return {'operands': self.operands, 'operations': self.operations,
                'input_indexes': self.input_indexes, 'output_indexes': self.output_indexes}


@dataclass
class Ignored:
    """An output that is not compared."""
    kind: Kind


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
    outputs = [model.add_output(kind, case.dims) for kind in case.outputs]
    model.run(op, inputs, outputs)
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
    test['examples'][0]['outputs'] = [value.stored.ravel().tolist() for value in values]
    return test


def refused(test):
    """Any numbers of the right count: what they are means nothing."""
    operands = test['main']['operands']
    test['examples'][0]['outputs'] = [[0] * math.prod(operands[index]['dims'])
                                      for index in test['main']['output_indexes']]
    return test


# How many cases a signature gets. An operation's first type gets all of them; the others share most
# of the code, but bytes move and round in their own ways.
MOST_CASES = {'TENSOR_QUANT8_ASYMM_SIGNED': 1}


def signature(test):
    """The type of the first tensor; and all types and the feature level."""
    operands = test['main']['operands']
    step = test['main']['operations'][-1]
    types = [operands[i]['type'] for i in step['inputs'] + step['outputs']]
    main = next(name for name in types if name.startswith('TENSOR'))
    return main, (test['feature_level'], *types)


def tests_of(op):
    tests, seen, first = [], collections.Counter(), None
    for function in VECTORS[op]:
        for case in function(op):
            test = make_test(op, case)
            main, key = signature(test)
            first = first or main
            seen[key] += not case.fails
            if case.fails or main == first or seen[key] <= MOST_CASES.get(main, 1):
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
