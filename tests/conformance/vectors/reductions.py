"""Reductions, searches along an axis, comparisons and logic."""
import numpy as np

from .cases import INTERNAL, Case, Input, failing, ints, vectors
from .evaluate import Raw, operation
from .kinds import B8, F32, I32, each, q8, q8s, single
from .normalisation import axis_name


def compared(call, function):
    """Of real numbers in float32; quantised operands may differ in scale."""
    a, b = (single(call.real(i)) for i in (0, 1))
    return Raw(function(a, b).astype(np.int64))


@operation('EQUAL', 3)
def equal(call):
    return compared(call, np.equal)


@operation('NOT_EQUAL', 3)
def not_equal(call):
    return compared(call, np.not_equal)


@operation('LESS', 3)
def less(call):
    return compared(call, np.less)


@operation('LESS_EQUAL', 3)
def less_equal(call):
    return compared(call, np.less_equal)


@operation('GREATER', 3)
def greater(call):
    return compared(call, np.greater)


@operation('GREATER_EQUAL', 3)
def greater_equal(call):
    return compared(call, np.greater_equal)


@operation('LOGICAL_AND', 3)
def logical_and(call):
    return compared(call, np.logical_and)


@operation('LOGICAL_OR', 3)
def logical_or(call):
    return compared(call, np.logical_or)


@operation('LOGICAL_NOT', 3)
def logical_not(call):
    return Raw((call.raw(0) == 0).astype(np.int64))


def reduced(call, x, function):
    """Over the axes of operand 1; operand 2 says whether they stay, of size 1."""
    axes = tuple({axis % x.ndim for axis in call.ints(1)})
    keep = call.number(2) > 0
    result = function(x, axis=axes, keepdims=keep)
    return result if keep or result.ndim else result.reshape(1)


@operation('MEAN', 2)
def mean(call):
    """Quantised: the mean of the stored numbers, truncated."""
    if call.kind(0).is_quantised:
        return Raw(np.trunc(reduced(call, call.raw(0), np.mean)).astype(np.int64))
    return reduced(call, call.real(0), np.mean)


@operation('REDUCE_ALL', 3)
def reduce_all(call):
    return Raw(reduced(call, call.raw(0), np.all).astype(np.int64))


@operation('REDUCE_ANY', 3)
def reduce_any(call):
    return Raw(reduced(call, call.raw(0), np.any).astype(np.int64))


@operation('REDUCE_MAX', 3)
def reduce_max(call):
    return reduced(call, call.real(0), np.max)


@operation('REDUCE_MIN', 3)
def reduce_min(call):
    return reduced(call, call.real(0), np.min)


@operation('REDUCE_PROD', 3)
def reduce_prod(call):
    return reduced(call, call.real(0), np.prod)


@operation('REDUCE_SUM', 3)
def reduce_sum(call):
    return reduced(call, call.real(0), np.sum)


@operation('ARGMAX', 3)
def argmax(call):
    return Raw(np.atleast_1d(call.real(0).argmax(axis=call.number(1))))


@operation('ARGMIN', 3)
def argmin(call):
    return Raw(np.atleast_1d(call.real(0).argmin(axis=call.number(1))))


@operation('TOPK_V2', 3)
def topk_v2(call):
    """Of equal values the one with the larger index comes first."""
    x = call.raw(0)
    order = np.flip(np.argsort(x, axis=-1, kind='stable'), -1)[..., :call.number(1)]
    return Raw(np.take_along_axis(x, order, -1)), Raw(order)


# ---- Cases ---------------------------------------------------------------------------------------


@vectors('EQUAL', 'NOT_EQUAL', 'LESS', 'LESS_EQUAL', 'GREATER', 'GREATER_EQUAL')
def comparison_cases(op):
    for word, kind in each('f32 f16 i32 bool q8 q8s'):
        middle = kind.zero_point
        def tensor(dims, kind=kind, few=(middle - 2, middle + 2)):  # so that many are equal
            return Input(kind, dims) if kind is B8 else Input(kind, dims, span=few,
                                                              stored=not kind.is_float)
        if kind.is_float:
            a = Input(kind, [9], [-2, -1, 0, 0.5, 1, 1, 2, -0.5, 3])
            b = Input(kind, [9], [-2, 1, 0, 0.5, -1, 1.5, 2, -0.25, 2.5])
            yield Case(f'{word}_same_shape', [a, b], [B8])
        else:
            yield Case(f'{word}_same_shape', [tensor([3, 7]), tensor([3, 7])], [B8])
        yield Case(f'{word}_broadcast', [tensor([2, 1, 4]), tensor([3, 1])], [B8])
        yield Case(f'{word}_rank_5', [tensor([1, 2, 1, 2, 3]), tensor([3])], [B8])
    for word, make, low in [('q8', q8, 0), ('q8s', q8s, -128)]:
        reals = [-1.5, -1, -0.5, 0, 0.5, 1, 1.5]
        yield Case(f'{word}_scales_differ',
                   [Input(make(1 / 32, low + 120), [7], reals),
                    Input(make(1 / 64, low + 110), [3, 1], [-0.5, 0, 1])], [B8])
    yield Case('f32_relaxed_internal', [Input(F32, [5]), Input(F32, [5])], [B8], relaxed=True,
               via=INTERNAL)
    yield failing('sizes_that_differ', [Input(F32, [3]), Input(F32, [2])], [B8], [3])


@vectors('LOGICAL_AND', 'LOGICAL_OR')
def logical_cases(op):
    yield Case('same_shape', [Input(B8, [4], [0, 0, 1, 1]), Input(B8, [4], [0, 1, 0, 1])], [B8])
    yield Case('broadcast', [Input(B8, [2, 1, 4]), Input(B8, [3, 1])], [B8])
    yield Case('rank_5', [Input(B8, [1, 2, 1, 2, 3]), Input(B8, [1])], [B8])
    yield failing('sizes_that_differ', [Input(B8, [3]), Input(B8, [2])], [B8], [3])
    yield failing('of_integers', [Input(I32, [3]), Input(I32, [3])], [B8], [3])


@vectors('LOGICAL_NOT')
def logical_not_cases(op):
    yield Case('rank_1', [Input(B8, [4], [0, 1, 1, 0])], [B8])
    yield Case('rank_5', [Input(B8, [1, 2, 1, 2, 3])], [B8])
    yield failing('of_floats', [Input(F32, [3])], [F32], [3])


AXES = [('first', [0], 0), ('last_kept', [2], 1), ('two', [0, 2], 0), ('negative_kept', [-2], 1),
        ('twice', [1, -2, 1], 0), ('all', [0, 1, 2], 0), ('all_kept', [2, 1, 0], 1)]


def reduction_cases(kinds, flag, span=(-2, 2)):
    for word, kind in kinds:
        x = Input(kind, [2, 3, 4], span=span)
        for name, axes, keep in AXES:
            yield Case(f'{word}_{name}', [x, ints(axes), flag(keep)], [kind])
        yield Case(f'{word}_rank_1', [Input(kind, [5], span=span), ints([0]), flag(0)], [kind])
        yield Case(f'{word}_rank_4', [Input(kind, [2, 2, 3, 2], span=span), ints([3, 1]), flag(0)],
                   [kind])
    x, kind = Input(kinds[0][1], [2, 3], span=span), kinds[0][1]
    yield failing('axis_too_large', [x, ints([2]), flag(0)], [kind], [2])
    yield failing('axis_too_small', [x, ints([-3]), flag(0)], [kind], [3])


@vectors('MEAN')
def mean_cases(op):
    yield from reduction_cases(each('f32 f16 q8 q8s'), int)
    yield Case('f32_relaxed_internal', [Input(F32, [2, 3]), ints([1]), 0], [F32], relaxed=True,
               via=INTERNAL)
    yield failing('flag_of_bool', [Input(F32, [2, 3]), ints([1]), False], [F32], [2])


@vectors('REDUCE_ALL', 'REDUCE_ANY')
def reduce_bool_cases(op):
    yield from reduction_cases(each('bool'), bool)
    yield Case('bool_rows', [Input(B8, [3, 3], [1, 1, 1, 0, 0, 0, 0, 1, 0]), ints([1]), False],
               [B8])


@vectors('REDUCE_MAX', 'REDUCE_MIN')
def reduce_extreme_cases(op):
    yield from reduction_cases(each('f32 f16 q8 q8s'), bool)
    yield Case('f32_relaxed', [Input(F32, [2, 3]), ints([1]), False], [F32], relaxed=True)


@vectors('REDUCE_PROD', 'REDUCE_SUM')
def reduce_number_cases(op):
    span = (0.5, 1.5) if op == 'REDUCE_PROD' else (-2, 2)
    yield from reduction_cases(each('f32 f16'), bool, span)
    yield Case('f32_relaxed', [Input(F32, [2, 3]), ints([1]), False], [F32], relaxed=True)
    yield failing('of_q8', [Input(q8(0.02, 9), [2, 3]), ints([1]), False], [q8(0.02, 9)], [2])


@vectors('ARGMAX', 'ARGMIN')
def arg_cases(op):
    for word, kind in each('f32 f16 i32 q8 q8s'):
        x = Input(kind, [2, 3, 5], span=(-90, 90) if kind is I32 else (-2, 2))
        for axis in (0, 1, 2, -1, -3):
            yield Case(f'{word}_{axis_name(axis)}', [x, axis], [I32])
        yield Case(f'{word}_rank_1', [Input(kind, [4], [0, 1, -1, 0]), 0], [I32])
        yield Case(f'{word}_first_of_equals', [Input(kind, [2, 4], [1, 0, 1, 0, -1, 1, 1, -1]), 1],
                   [I32])
    yield failing('axis_too_large', [Input(F32, [2, 3]), 2], [I32], [2])
    yield failing('axis_too_small', [Input(F32, [2, 3]), -3], [I32], [3])
    yield failing('output_of_floats', [Input(F32, [2, 3]), 1], [F32], [2])


@vectors('TOPK_V2')
def topk_cases(op):
    for word, kind in each('f32 f16 i32 q8 q8s'):
        def tensor(dims, kind=kind):
            numbers = [(7 * i) % 41 - 20 for i in range(int(np.prod(dims)))]  # all different
            return Input(kind, dims, numbers if kind is I32 else np.array(numbers) / 16)
        yield Case(f'{word}_rank_2', [tensor([3, 5]), 2], [kind, I32])
        yield Case(f'{word}_rank_3', [tensor([2, 2, 4]), 3], [kind, I32])
        yield Case(f'{word}_one', [tensor([6]), 1], [kind, I32])
        yield Case(f'{word}_all', [tensor([2, 4]), 4], [kind, I32])
        yield Case(f'{word}_larger_index_first', [Input(kind, [5], [0, 1, 0, 1, -1]), 5],
                   [kind, I32])
    yield failing('more_than_there_are', [Input(F32, [2, 3]), 4], [F32, I32], [2, 4])
    yield failing('none', [Input(F32, [2, 3]), 0], [F32, I32], [2, 0])
    yield failing('negative', [Input(F32, [2, 3]), -1], [F32, I32], [2, 1])
