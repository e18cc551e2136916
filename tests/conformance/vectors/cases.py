"""What a family module says about its tests: cases, their operands in short."""
import math
from dataclasses import dataclass, field

import numpy as np

from .kinds import F32, I32, Kind

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
    ones of `span`: multiples of 1/8, which are short and which no float type rounds.
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
        parts = 8 if (self.kind.is_float or self.kind.scale or self.kind.scales) else 1
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


@dataclass
class Ignored:
    """An output that is not compared."""
    kind: Kind


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
    declared as, all of them or one by one.
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
