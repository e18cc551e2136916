"""Operations of org.halyard.operations on single elements."""
import math

import numpy as np

from .cases import Case, Input, failing, vectors
from .evaluate import Raw, operation
from .kinds import B8, EXTENSION, F32, I32, KINDS, each, q8, q8s, q16_symm

REALS = 'f32 f16 f64 bf16'
INTEGERS = 'i32 i8 i16 i64 n8 n16 n32 n64'


class Stored(Input):
    """An input of integers as they are stored, of 64 bits too; those of uint64 from 2^63 on are negative."""

    def numbers(self, source):
        return np.array([signed(int(value), 64) for value in self.values], np.int64).reshape(self.dims)


def signed(value, bits):
    return (value + 2**(bits - 1)) % 2**bits - 2**(bits - 1)


def wrapped(kind, value):
    """An integer modulo 2^n, as vectors write it."""
    low, high = kind.limits
    value = (value - low) % (high - low + 1) + low
    return signed(value, 64)


def integers(value):
    """Of the values of a tensor, exactly."""
    low, _ = value.kind.limits
    return [v + 2**64 if v < low else v for v in value.stored.ravel().tolist()]


def number(call, of_real, of_integer):
    """A function of reals, and of integers modulo 2^n."""
    kind = call.kind(0)
    if kind.is_float or kind.is_quantised:
        return of_real(call.real(0))
    results = [wrapped(kind, of_integer(v)) for v in integers(call.inputs[0])]
    return Raw(np.array(results, np.int64).reshape(call.raw(0).shape))


@operation(EXTENSION + 'ABS', 3)
def absolute(call):
    return number(call, np.abs, abs)


@operation(EXTENSION + 'NEG', 3)
def negative(call):
    return number(call, np.negative, lambda v: -v)


@operation(EXTENSION + 'SIGN', 3)
def sign(call):
    return number(call, np.sign, lambda v: (v > 0) - (v < 0))


@operation(EXTENSION + 'SQUARE', 3)
def square(call):
    return number(call, np.square, lambda v: v * v)


@operation(EXTENSION + 'BITWISE_NOT', 3)
def bitwise_not(call):
    return number(call, None, lambda v: ~v)


@operation(EXTENSION + 'LOGICAL_NOT', 3)
def logical_not(call):
    return Raw(1 - call.raw(0))


@operation(EXTENSION + 'ELU', 3)
def elu(call):
    x = call.real(0)
    return np.where(x >= 0, x, call.number(1) * np.expm1(np.minimum(x, 0)))


@operation(EXTENSION + 'LEAKY_RELU', 3)
def leaky_relu(call):
    x = call.real(0)
    return np.where(x >= 0, x, call.number(1) * x)


@operation(EXTENSION + 'GELU', 3)
def gelu(call):
    x = call.real(0)
    if call.number(1):
        return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x / 2 * np.vectorize(math.erfc)(-x / math.sqrt(2))


# The real function; what it is tested on; the scales of quantised inputs and outputs.
FUNCTIONS = {
    'EXP': (np.exp, (-3, 2), 0.02, 0.03),
    'LOG': (np.log, (0.125, 5), 0.04, 0.03),
    'SQRT': (np.sqrt, (0, 5), 0.04, 0.015),
    'RSQRT': (lambda x: 1 / np.sqrt(x), (0.25, 5), 0.04, 0.015),
    'SIN': (np.sin, (-4, 4), 0.03, 0.008),
    'COS': (np.cos, (-4, 4), 0.03, 0.008),
    'ERF': (np.vectorize(math.erf), (-3, 3), 0.03, 0.008),
    'LOGISTIC': (lambda x: 1 / (1 + np.exp(-x)), (-5, 5), 0.04, 0.008),
    'TANH': (np.tanh, (-3, 3), 0.03, 0.008),
    'HARD_SWISH': (lambda x: x * np.clip(x + 3, 0, 6) / 6, (-4, 4), 0.035, 0.03),
    'RELU': (lambda x: np.maximum(x, 0), (-3, 3), 0.03, 0.025),
    'RELU1': (lambda x: np.clip(x, -1, 1), (-3, 3), 0.03, 0.01),
    'RELU6': (lambda x: np.clip(x, 0, 6), (-3, 8), 0.06, 0.05),
    'RELU_0_TO_1': (lambda x: np.clip(x, 0, 1), (-3, 3), 0.03, 0.01),
}
ROUNDINGS = {'CEIL': np.ceil, 'FLOOR': np.floor, 'ROUND': np.rint, 'TRUNCATE': np.trunc}

for name, (function, *_) in FUNCTIONS.items():
    operation(EXTENSION + name, 3)(lambda call, of=function: of(call.real(0)))
for name, function in ROUNDINGS.items():
    operation(EXTENSION + name, 3)(lambda call, of=function: of(call.real(0)))


# ---- Cases ---------------------------------------------------------------------------------------


def quantised(in_scale, out_scale, span):
    """(word, kind of the input, kind of the output), whose zero points lie so that the span fits."""
    middle = sum(span) / 2
    zero, half = round(-middle / in_scale), out_scale * 127
    low = 0 if span[0] >= 0 else -40
    yield 'q8', q8(in_scale, min(max(128 + zero, 0), 255)), q8(out_scale, 128 + low)
    yield 'q8s', q8s(in_scale, min(max(zero, -128), 127)), q8s(out_scale, low)
    yield 'q16', q16_symm(max(map(abs, span)) / 32000), q16_symm(half / 16000)


def kinds(in_scale, out_scale, span):
    yield from ((word, kind, kind) for word, kind in each(REALS))
    yield from quantised(in_scale, out_scale, span)


def cases_of(span, in_scale, out_scale, *parameters):
    for word, kind, out in kinds(in_scale, out_scale, span):
        yield Case(word, [Input(kind, [3, 11], span=span), *parameters], [out])
        yield Case(f'{word}_rank_6', [Input(kind, [1, 2, 1, 2, 1, 3], span=span), *parameters], [out])


@vectors(*(EXTENSION + name for name in FUNCTIONS))
def function_cases(op):
    _, *numbers = FUNCTIONS[op.removeprefix(EXTENSION)]
    yield from cases_of(*numbers)
    yield failing('of_integers', [Input(I32, [3])], [I32], [3])


@vectors(*(EXTENSION + name for name in ROUNDINGS))
def rounding_cases(op):
    halves = [-2.5, -1.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 1.5, 2.5, 7]
    for word, kind in each(REALS):
        yield Case(word, [Input(kind, [2, 3, 1, 2, 5], span=(-9, 9))], [kind])
        yield Case(f'{word}_halves', [Input(kind, [12], halves)], [kind])


def integer_cases():
    for word, kind in each(INTEGERS):
        low, high = kind.limits
        yield Case(word, [Stored(kind, [2, 3, 1], [low, low + 1, 3, high // 3, high - 1, high])], [kind])


@vectors(*(EXTENSION + name for name in ('ABS', 'NEG', 'SIGN', 'SQUARE')))
def number_cases(op):
    yield from cases_of((-3, 3), 0.03, 0.04)
    yield from integer_cases()
    yield failing('of_truth', [Input(B8, [3])], [B8], [3])


@vectors(EXTENSION + 'BITWISE_NOT')
def bitwise_cases(_):
    yield from integer_cases()
    yield failing('of_reals', [Input(F32, [3])], [F32], [3])


@vectors(EXTENSION + 'LOGICAL_NOT')
def logical_cases(_):
    yield Case('bool', [Input(B8, [2, 1, 2, 1, 3])], [B8])


@vectors(EXTENSION + 'ELU', EXTENSION + 'LEAKY_RELU')
def alpha_cases(_):
    for word, alpha in [('small', 0.125), ('negative', -0.5)]:
        for case in cases_of((-3, 3), 0.03, 0.025, alpha):
            case.form += f'_{word}'
            yield case
    yield failing('without_alpha', [Input(F32, [3])], [F32], [3])


@vectors(EXTENSION + 'GELU')
def gelu_cases(_):
    for word, approximate in [('exact', False), ('approximate', True)]:
        for case in cases_of((-3, 3), 0.03, 0.025, approximate):
            case.form += f'_{word}'
            yield case
    yield failing('of_bytes_without_scale', [Input(KINDS['n8'], [3]), False], [KINDS['n8']], [3])
