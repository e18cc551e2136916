"""Runs a model of the vector format: every operation by its function of the family modules."""
from dataclasses import dataclass

import numpy as np

from .kinds import Kind

OPERATIONS = {}  # name: function of a Call
LEVELS = {}      # name: feature level at which the operation appeared


def operation(name, level):
    """
    Registers how `name` is evaluated. The function gets a Call and returns its outputs, one or a
    tuple: an array of real numbers, or Raw for numbers as they are stored.
    """
    def register(function):
        OPERATIONS[name] = function
        LEVELS[name] = level
        return function
    return register


@dataclass
class Raw:
    stored: np.ndarray


@dataclass
class Value:
    """A tensor or scalar: stored numbers in an array of its shape."""
    kind: Kind
    stored: np.ndarray

    @property
    def real(self):
        return self.kind.load(self.stored)


class Call:
    """One operation about to be evaluated: `inputs` are Values, None where omitted."""

    def __init__(self, inputs, outputs, models):
        self.inputs = inputs
        self.outputs = outputs  # their Kinds
        self.models = models

    def has(self, index):
        return index < len(self.inputs) and self.inputs[index] is not None

    def kind(self, index):
        return self.inputs[index].kind

    def real(self, index):
        """None if omitted."""
        return self.inputs[index].real if self.has(index) else None

    def raw(self, index):
        return self.inputs[index].stored if self.has(index) else None

    def ints(self, index):
        return [int(v) for v in self.inputs[index].stored.ravel()]

    def number(self, index, default=None):
        """A scalar."""
        return self.inputs[index].stored.item() if self.has(index) else default


def as_value(operand, numbers):
    """None for no value. A MODEL stays its index in the list of referenced models."""
    if numbers is None:
        return None
    if operand['type'] == 'MODEL':
        return numbers[0]
    kind = Kind.of(operand)
    if kind.is_float:
        stored = kind.nearest(numbers)
    else:
        stored = np.array(numbers, np.int64)
    return Value(kind, stored.reshape(operand['dims']))


def as_output(kind, result):
    if isinstance(result, Raw):
        return Value(kind, np.asarray(result.stored))
    return Value(kind, kind.store(result))


def evaluate(model, referenced, inputs):
    """`inputs` and the result are lists of Values, in the order of the model's."""
    operands = model['operands']
    values = [as_value(operand, operand.get('value')) for operand in operands]
    for index, value in zip(model['input_indexes'], inputs):
        values[index] = value
    for step in model['operations']:
        kinds = [Kind.of(operands[i]) for i in step['outputs']]
        call = Call([values[i] for i in step['inputs']], kinds, referenced)
        results = OPERATIONS[step['op']](call)
        if not isinstance(results, tuple):
            results = (results,)
        for index, kind, result in zip(step['outputs'], kinds, results, strict=True):
            values[index] = as_output(kind, result)
    return [values[i] for i in model['output_indexes']]


def evaluate_example(test):
    """The outputs of a test's example."""
    main = test['main']
    inputs = [as_value(main['operands'][i], numbers)
              for i, numbers in zip(main['input_indexes'], test['examples'][0]['inputs'])]
    return evaluate(main, test['referenced'], inputs)
