"""Reductions of org.halyard.operations: over dimensions, along an axis, over windows, of segments."""
import functools
import itertools

import numpy as np

from .cases import ZERO_SIZED, Case, Const, Input, failing, ints, vectors
from .evaluate import Raw, operation
from .kinds import B8, EXTENSION, F32, I32, KINDS, Kind, each, q8, q8s, q16_symm
from .reductions import AXES, reduced

REALS = 'f32 f16 f64 bf16'
INTEGERS = 'i32 i8 i16 i64 n8 n16 n32 n64'
NUMBERS = f'{REALS} {INTEGERS}'
QUANTISED = 'q8 q8s q16'
I64 = KINDS['i64']
RESCALED = {'q8': q8(0.05, 90), 'q8s': q8s(0.03, 7), 'q16': q16_symm(0.0025)}


def wrapped(kind, values):
    """Integers modulo 2^n, those of uint64 as int64."""
    low, high = kind.limits
    def wrap(value):
        value = (int(value) - low) % (high - low + 1) + low
        return value - 2**64 if value >= 2**63 else value
    return Raw(np.vectorize(wrap, otypes=[np.int64])(values))


def exact(call, index=0):
    """Integers of any size."""
    return call.raw(index).astype(object)


def is_integer(call):
    return not call.kind(0).is_float and not call.kind(0).is_quantised


def exactly(call, function):
    """A reduction of integers of any size."""
    return reduced(call, exact(call), lambda x, **how: np.asarray(function(x, **how), object))


def folded(call, function):
    if is_integer(call):
        return wrapped(call.kind(0), exactly(call, function))
    return reduced(call, call.real(0), function)


@operation(EXTENSION + 'REDUCE_SUM', 3)
def reduce_sum(call):
    return folded(call, np.sum)


@operation(EXTENSION + 'REDUCE_PROD', 3)
def reduce_prod(call):
    return folded(call, np.prod)


@operation(EXTENSION + 'REDUCE_MEAN', 3)
def reduce_mean(call):
    """Of integers the quotient, truncated."""
    if not is_integer(call):
        return reduced(call, call.real(0), np.mean)
    sums = exactly(call, np.sum)
    count = call.raw(0).size // sums.size
    return Raw(np.vectorize(lambda s: abs(s) // count * (1 if s > 0 else -1), [np.int64])(sums))


@operation(EXTENSION + 'REDUCE_MAX', 3)
def reduce_max(call):
    return Raw(reduced(call, call.raw(0), np.max))


@operation(EXTENSION + 'REDUCE_MIN', 3)
def reduce_min(call):
    return Raw(reduced(call, call.raw(0), np.min))


@operation(EXTENSION + 'REDUCE_ALL', 3)
def reduce_all(call):
    return Raw(reduced(call, call.raw(0), np.all).astype(np.int64))


@operation(EXTENSION + 'REDUCE_ANY', 3)
def reduce_any(call):
    return Raw(reduced(call, call.raw(0), np.any).astype(np.int64))


@operation(EXTENSION + 'CUMSUM', 3)
def cumsum(call):
    axis, exclusive, reverse = (call.number(i) for i in (1, 2, 3))
    x = exact(call) if is_integer(call) else call.real(0)
    x = np.flip(x, axis) if reverse else x
    sums = np.cumsum(x, axis)
    sums = sums - x if exclusive else sums
    sums = np.flip(sums, axis) if reverse else sums
    return wrapped(call.kind(0), sums) if is_integer(call) else sums


FUNCTIONS = [lambda a, b: a + b, lambda a, b: a * b, min, max, lambda a, b: a & b, lambda a, b: a | b]


@operation(EXTENSION + 'REDUCE_WINDOW', 3)
def reduce_window(call):
    x = call.real(0) if call.kind(0).is_float else exact(call)
    start = (call.real(1) if call.kind(0).is_float else exact(call, 1)).item()
    sizes, strides, dilations = (call.ints(i) for i in (2, 3, 4))
    places = [(n - (size - 1) * dilation - 1) // stride + 1
              for n, size, stride, dilation in zip(x.shape, sizes, strides, dilations)]
    out = np.empty(places, x.dtype)
    for place in itertools.product(*map(range, places)):
        window = tuple(slice(p * stride, p * stride + (size - 1) * dilation + 1, dilation)
                       for p, size, stride, dilation in zip(place, sizes, strides, dilations))
        out[place] = functools.reduce(FUNCTIONS[call.number(5)], x[window].ravel().tolist(), start)
    if call.kind(0) == B8:
        return Raw(out.astype(np.int64))
    return out if call.kind(0).is_float else wrapped(call.kind(0), out)


def neutral(kind, function):
    if function in (np.add, np.multiply):
        return 0 if function is np.add else 1
    low, high = kind.limits if not kind.is_float else (-LARGEST[kind.type], LARGEST[kind.type])
    return low if function is np.maximum else high


LARGEST = {'TENSOR_FLOAT32': float(np.finfo(np.float32).max), 'TENSOR_FLOAT16': 65504.0,
           EXTENSION + 'TENSOR_FLOAT64': float(np.finfo(np.float64).max),
           EXTENSION + 'TENSOR_BFLOAT16': float.fromhex('0x1.fep127')}


def segments(call, function, count):
    """Over rows with one number; rows with a negative one count nowhere."""
    ids, kind = call.raw(1), call.kind(0)
    x = call.real(0) if kind.is_float else exact(call)
    rows = x.reshape([ids.size, *x.shape[ids.ndim:]])
    out = np.full([count, *rows.shape[1:]], neutral(kind, function), x.dtype)
    for number, row in zip(ids.ravel(), rows):
        if number >= 0:
            out[number] = function(out[number], row)
    return out if kind.is_float else wrapped(kind, out)


@operation(EXTENSION + 'SEGMENT_SUM', 3)
def segment_sum(call):
    return segments(call, np.add, call.ints(1)[-1] + 1)


@operation(EXTENSION + 'UNSORTED_SEGMENT_SUM', 3)
def unsorted_segment_sum(call):
    return segments(call, np.add, call.number(2))


@operation(EXTENSION + 'UNSORTED_SEGMENT_PROD', 3)
def unsorted_segment_prod(call):
    return segments(call, np.multiply, call.number(2))


@operation(EXTENSION + 'UNSORTED_SEGMENT_MAX', 3)
def unsorted_segment_max(call):
    return segments(call, np.maximum, call.number(2))


@operation(EXTENSION + 'UNSORTED_SEGMENT_MIN', 3)
def unsorted_segment_min(call):
    return segments(call, np.minimum, call.number(2))


# ---- Cases ---------------------------------------------------------------------------------------


def tensor(kind, dims):
    """Of integers large ones, so that sums wrap around where the type lets them."""
    if kind.is_float or kind.is_quantised:
        return Input(kind, dims)
    high = min(kind.limits[1], 2**62)
    return Input(kind, dims, [high if i % 3 else i % 7 for i in range(int(np.prod(dims)))])


@vectors(*(EXTENSION + 'REDUCE_' + name for name in ('SUM', 'MEAN', 'PROD', 'MAX', 'MIN')))
def reduction_cases(op):
    keeps = op.endswith(('MAX', 'MIN'))
    for word, kind in each(f'{NUMBERS} {QUANTISED}'):
        if word == 'i32':
            kind = Kind(kind.type, 0.5)  # which says nothing
        x = Input(kind, [2, 3, 4], span=(-9, 9)) if op.endswith('MEAN') else tensor(kind, [2, 3, 4])
        out = kind if keeps else RESCALED.get(word, kind)
        for name, axes, keep in AXES:
            yield Case(f'{word}_{name}', [x, ints(axes), bool(keep)], [out])
        yield Case(f'{word}_rank_6', [tensor(kind, [2, 3, 2, 2, 2, 3]), ints([0, 2, -2]), False],
                   [out])
        yield Case(f'{word}_rank_5', [tensor(kind, [2, 1, 2, 3, 2]), ints([3]), True], [out])
    yield failing('axis_too_large', [Input(F32, [2, 3]), ints([2]), False], [F32], [2])
    yield failing('axis_too_small', [Input(F32, [2, 3]), ints([-3]), False], [F32], [3])


@vectors(EXTENSION + 'REDUCE_MEAN')
def mean_of_images_cases(_):
    for word in ('q8', 'q8s'):
        yield Case(f'{word}_images', [Input(KINDS[word], [2, 3, 4, 2]), ints([1, 2]), True],
                   [RESCALED[word]])


@vectors(EXTENSION + 'REDUCE_ALL', EXTENSION + 'REDUCE_ANY')
def reduce_bool_cases(_):
    for name, axes, keep in AXES:
        yield Case(f'bool_{name}', [Input(B8, [2, 3, 4]), ints(axes), bool(keep)], [B8])
    yield Case('bool_rank_6', [Input(B8, [2, 1, 2, 2, 2, 2]), ints([0, 2, 4]), False], [B8])
    yield failing('of_numbers', [Input(F32, [2, 3]), ints([1]), False], [F32], [2])


@vectors(EXTENSION + 'CUMSUM')
def cumsum_cases(_):
    for word, kind in each(NUMBERS):
        for axis, exclusive, reverse in [(1, True, True), (0, False, False), (-1, True, False),
                                         (-2, False, True)]:
            name = f'axis_{axis % 3}' + '_exclusive' * exclusive + '_reverse' * reverse
            yield Case(f'{word}_{name}', [tensor(kind, [2, 3, 4]), axis, exclusive, reverse], [kind])
        yield Case(f'{word}_rank_6', [tensor(kind, [2, 1, 2, 3, 1, 2]), 3, False, False], [kind])
    yield Case('f32_zero_sized', [Input(F32, [2, 3]), 1, False, False], [F32], via=ZERO_SIZED)
    yield failing('axis_too_large', [Input(F32, [2, 3]), 2, False, False], [F32], [2, 3])


@vectors(EXTENSION + 'REDUCE_WINDOW')
def window_cases(_):
    for word, kind in each(f'{NUMBERS} bool'):
        functions = (4, 5) if kind is B8 else (0, 1, 2, 3)
        one = Input(kind, [1], [1])
        for function in functions:
            yield Case(f'{word}_function_{function}',
                       [tensor(kind, [4, 5]) if kind is not B8 else Input(kind, [4, 5]), one,
                        ints([2, 3]), ints([2, 1]), ints([1, 1]), function], [kind])
    x, zero = Input(F32, [2, 3, 1, 7, 2]), Const(F32, [1], [0])
    yield Case('f32_rank_5', [x, zero, ints([1, 2, 1, 3, 2]), ints([1, 1, 1, 1, 1]),
                              ints([1, 1, 1, 2, 1]), 0], [F32])
    x = Input(F32, [5])
    one = [1]
    yield failing('window_of_0', [x, zero, ints([0]), ints(one), ints(one), 0], [F32], [5])
    yield failing('stride_of_0', [x, zero, ints([2]), ints([0]), ints(one), 0], [F32], [4])
    yield failing('dilation_of_0', [x, zero, ints([2]), ints(one), ints([0]), 0], [F32], [4])
    yield failing('too_few_sizes', [Input(F32, [5, 5]), zero, ints([2]), ints(one), ints(one), 0],
                  [F32], [4, 4])
    yield failing('all_of_floats', [x, zero, ints([2]), ints(one), ints(one), 4], [F32], [4])
    yield failing('two_starts', [x, Input(F32, [2]), ints([2]), ints(one), ints(one), 0], [F32],
                  [4])


@vectors(EXTENSION + 'SEGMENT_SUM')
def segment_sum_cases(_):
    for word, kind in each(NUMBERS):
        yield Case(f'{word}_rank_3', [tensor(kind, [5, 2, 3]), Input(I32, [5], [0, 0, 1, 3, 3])],
                   [kind])
        yield Case(f'{word}_rank_1', [tensor(kind, [4]), ints([0, 1, 1, 2])], [kind])
    yield failing('descending', [Input(F32, [3]), ints([0, 1, 0])], [F32], [2])
    yield failing('negative', [Input(F32, [3]), ints([-1, 0, 0])], [F32], [1])
    yield failing('more_segments_than_rows', [Input(F32, [2]), ints([0, 2])], [F32], [3])
    yield failing('too_few_numbers', [Input(F32, [3]), ints([0, 1])], [F32], [2])


@vectors(*(EXTENSION + 'UNSORTED_SEGMENT_' + name for name in ('SUM', 'PROD', 'MAX', 'MIN')))
def unsorted_segment_cases(_):
    for word, kind in each(NUMBERS):
        yield Case(f'{word}_rank_3',
                   [tensor(kind, [5, 2, 3]), Input(I32, [5], [3, 0, -1, 3, 1]), 4], [kind])
        yield Case(f'{word}_two_dimensions',
                   [tensor(kind, [2, 3, 2]), ints([[0, 1, 0], [2, -1, 1]]), 5], [kind])
    yield failing('beyond_the_last', [Input(F32, [3]), ints([0, 1, 2]), 2], [F32], [2])
    yield failing('other_rows', [Input(F32, [3]), ints([0, 1]), 2], [F32], [2])
    yield failing('negative_count', [Input(F32, [3]), ints([0, 1, 1]), -1], [F32], [1])
