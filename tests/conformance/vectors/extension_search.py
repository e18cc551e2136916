"""Search, order, suppression and chance of org.halyard.operations."""
import math

import numpy as np

from .cases import ZERO_SIZED, Case, Input, failing, ints, real, vectors
from .chance import philox, uniform
from .evaluate import Raw, operation
from .extension_reductions import I64, NUMBERS, QUANTISED
from .kinds import B8, EXTENSION, F16, F32, I32, KINDS, each, q16_asymm

SEARCHED = f'{NUMBERS} {QUANTISED} bool'
EVERY_TYPE = [*each(SEARCHED), ('q16_asymmetric', q16_asymm(0.001, 30000))]


def extreme_index(call, function):
    """The first one, or the last one."""
    x, axis, last = call.raw(0), call.number(1), call.number(2)
    if not last:
        return Raw(np.atleast_1d(function(x, axis=axis)))
    return Raw(np.atleast_1d(x.shape[axis] - 1 - function(np.flip(x, axis), axis=axis)))


@operation(EXTENSION + 'ARG_MAX', 3)
def arg_max(call):
    return extreme_index(call, np.argmax)


@operation(EXTENSION + 'ARG_MIN', 3)
def arg_min(call):
    return extreme_index(call, np.argmin)


@operation(EXTENSION + 'TOP_K', 3)
def top_k(call):
    """Of equal values the one with the smaller index comes first."""
    x = call.raw(0)
    order = np.argsort(x if call.number(2) else -x, axis=-1, kind='stable')
    order = order[..., :call.ints(1)[0]]
    return Raw(np.take_along_axis(x, order, -1)), Raw(order)


@operation(EXTENSION + 'UNIQUE', 3)
def unique(call):
    values, indices = [], []
    for value in call.raw(0).tolist():
        if value not in values:
            values.append(value)
        indices.append(values.index(value))
    return Raw(np.array(values)), Raw(np.array(indices))


@operation(EXTENSION + 'WHERE', 3)
def where(call):
    return Raw(np.argwhere(call.real(0) != 0))


@operation(EXTENSION + 'BUCKETIZE', 3)
def bucketize(call):
    return Raw(np.searchsorted(call.real(1), call.real(0), side='right'))


def overlap(a, b):
    """Intersection over union of [y, x, y, x]."""
    a, b = ((min(c[0], c[2]), min(c[1], c[3]), max(c[0], c[2]), max(c[1], c[3])) for c in (a, b))
    areas = [(c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)]
    common = (max(min(a[2], b[2]) - max(a[0], b[0]), 0) *
              max(min(a[3], b[3]) - max(a[1], b[1]), 0))
    return common / (sum(areas) - common) if min(areas) > 0 else 0


def suppress(call, sigma):
    """All scores that are left are lowered by each selection, as its definition says."""
    boxes, scores = call.real(0), list(call.real(1))
    most, iou_threshold, score_threshold = call.number(2), call.number(3), call.number(4)
    left = {i for i, score in enumerate(scores) if score > score_threshold}
    selected, selected_scores = [], []
    while left and len(selected) < most:
        best = min(left, key=lambda i: (-scores[i], i))
        selected.append(best)
        selected_scores.append(scores[best])
        left.remove(best)
        for i in sorted(left):
            iou = overlap(boxes[i], boxes[best])
            scores[i] *= math.exp(-0.5 / sigma * iou * iou) if sigma else 1
            if iou >= iou_threshold or scores[i] <= score_threshold:
                left.remove(i)
    room = [0] * (most - len(selected))
    return (Raw(np.array(selected + room)), np.array(selected_scores + room),
            Raw(np.array([len(selected)])))


@operation(EXTENSION + 'NON_MAX_SUPPRESSION', 3)
def non_max_suppression(call):
    selected, _, count = suppress(call, 0)
    return selected, count


@operation(EXTENSION + 'SOFT_NON_MAX_SUPPRESSION', 3)
def soft_non_max_suppression(call):
    return suppress(call, call.number(5))


@operation(EXTENSION + 'MULTINOMIAL', 3)
def multinomial(call):
    numbers = uniform(call.ints(2))
    chosen = []
    for row in call.real(0):
        sums = np.cumsum(np.exp(row - row.max()))
        targets = [next(numbers) * sums[-1] for _ in range(call.number(1))]
        chosen.append(np.searchsorted(sums, targets, side='right'))
    return Raw(np.stack(chosen))


def uniform_floats(call):
    """As many as the output has, in steps of 2^-23, and an even number."""
    seeds, shape = call.ints(1), call.ints(0)
    key, high = ([seed & 2**32 - 1, seed >> 32 & 2**32 - 1] for seed in seeds)
    words = [word for i in range(math.prod(shape) // 4 + 1) for word in philox(key, [i, 0, *high])]
    return np.array([(word & 0x7FFFFF) / 2**23 for word in words])


@operation(EXTENSION + 'RANDOM_UNIFORM', 3)
def random_uniform(call):
    shape = call.ints(0)
    return uniform_floats(call)[:math.prod(shape)].reshape(shape)


@operation(EXTENSION + 'RANDOM_NORMAL', 3)
def random_normal(call):
    """By Box and Muller."""
    shape = call.ints(0)
    pairs = uniform_floats(call).reshape(-1, 2)
    radius = np.sqrt(-2 * np.log(np.maximum(pairs[:, 0], 1e-7)))
    angle = 2 * np.pi * pairs[:, 1]
    normal = np.stack([np.sin(angle) * radius, np.cos(angle) * radius], -1).ravel()
    return normal[:math.prod(shape)].reshape(shape)


# ---- Cases ---------------------------------------------------------------------------------------


@vectors(EXTENSION + 'ARG_MAX', EXTENSION + 'ARG_MIN')
def arg_cases(_):
    for word, kind in each(SEARCHED):
        x = Input(kind, [2, 3, 2, 1, 5], span=(-2, 2) if kind.is_float or kind.scale else (-9, 9))
        for name, out in (('i32', I32), ('i64', I64)):
            for axis in (1, 0, 2, -1, -5):
                yield Case(f'{word}_to_{name}_axis_{str(axis).replace("-", "minus_")}',
                           [x, axis, axis == 1 and out is I64], [out])
            for last in (False, True):
                yield Case(f'{word}_to_{name}_rank_1' + '_last' * last,
                           [Input(kind, [4], [0, 1, 0, 1]), 0, last], [out])
    yield failing('axis_too_large', [Input(F32, [2, 3]), 2, False], [I32], [2])
    yield failing('axis_too_small', [Input(F32, [2, 3]), -3, False], [I64], [3])
    yield failing('output_of_floats', [Input(F32, [2, 3]), 1, False], [F32], [2])


@vectors(EXTENSION + 'TOP_K')
def top_k_cases(_):
    for word, kind in each(f'{NUMBERS} {QUANTISED}'):
        numbers = [(7 * i) % 11 for i in range(30)]
        x = Input(kind, [2, 3, 5], np.array(numbers) / 16 if kind.is_float or kind.scale else numbers)
        for name, indices in (('i32', I32), ('i16', KINDS['i16']), ('i64', I64)):
            yield Case(f'{word}_to_{name}', [x, 3, indices is I64], [kind, indices])
            yield Case(f'{word}_to_{name}_k_of_a_run', [x, Input(I32, [1], [2]), False],
                       [kind, indices])
            for smallest in (False, True):
                yield Case(f'{word}_to_{name}_smaller_index_first' + '_smallest' * smallest,
                           [Input(kind, [6], [0, 1, 0, 1, 1, 0]), 5, smallest], [kind, indices])
    yield failing('more_than_there_are', [Input(F32, [2, 3]), 4, False], [F32, I32], [2, 4])
    yield failing('none', [Input(F32, [2, 3]), 0, False], [F32, I32], [2, 1])
    yield failing('two_numbers', [Input(F32, [2, 3]), ints([1, 2]), False], [F32, I32], [2, 1])


@vectors(EXTENSION + 'UNIQUE')
def unique_cases(_):
    for word, kind in EVERY_TYPE:
        yield from unique_of(word, kind)
    yield Case('f32_zeros_of_both_signs', [Input(F32, [4], [-0.0, 1, 0.0, -1])], [F32, I32])
    yield Case('f32_zero_sized', [Input(F32, [3])], [F32, I32], via=ZERO_SIZED)
    yield failing('rank_2', [Input(F32, [2, 2])], [F32, I32], [4])


def unique_of(word, kind):
    for name, indices in (('i32', I32), ('i64', I64)):
        yield Case(f'{word}_to_{name}', [Input(kind, [8], [1, 0, 1, 1, 0, 1, 0, 1])
                                         if kind is B8 else Input(kind, [40], span=(-1, 1))],
                   [kind, indices])
        yield Case(f'{word}_to_{name}_all_equal', [Input(kind, [5], [1] * 5)], [kind, indices])


@vectors(EXTENSION + 'WHERE')
def where_cases(_):
    for word, kind in EVERY_TYPE:
        def tensor(dims, kind=kind):
            return Input(kind, dims, [(i * 5) % 3 % 2 for i in range(int(np.prod(dims)))])
        for name, out in (('i32', I32), ('i64', I64)):
            yield Case(f'{word}_to_{name}_rank_3', [tensor([2, 3, 4])], [out])
            yield Case(f'{word}_to_{name}_rank_1', [tensor([7])], [out])
            yield Case(f'{word}_to_{name}_rank_6', [tensor([2, 1, 2, 1, 2, 2])], [out])
    yield Case('f32_zeros_of_both_signs', [Input(F32, [4], [-0.0, 1, 0.0, -1])], [I32])
    yield Case('f32_zero_sized', [Input(F32, [2, 3])], [I32], via=ZERO_SIZED)
    yield failing('output_of_floats', [Input(F32, [3])], [F32], [3, 1])


@vectors(EXTENSION + 'BUCKETIZE')
def bucketize_cases(_):
    boundaries = Input(F32, [4], [-1, 0, 0.5, 2])
    for word, kind in each(NUMBERS):
        yield Case(f'{word}_rank_2', [Input(kind, [3, 5], span=(-3, 3)), boundaries], [I32])
        yield Case(f'{word}_rank_5', [Input(kind, [1, 2, 1, 2, 2]), boundaries], [I32])
    yield failing('no_vector', [Input(F32, [3]), Input(F32, [2, 2])], [I32], [3])


BOXES = [[0, 0, 1, 1], [0, 0.125, 1, 1.125], [1, 0.875, 0, -0.125], [0, 10, 1, 11], [0, 10.125, 1, 11.125],
         [0, 100, 1, 101], [5, 5, 5, 6], [0.5, 0, 1.5, 1]]
SCORES = [0.875, 0.75, 0.625, 0.9375, 0.5, 0.25, 0.125, 0.75]


@vectors(EXTENSION + 'NON_MAX_SUPPRESSION')
def suppression_cases(_):
    for kind in (F32, F16):
        word = 'f16' if kind is F16 else 'f32'
        for name, most, iou, score in [('all', 8, 0.5, 0.0), ('few', 2, 0.5, 0.0),
                                       ('score', 12, 0.5, 0.5), ('never', 8, 1.5, 0.0)]:
            yield Case(f'{word}_{name}', [Input(kind, [8, 4], BOXES), Input(kind, [8], SCORES), most,
                                          real(kind, iou), real(kind, score)], [I32, I32])
    yield Case('f32_zero_sized', [Input(F32, [3, 4]), Input(F32, [3]), 2, 0.5, 0.0], [I32, I32],
               via=ZERO_SIZED, via_inputs=(0, 1))
    boxes, scores = Input(F32, [8, 4], BOXES), Input(F32, [8], SCORES)
    yield failing('three_corners', [Input(F32, [8, 3]), scores, 4, 0.5, 0.0], [I32, I32],
                  [[4], [1]])
    yield failing('other_scores', [boxes, Input(F32, [7]), 4, 0.5, 0.0], [I32, I32], [[4], [1]])
    yield failing('none', [boxes, scores, 0, 0.5, 0.0], [I32, I32], [[1], [1]])


@vectors(EXTENSION + 'SOFT_NON_MAX_SUPPRESSION')
def soft_suppression_cases(_):
    for kind in (F32, F16):
        word = 'f16' if kind is F16 else 'f32'
        for name, most, iou, score, sigma in [('soft', 8, 1.0, 0.0, 0.5), ('both', 6, 0.75, 0.25, 0.5),
                                              ('hard', 8, 0.5, 0.0, 0.0)]:
            yield Case(f'{word}_{name}',
                       [Input(kind, [8, 4], BOXES), Input(kind, [8], SCORES), most,
                        real(kind, iou), real(kind, score), real(kind, sigma)], [I32, kind, I32])
    yield failing('negative_sigma', [Input(F32, [8, 4], BOXES), Input(F32, [8], SCORES), 4, 0.5,
                                     0.0, -1.0], [I32, F32, I32], [[4], [4], [1]])


@vectors(EXTENSION + 'MULTINOMIAL')
def multinomial_cases(_):
    for word, kind in each('f32 f16'):
        for name, out in (('i32', I32), ('i64', I64)):
            yield Case(f'{word}_to_{name}', [Input(kind, [2, 4], [0.5, -1, 1.25, 0, 1, 2, 3, -9]), 20,
                                             ints([37, -42])], [out])
    yield failing('three_seeds', [Input(F32, [1, 3]), 4, ints([1, 2, 3])], [I32], [1, 4])


@vectors(EXTENSION + 'RANDOM_UNIFORM', EXTENSION + 'RANDOM_NORMAL')
def random_cases(_):
    for word, kind in each('f32 f16'):
        yield Case(f'{word}_rank_3', [Input(I32, [3], [3, 1, 5]), ints([11, 7])], [kind])
        yield Case(f'{word}_negative_seeds', [Input(I32, [1], [9]), ints([-1, -8])], [kind])
    yield failing('three_seeds', [ints([2, 2]), Input(I32, [3], [1, 2, 3])], [F32], [2, 2])
    yield failing('an_extent_of_0', [ints([2, 0]), Input(I32, [2], [1, 2])], [F32], [2, 1])
