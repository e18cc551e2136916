"""Operations on single elements, of one or two tensors."""
import numpy as np

from .cases import (INTERNAL, NONE, RELU, RELU1, RELU6, ZERO_SIZED, Case, Const, Input, failing,
                    vectors)
from .evaluate import Raw, operation
from .kinds import B8, F16, F32, I32, each, q8, q8s

ACTIVATION_LIMITS = [(-np.inf, np.inf), (0, np.inf), (-1, 1), (0, 6)]


def activate(values, activation):
    return np.clip(values, *ACTIVATION_LIMITS[activation])


def wrapped(values):
    """Integer results as two's complement of 32 bits."""
    return (values + 2**31) % 2**32 - 2**31


def arithmetic(call, function):
    """Of integers exactly; the activation of other types comes last."""
    if call.kind(0).type == 'TENSOR_INT32':
        return Raw(wrapped(function(call.raw(0), call.raw(1))))
    return activate(function(call.real(0), call.real(1)), call.number(2))


@operation('ADD', 1)
def add(call):
    return arithmetic(call, np.add)


@operation('SUB', 2)
def sub(call):
    return arithmetic(call, np.subtract)


@operation('MUL', 1)
def mul(call):
    return arithmetic(call, np.multiply)


@operation('DIV', 2)
def div(call):
    """Integers round down; what they give for a divisor of zero is not said."""
    if call.kind(0).type == 'TENSOR_INT32':
        a, b = np.broadcast_arrays(call.raw(0), call.raw(1))
        return Raw(np.where(b == 0, 0, a // np.where(b == 0, 1, b)))
    return activate(call.real(0) / call.real(1), call.number(2))


@operation('POW', 3)
def power(call):
    return np.power(call.real(0), call.real(1))


@operation('MAXIMUM', 3)
def maximum(call):
    return np.maximum(call.real(0), call.real(1))


@operation('MINIMUM', 3)
def minimum(call):
    return np.minimum(call.real(0), call.real(1))


@operation('SELECT', 3)
def select(call):
    return np.where(call.raw(0) != 0, call.real(1), call.real(2))


@operation('ABS', 3)
def absolute(call):
    return np.abs(call.real(0))


@operation('NEG', 3)
def negative(call):
    return -call.real(0)


@operation('FLOOR', 1)
def floor(call):
    return np.floor(call.real(0))


@operation('EXP', 3)
def exp(call):
    return np.exp(call.real(0))


@operation('LOG', 3)
def log(call):
    return np.log(call.real(0))


@operation('SIN', 3)
def sin(call):
    return np.sin(call.real(0))


@operation('SQRT', 3)
def sqrt(call):
    return np.sqrt(call.real(0))


@operation('RSQRT', 3)
def rsqrt(call):
    with np.errstate(divide='ignore'):
        return 1 / np.sqrt(call.real(0))


# ---- Cases ---------------------------------------------------------------------------------------


@vectors('ADD', 'SUB', 'MUL', 'DIV')
def arithmetic_float_cases(op):
    above_zero = (0.5, 3)  # for divisors
    for word, kind in each('f32 f16'):
        def second(dims, kind=kind):
            return Input(kind, dims, span=above_zero)
        for name, activation in [('none', NONE), ('relu', RELU), ('relu1', RELU1),
                                 ('relu6', RELU6)]:
            yield Case(f'{word}_{name}', [Input(kind, [2, 7], span=(-8, 8)), second([2, 7]),
                                          activation], [kind])
        yield Case(f'{word}_broadcast_both', [Input(kind, [2, 1, 3, 2]), second([5, 1, 2]), NONE],
                   [kind])
        yield Case(f'{word}_of_one_element', [Input(kind, [1]), second([3, 4]), NONE], [kind])
        yield Case(f'{word}_with_constant', [Input(kind, [3, 5]),
                                             Const(kind, [5], span=above_zero), NONE], [kind])
        yield Case(f'{word}_zero_sized', [Input(kind, [1, 2, 3]), second([2, 1]), NONE], [kind],
                   via=ZERO_SIZED)
    yield Case('f32_relaxed_internal', [Input(F32, [3, 4]), Input(F32, [4], span=above_zero), NONE],
               [F32], relaxed=True, via=INTERNAL)
    yield failing('f32_sizes_that_differ', [Input(F32, [2, 3]), Input(F32, [4]), NONE], [F32],
                  [2, 3])
    yield failing('f32_unknown_activation', [Input(F32, [2]), Input(F32, [2]), 4], [F32], [2])
    yield failing('mixed_types', [Input(F32, [2]), Input(F16, [2]), NONE], [F32], [2])


@vectors('ADD', 'SUB', 'MUL', 'DIV')
def arithmetic_integer_cases(op):
    yield Case('i32', [Input(I32, [2, 9], span=(-90, 90)), Input(I32, [2, 9], span=(-9, -1)), NONE],
               [I32], level=4)
    yield Case('i32_broadcast', [Input(I32, [3, 1], span=(-900, 900)),
                                 Input(I32, [1, 4], span=(1, 9)), NONE], [I32], level=4)


@vectors('ADD', 'SUB')
def sum_quantised_cases(op):
    level = 3 if op == 'SUB' else 1
    for word, make, low in [('q8', q8, 0), ('q8s', q8s, -128)]:
        a, b = make(0.02, low + 120), make(0.031, low + 101)
        for name, activation in [('none', NONE), ('relu', RELU), ('relu1', RELU1),
                                 ('relu6', RELU6)]:
            yield Case(f'{word}_{name}', [Input(a, [3, 11]), Input(b, [3, 11], span=(-3, 3)),
                                          activation], [make(0.043, low + 97)], level=level)
        yield Case(f'{word}_broadcast', [Input(a, [2, 3, 1]), Input(b, [1, 4]), NONE],
                   [make(0.037, low + 130)], level=level)
        yield Case(f'{word}_saturated', [Input(a, [2, 12]), Input(b, [2, 12]), NONE],
                   [make(0.011, low + 128)], level=level)
        yield Case(f'{word}_zero_sized', [Input(a, [1, 3]), Input(b, [1, 3]), NONE],
                   [make(0.04, low + 128)], via=ZERO_SIZED)


@vectors('MUL')
def mul_quantised_cases(op):
    for word, make, low in [('q8', q8, 0), ('q8s', q8s, -128)]:
        a, b = make(0.02, low + 120), make(0.031, low + 101)
        for name, activation in [('none', NONE), ('relu', RELU), ('relu1', RELU1),
                                 ('relu6', RELU6)]:
            yield Case(f'{word}_{name}', [Input(a, [3, 11]), Input(b, [3, 11], span=(-3, 3)),
                                          activation], [make(0.047, low + 127)])
        yield Case(f'{word}_broadcast', [Input(a, [2, 3, 1]), Input(b, [1, 4]), NONE],
                   [make(0.03, low + 126)])
        yield Case(f'{word}_zero_sized', [Input(a, [1, 3]), Input(b, [1, 3]), NONE],
                   [make(0.04, low + 128)], via=ZERO_SIZED)
        yield Case(f'{word}_finer_than_product', [Input(a, [2, 9]), Input(b, [2, 9]), NONE],
                   [make(0.0005, low + 128)])


@vectors('DIV')
def div_cases(op):
    yield Case('i32_rounds_down', [Input(I32, [8], [7, -7, 7, -7, 6, -6, 1, -1]),
                                   Input(I32, [8], [2, 2, -2, -2, 3, 3, 5, 5]), NONE], [I32],
               level=4)


@vectors('POW')
def pow_cases(op):
    for word, kind in each('f32 f16'):
        base = Input(kind, [2, 1, 5], span=(0.25, 3))
        yield Case(f'{word}_broadcast', [base, Input(kind, [3, 1])], [kind])
        yield Case(f'{word}_same_shape', [base, Input(kind, [2, 1, 5])], [kind])
        yield Case(f'{word}_scalar_exponent', [Input(kind, [3, 4]), Const(kind, [1], [2])], [kind])
    yield failing('sizes_that_differ', [Input(F32, [3]), Input(F32, [2])], [F32], [3])


@vectors('MAXIMUM', 'MINIMUM')
def extreme_cases(op):
    for word, kind in each('f32 f16 i32 q8 q8s'):
        span = (-90, 90) if word == 'i32' else (-2, 2)
        yield Case(f'{word}', [Input(kind, [3, 5], span=span), Input(kind, [3, 5], span=span)],
                   [kind])
        yield Case(f'{word}_broadcast', [Input(kind, [2, 1, 3, 1, 1], span=span),
                                         Input(kind, [4, 1, 2, 1], span=span)], [kind])
    for word, make, low in [('q8', q8, 0), ('q8s', q8s, -128)]:
        yield Case(f'{word}_scales_differ',
                   [Input(make(0.02, low + 120), [2, 9]), Input(make(0.033, low + 77), [9])],
                   [make(0.013, low + 131)])
    yield failing('sizes_that_differ', [Input(F32, [3]), Input(F32, [2])], [F32], [3])


@vectors('SELECT')
def select_cases(op):
    for word, kind in each('f32 f16 i32 q8 q8s'):
        span = (-90, 90) if word == 'i32' else (-2, 2)
        for rank, dims in [(1, [7]), (3, [2, 3, 2]), (5, [1, 2, 1, 3, 2])]:
            yield Case(f'{word}_rank_{rank}', [Input(B8, dims), Input(kind, dims, span=span),
                                               Input(kind, dims, span=span)], [kind])
    for word, make, low in [('q8', q8, 0), ('q8s', q8s, -128)]:
        yield Case(f'{word}_scales_differ',
                   [Input(B8, [2, 9]), Input(make(0.02, low + 120), [2, 9]),
                    Input(make(0.033, low + 77), [2, 9])], [make(0.017, low + 131)])
    yield failing('does_not_broadcast', [Input(B8, [2]), Input(F32, [3, 2]), Input(F32, [3, 2])],
                  [F32], [3, 2])


@vectors('ABS', 'NEG')
def sign_cases(op):
    for word, kind in each('f32 f16 i32'):
        span = (-90, 90) if word == 'i32' else (-2, 2)
        level = 4 if (op, word) == ('ABS', 'i32') else 3
        yield Case(word, [Input(kind, [2, 11], span=span)], [kind], level=level)
        yield Case(f'{word}_rank_5', [Input(kind, [1, 2, 1, 3, 2], span=span)], [kind],
                   level=level)
    yield failing('of_bool', [Input(B8, [2])], [B8], [2])


@vectors('FLOOR', 'EXP', 'LOG', 'SIN', 'SQRT', 'RSQRT')
def function_cases(op):
    span = (0.125, 5) if op in ('LOG', 'SQRT', 'RSQRT') else (-3, 3)
    for word, kind in each('f32 f16'):
        yield Case(word, [Input(kind, [3, 7], span=span)], [kind])
        yield Case(f'{word}_rank_4', [Input(kind, [2, 1, 3, 2], span=span)], [kind])
    yield Case('f32_relaxed_internal', [Input(F32, [11], span=span)], [F32], relaxed=True,
               via=INTERNAL)
    if op != 'FLOOR':
        yield Case('f32_rank_5', [Input(F32, [2, 1, 2, 1, 3], span=span)], [F32])
    yield failing('of_integers', [Input(I32, [3], span=(1, 9))], [I32], [3])


@vectors('RSQRT')
def rsqrt_quantised_cases(op):
    for word, make, low in [('q8', q8, 0), ('q8s', q8s, -128)]:
        yield Case(word, [Input(make(0.02, low + 3), [3, 9], span=(0.125, 5))],
                   [make(0.013, low + 2)], level=7)
        yield Case(f'{word}_of_zero_is_the_largest',
                   [Input(make(0.02, low + 3), [3], [0, 0.5, 4])], [make(0.013, low + 2)], level=7)
