"""Operations of org.halyard.operations on two tensors that broadcast, and SELECT."""
import numpy as np

from .cases import NONE, RELU, RELU1, RELU6, ZERO_SIZED, Case, Const, Input, failing, vectors
from .elementwise import activate
from .evaluate import Raw, operation
from .kinds import B8, EXTENSION, F32, I32, Kind, each, q16_asymm, q16_symm, q8, q8s

REAL_WORDS = 'f32 f16 f64 bf16'
SIGNED_WORDS = 'i32 i8 i16 i64'
WHOLE_WORDS = SIGNED_WORDS + ' n8 n16 n32 n64'
QUANTISED = [('q8', q8(0.02, 121)), ('q8s', q8s(0.02, -9)), ('q16', q16_symm(0.001))]


# ---- Exact integers ------------------------------------------------------------------------------


def limits(kind):
    return kind.limits


def whole(call, index):
    """The stored numbers as integers without a limit; those of uint64 are kept as int64."""
    numbers = call.raw(index).astype(object)
    return numbers % 2**64 if call.kind(index).type.endswith('UINT64') else numbers


def wrapped(kind, numbers):
    """Modulo 2^n, as they are kept."""
    low, high = (-2**63, 2**63 - 1) if kind.type.endswith('UINT64') else limits(kind)
    return Raw((np.asarray(numbers, object) - low) % (high - low + 1) + low)


def bits_of(kind):
    low, high = limits(kind)
    return (high - low).bit_length()


def each_pair(call, function):
    """Of stored integers, exactly."""
    a, b = np.broadcast_arrays(whole(call, 0), whole(call, 1))
    pairs = [function(int(x), int(y)) for x, y in zip(a.ravel(), b.ravel())]
    results = np.empty(len(pairs), object)
    results[:] = pairs
    return wrapped(call.outputs[0], results.reshape(a.shape))


def is_whole(call):
    return not (call.kind(0).is_float or call.kind(0).is_quantised)


def truncated(a, b):
    """(quotient, remainder), rounded towards zero."""
    if b == 0:
        return 0, a
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, a - quotient * b


def floored(a, b):
    return (0, a) if b == 0 else (a // b, a % b)


def whole_power(a, b):
    if b >= 0:
        return pow(a, b, 2**64)
    return {1: 1, -1: (-1)**(b % 2)}.get(a, 0)


# ---- Operations ----------------------------------------------------------------------------------


def arithmetic(name, of_whole, of_reals):
    @operation(EXTENSION + name, 3)
    def evaluate(call):
        if is_whole(call):
            return each_pair(call, of_whole)
        with np.errstate(divide='ignore', invalid='ignore'):
            return activate(of_reals(call.real(0), call.real(1)), call.number(2, NONE))
    return evaluate


def quotient(a, b):
    """0 / 0 is 0 where there is no NaN to stand for it."""
    return np.where((a == 0) & (b == 0), 0, a / b)


arithmetic('ADD', lambda a, b: a + b, np.add)
arithmetic('SUB', lambda a, b: a - b, np.subtract)
arithmetic('MUL', lambda a, b: a * b, np.multiply)
arithmetic('DIV', lambda a, b: truncated(a, b)[0], quotient)
arithmetic('SQUARED_DIFFERENCE', lambda a, b: (a - b)**2, lambda a, b: (a - b)**2)


def of_stored(name, of_whole, of_reals=None):
    """Of quantised elements the stored integers count."""
    @operation(EXTENSION + name, 3)
    def evaluate(call):
        if call.kind(0).is_float:
            with np.errstate(divide='ignore', invalid='ignore'):
                return of_reals(call.real(0), call.real(1))
        return each_pair(call, lambda a, b: of_whole(a, b, call.kind(0)))
    return evaluate


def floored_quotient(a, b):
    return np.floor(a / b)


of_stored('FLOOR_DIV', lambda a, b, _: floored(a, b)[0], floored_quotient)
of_stored('FLOOR_MOD', lambda a, b, _: floored(a, b)[1], np.mod)
of_stored('TRUNCATE_MOD', lambda a, b, _: truncated(a, b)[1], np.fmod)
of_stored('POW', lambda a, b, _: whole_power(a, b), np.power)
of_stored('ATAN2', None, np.arctan2)
of_stored('BITWISE_AND', lambda a, b, _: a & b)
of_stored('BITWISE_OR', lambda a, b, _: a | b)
of_stored('BITWISE_XOR', lambda a, b, _: a ^ b)
of_stored('LEFT_SHIFT', lambda a, b, kind: a << b if 0 <= b < bits_of(kind) else 0)
of_stored('RIGHT_SHIFT', lambda a, b, kind: a >> max(0, min(b, bits_of(kind) - 1)))
of_stored('MAXIMUM', lambda a, b, _: max(a, b), np.maximum)
of_stored('MINIMUM', lambda a, b, _: min(a, b), np.minimum)
of_stored('LOGICAL_AND', lambda a, b, _: a & b)
of_stored('LOGICAL_OR', lambda a, b, _: a | b)
of_stored('LOGICAL_XOR', lambda a, b, _: a ^ b)


@operation(EXTENSION + 'PRELU', 3)
def prelu(call):
    a = call.real(0)
    return np.where(a >= 0, a, a * call.real(1))


def comparison(name, function):
    @operation(EXTENSION + name, 3)
    def evaluate(call):
        if is_whole(call):
            return Raw(function(whole(call, 0), whole(call, 1)).astype(np.int64))
        return Raw(function(call.real(0), call.real(1)).astype(np.int64))
    return evaluate


comparison('EQUAL', np.equal)
comparison('NOT_EQUAL', np.not_equal)
comparison('LESS', np.less)
comparison('LESS_EQUAL', np.less_equal)
comparison('GREATER', np.greater)
comparison('GREATER_EQUAL', np.greater_equal)


@operation(EXTENSION + 'SELECT', 3)
def select(call):
    return Raw(np.where(call.raw(0) != 0, call.raw(1), call.raw(2)))


# ---- Cases ---------------------------------------------------------------------------------------


def named(*names):
    return vectors(*(EXTENSION + name for name in names))


def edges(kind):
    """Numbers at which integers wrap around; float64 holds each."""
    low, high = limits(kind)
    small = [0, 1, 2, 3, 7] + ([-1, -2, -7] if low < 0 else [5, 9, 11])
    top = 2**62 if high >= 2**53 else high
    return small + [top, low, top // 2 + 1]


def whole_pair(kind, second=None):
    """Every pair of edges, as a column and a row."""
    numbers, others = edges(kind), second or edges(kind)
    return [Input(kind, [len(numbers), 1], numbers), Input(kind, [len(others)], others)]


@named('ADD', 'SUB', 'MUL', 'DIV', 'SQUARED_DIFFERENCE')
def arithmetic_cases(op):
    has_activation = 'DIFFERENCE' not in op
    more = [NONE] if has_activation else []
    for word, kind in each(REAL_WORDS):
        first = Input(kind, [1, 3, 1, 2, 1, 2], span=(-8, 8))
        yield Case(word, [first, Input(kind, [2, 1, 2, 1, 3, 1], span=(0.5, 3)), *more], [kind])
        if has_activation:
            for name, activation in [('relu', RELU), ('relu1', RELU1), ('relu6', RELU6)]:
                yield Case(f'{word}_{name}', [Input(kind, [3, 7], span=(-8, 8)),
                                              Input(kind, [7], span=(0.5, 3)), activation], [kind])
        yield Case(f'{word}_zero_sized',
                   [Input(kind, [1, 2, 3]), Input(kind, [2, 1], span=(0.5, 3)), *more], [kind],
                   via=ZERO_SIZED)
    for word, kind in each(WHOLE_WORDS):
        yield Case(word, whole_pair(kind) + more, [kind])
    yield failing('sizes_that_differ', [Input(F32, [2, 3]), Input(F32, [4]), *more], [F32], [2, 3])
    yield failing('mixed_types', [Input(F32, [2]), Input(I32, [2]), *more], [F32], [2])
    if has_activation:
        yield failing('unknown_activation', [Input(F32, [2]), Input(F32, [2]), 4], [F32], [2])
        yield failing('whole_with_activation', [Input(I32, [2]), Input(I32, [2]), RELU], [I32], [2])


@named('ADD', 'SUB')
def sum_quantised_cases(op):
    for word, a, b, out in [('q8', q8(0.02, 120), q8(0.031, 101), q8(0.043, 97)),
                            ('q8s', q8s(0.02, -9), q8s(0.031, 4), q8s(0.043, -20)),
                            ('q16', q16_symm(0.0007), q16_symm(0.0011), q16_symm(0.0013))]:
        span = (-20, 20) if word == 'q16' else (-2, 2)
        yield Case(word, [Input(a, [3, 11], span=span), Input(b, [11], span=span), RELU6], [out])


@named('MUL')
def product_quantised_cases(op):
    for word, a, b, out in [('q8', q8(0.02, 120), q8(0.031, 101), q8(0.047, 127)),
                            ('q8s', q8s(0.02, -9), q8s(0.031, 4), q8s(0.047, -20)),
                            ('q16', q16_symm(0.0007), q16_symm(0.0011), q16_symm(0.009))]:
        span = (-20, 20) if word == 'q16' else (-2, 2)
        yield Case(word, [Input(a, [3, 11], span=span), Input(b, [11], span=span), NONE], [out])


@named('SQUARED_DIFFERENCE')
def difference_quantised_cases(op):
    for word, a, b, out in [('q8', q8(0.02, 120), q8(0.031, 101), q8(0.05, 3)),
                            ('q8s', q8s(0.02, -9), q8s(0.031, 4), q8s(0.05, -120)),
                            ('q16', q16_symm(0.0007), q16_symm(0.0011), q16_symm(0.02))]:
        span = (-20, 20) if word == 'q16' else (-2, 2)
        yield Case(word, [Input(a, [3, 11], span=span), Input(b, [11], span=span)], [out])


@named('DIV')
def quotient_quantised_cases(op):
    for word, kind in QUANTISED:
        yield Case(word, [Input(kind, [3, 6], [0.5, -0.5, 1, -1, 0, 0.25] * 3),
                          Input(kind, [3, 1], [0.5, -0.25, 0]), NONE], [kind])


@named('FLOOR_DIV', 'FLOOR_MOD', 'TRUNCATE_MOD')
def remainder_cases(op):
    for word, kind in each(REAL_WORDS):
        yield Case(word, [Input(kind, [2, 3, 1, 1, 2], span=(-9, 9)),
                          Input(kind, [5, 1, 1], [-2, -0.75, 0.5, 1.25, 3])], [kind])
        yield Case(f'{word}_zero_sized', [Input(kind, [1, 2, 3]),
                                          Input(kind, [2, 1], span=(0.5, 3))], [kind],
                   via=ZERO_SIZED)
    for word, kind in each(WHOLE_WORDS):
        yield Case(word, whole_pair(kind), [kind])
    if 'TRUNCATE' not in op:
        for word, kind in QUANTISED:
            low, high = limits(kind)
            numbers = [low, high, 7, 6, 1, 0] + ([-7, -1] if low < 0 else [9, 2])
            yield Case(f'{word}_stored', [Input(kind, [8, 1], numbers, stored=True),
                                          Input(kind, [8], numbers, stored=True)], [kind])
    yield failing('sizes_that_differ', [Input(I32, [3]), Input(I32, [2])], [I32], [3])


@named('POW')
def power_cases(op):
    for word, kind in each(REAL_WORDS):
        yield Case(word, [Input(kind, [2, 1, 1, 1, 5], span=(0.25, 3)), Input(kind, [3, 1])],
                   [kind])
    for word, kind in each('i32 i64'):
        yield Case(word, [Input(kind, [7, 1], [0, 1, -1, 2, -3, 10, 65537]),
                          Input(kind, [8], [0, 1, 2, 3, 5, 31, -1, -2])], [kind])
    yield failing('sizes_that_differ', [Input(F32, [3]), Input(F32, [2])], [F32], [3])


@named('ATAN2')
def angle_cases(op):
    for word, kind in each(REAL_WORDS):
        numbers = [-2, -0.5, 0, 0.75, 3]
        yield Case(word, [Input(kind, [5, 1, 1, 1, 1], numbers), Input(kind, [5], numbers)], [kind])
        yield Case(f'{word}_random', [Input(kind, [3, 17], span=(-9, 9)),
                                      Input(kind, [3, 17], span=(-9, 9))], [kind])
    yield failing('of_integers', [Input(I32, [3]), Input(I32, [3])], [I32], [3])


@named('PRELU')
def prelu_cases(op):
    for word, kind in each(REAL_WORDS):
        yield Case(word, [Input(kind, [2, 1, 3, 1, 4]), Input(kind, [4], span=(-1, 1))], [kind])
    for word, kind in QUANTISED:
        yield Case(word, [Input(kind, [3, 4]), Input(kind, [4], span=(-1, 1))], [kind])
    yield failing('of_integers', [Input(I32, [3]), Input(I32, [3])], [I32], [3])


@named('MAXIMUM', 'MINIMUM')
def extreme_cases(op):
    for word, kind in each(REAL_WORDS):
        yield Case(word, [Input(kind, [2, 1, 3, 1, 1]), Input(kind, [4, 1, 2, 1])], [kind])
        yield Case(f'{word}_zero_sized', [Input(kind, [1, 2, 3]), Input(kind, [2, 1])], [kind],
                   via=ZERO_SIZED)
    for word, kind in each(WHOLE_WORDS):
        yield Case(word, whole_pair(kind), [kind])
    for word, kind in QUANTISED + [('q16_asymm', q16_asymm(0.001, 30000))]:
        yield Case(word, [Input(kind, [2, 1, 5]), Input(kind, [3, 1])], [kind])
    yield failing('scales_that_differ', [Input(q16_symm(0.1), [2]), Input(q16_symm(0.2), [2])],
                  [q16_symm(0.1)], [2])


@named('BITWISE_AND', 'BITWISE_OR', 'BITWISE_XOR')
def bit_cases(op):
    for word, kind in each(WHOLE_WORDS):
        yield Case(word, whole_pair(kind), [kind])
    for word, kind in QUANTISED:
        yield Case(f'{word}_stored', [Input(kind, [4, 1], [0, 9, 100, 85], stored=True),
                                      Input(kind, [3], [7, 127, 64], stored=True)], [kind])
    yield Case('bool', [Input(B8, [4], [0, 0, 1, 1]), Input(B8, [4], [0, 1, 0, 1])], [B8])
    yield failing('of_reals', [Input(F32, [2]), Input(F32, [2])], [F32], [2])


@named('LEFT_SHIFT', 'RIGHT_SHIFT')
def shift_cases(op):
    for word, kind in each(WHOLE_WORDS):
        amounts = [0, 1, 5, 7, 8, 15, 31, 63, 64] + ([-1] if limits(kind)[0] < 0 else [])
        yield Case(word, whole_pair(kind, amounts), [kind])
    for word, kind in QUANTISED:
        yield Case(f'{word}_stored', [Input(kind, [3, 1], [1, 9, 100], stored=True),
                                      Input(kind, [4], [0, 1, 3, 17], stored=True)], [kind])
    yield failing('of_reals', [Input(F32, [2]), Input(F32, [2])], [F32], [2])


@named('EQUAL', 'NOT_EQUAL', 'LESS', 'LESS_EQUAL', 'GREATER', 'GREATER_EQUAL')
def comparison_cases(op):
    for word, kind in each(REAL_WORDS):
        yield Case(word, [Input(kind, [2, 1, 3, 1, 1]), Input(kind, [1, 4, 1, 5, 1])], [B8])
    for word, kind in each(WHOLE_WORDS):
        yield Case(word, whole_pair(kind), [B8])
    for word, kind in QUANTISED + [('q16_asymm', q16_asymm(0.001, 30000))]:
        yield Case(word, [Input(kind, [5, 1], [0, 1, -1, 2, -2]),
                          Input(kind, [5], [0, 1, -1, 2, -2])], [B8])
    yield Case('bool', [Input(B8, [4], [0, 0, 1, 1]), Input(B8, [4], [0, 1, 0, 1])], [B8])
    yield failing('sizes_that_differ', [Input(F32, [3]), Input(F32, [2])], [B8], [3])


@named('LOGICAL_AND', 'LOGICAL_OR', 'LOGICAL_XOR')
def logical_cases(op):
    yield Case('all', [Input(B8, [4], [0, 0, 1, 1]), Input(B8, [4], [0, 1, 0, 1])], [B8])
    yield Case('broadcast', [Input(B8, [2, 1, 3, 1, 2]), Input(B8, [4, 1, 5, 1])], [B8])
    yield failing('of_reals', [Input(F32, [2]), Input(F32, [2])], [F32], [2])


@named('SELECT')
def select_cases(op):
    for word, kind in each(REAL_WORDS + ' ' + WHOLE_WORDS + ' bool'):
        span = (0, 90) if word.startswith('n') else (-2, 2)

        def side(dims, kind=kind, span=span):
            return Input(kind, dims, span=span)
        yield Case(word, [Input(B8, [2, 1, 3, 1, 1]), side([4, 1, 2, 1]), side([5])], [kind])
        yield Case(f'{word}_same_shape', [Input(B8, [3, 7]), side([3, 7]), side([3, 7])], [kind])
        yield Case(f'{word}_one_condition', [Input(B8, [1], [1]), side([2, 5]), side([5])], [kind])
        yield Case(f'{word}_of_constants', [Input(B8, [2, 19]),
                                            Const(kind, [1], span=span),
                                            Const(kind, [1], span=span)], [kind])
    yield Case('f32_zero_sized', [Input(B8, [2, 1]), Input(F32, [1, 2, 3]), Input(F32, [3])], [F32],
               via=ZERO_SIZED, via_inputs=(1,))
    for word, kind in QUANTISED + [('q16_asymm', q16_asymm(0.001, 30000))]:
        yield Case(word, [Input(B8, [4, 1]), Input(kind, [1, 5]), Input(kind, [4, 5])], [kind])
    yield failing('does_not_broadcast', [Input(B8, [2]), Input(F32, [3, 3]), Input(F32, [3, 3])],
                  [F32], [3, 3])
    yield failing('scales_that_differ', [Input(B8, [2]), Input(q16_symm(0.1), [2]),
                                         Input(q16_symm(0.2), [2])], [q16_symm(0.1)], [2])
