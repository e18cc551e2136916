"""Convolutions of volumes of org.halyard.operations."""
import itertools

import numpy as np

from .cases import NONE, RELU, RELU1, RELU6, SAME, VALID, Case, Const, Input, failing, ints, vectors
from .convolutions import same_padding
from .elementwise import activate
from .evaluate import operation
from .kinds import EXTENSION, F32, each


def triple(call, at):
    """Operands in the order width, height, depth, as (depth, height, width)."""
    return [call.number(at + i) for i in (2, 1, 0)]


def windows(window, dilation):
    """For each tap: its place in the filter, and how far it is from the window's begin."""
    for tap in itertools.product(*map(range, window)):
        yield tap, [t * d for t, d in zip(tap, dilation)]


def boxes(begin, count, stride):
    """Slices over the three axes of [batch, depth, height, width, channels]."""
    return (slice(None), *(slice(b, b + (n - 1) * s + 1, s)
                           for b, n, s in zip(begin, count, stride)))


@operation(EXTENSION + 'CONV_3D', 3)
def conv_3d(call):
    explicit = len(call.inputs) == 17
    at = 9 if explicit else 4
    x, f = call.real(0), call.real(1)
    stride, groups, dilation = triple(call, at), call.number(at + 3), triple(call, at + 5)
    sizes, window = x.shape[1:4], f.shape[:3]
    if explicit:
        pads = [(call.number(i), call.number(i + 1)) for i in (7, 5, 3)]
    elif call.number(3) == SAME:
        pads = [same_padding(*each) for each in zip(sizes, window, stride, dilation)]
    else:
        pads = [(0, 0)] * 3
    padded = np.pad(x, [(0, 0), *pads, (0, 0)])
    count = [(n - (w - 1) * d - 1) // s + 1
             for n, w, d, s in zip(padded.shape[1:4], window, dilation, stride)]
    depth, outputs = f.shape[3], f.shape[4] // groups
    total = 0
    for tap, begin in windows(window, dilation):
        seen = padded[boxes(begin, count, stride)]
        total = total + np.concatenate(
            [seen[..., g * depth:(g + 1) * depth] @ f[tap][:, g * outputs:(g + 1) * outputs]
             for g in range(groups)], axis=4)
    return activate(total + call.real(2), call.number(at + 4))


@operation(EXTENSION + 'TRANSPOSE_CONV_3D', 3)
def transpose_conv_3d(call):
    explicit = len(call.inputs) == 14
    at = 7 if explicit else 5
    x, f, shape = call.real(0), call.real(1), call.ints(3)
    stride, dilation = triple(call, at), triple(call, at + 4)
    sizes, window, wanted = x.shape[1:4], f.shape[:3], shape[1:4]
    if explicit:
        heads = triple(call, 4)
    elif call.number(4) == SAME:
        heads = [same_padding(*each)[0] for each in zip(wanted, window, stride, dilation)]
    else:
        heads = [0] * 3
    reach = [max((n - 1) * s + (w - 1) * d + 1, h + o)
             for n, s, w, d, h, o in zip(sizes, stride, window, dilation, heads, wanted)]
    full = np.zeros((x.shape[0], *reach, f.shape[3]))
    for tap, begin in windows(window, dilation):
        full[boxes(begin, sizes, stride)] += x @ f[tap].T
    cut = full[boxes(heads, wanted, [1] * 3)]
    return activate(cut + call.real(2), call.number(at + 3))


# ---- Cases ---------------------------------------------------------------------------------------


@vectors(EXTENSION + 'CONV_3D')
def conv_3d_cases(_):
    forms = [
        ('same', [SAME, 1, 1, 1, 1, NONE, 1, 1, 1]),
        ('same_strides_relu', [SAME, 1, 2, 3, 1, RELU, 1, 1, 1]),
        ('valid_relu1', [VALID, 2, 1, 1, 1, RELU1, 1, 1, 1]),
        ('same_dilated_relu6', [SAME, 1, 1, 1, 1, RELU6, 2, 1, 2]),
        ('explicit', [1, 0, 0, 1, 1, 1, 1, 2, 1, 1, NONE, 1, 1, 1]),
        ('explicit_dilated', [2, 1, 0, 0, 1, 0, 1, 1, 2, 1, NONE, 2, 3, 1]),
    ]
    for word, kind in each('f32 f16'):
        weights = [Const(kind, [2, 2, 3, 2, 3], span=(-1, 1)), Const(kind, [3], span=(-1, 1))]
        for name, rest in forms:
            yield Case(f'{word}_{name}', [Input(kind, [2, 3, 4, 5, 2]), *weights, *rest], [kind])
    plain = [SAME, 1, 1, 1, 1, NONE, 1, 1, 1]
    yield Case('f32_groups', [Input(F32, [1, 2, 3, 2, 6]), Const(F32, [1, 2, 2, 2, 9]),
                              Const(F32, [9]), SAME, 1, 1, 1, 3, NONE, 1, 1, 1], [F32])
    yield Case('f32_many_channels', [Input(F32, [1, 2, 2, 2, 3]), Const(F32, [1, 1, 2, 3, 130]),
                                     Const(F32, [130]), *plain], [F32])
    yield Case('f32_weights_as_inputs', [Input(F32, [1, 2, 2, 2, 2]), Input(F32, [1, 2, 2, 2, 2]),
                                         Input(F32, [2]), *plain], [F32])
    inputs, dims = [Input(F32, [1, 2, 3, 2, 2]), Const(F32, [2, 2, 2, 2, 3]), Const(F32, [3])], \
        [1, 2, 3, 2, 3]
    yield failing('rank_4', [Input(F32, [2, 3, 2, 2]), *inputs[1:], *plain], [F32], dims)
    yield failing('depths_that_differ', [Input(F32, [1, 2, 3, 2, 3]), *inputs[1:], *plain], [F32],
                  dims)
    yield failing('bias_too_long', [*inputs[:2], Const(F32, [4]), *plain], [F32], dims)
    yield failing('stride_of_zero', [*inputs, SAME, 1, 1, 0, 1, NONE, 1, 1, 1], [F32], dims)
    yield failing('dilation_of_zero', [*inputs, *plain[:-1], 0], [F32], dims)
    yield failing('groups_of_zero', [*inputs, SAME, 1, 1, 1, 0, NONE, 1, 1, 1], [F32], dims)
    yield failing('unknown_scheme', [*inputs, 7, *plain[1:]], [F32], dims)
    yield failing('filter_too_deep', [Input(F32, [1, 1, 3, 2, 2]), *inputs[1:], VALID, *plain[1:]],
                  [F32], [1, 1, 2, 1, 3])


@vectors(EXTENSION + 'TRANSPOSE_CONV_3D')
def transpose_conv_3d_cases(_):
    forms = [
        ('same', [ints([2, 4, 6, 3, 3]), SAME, 1, 2, 2, NONE, 1, 1, 1]),
        ('same_uneven_relu', [ints([2, 3, 5, 3, 3]), SAME, 1, 2, 2, RELU, 1, 1, 1]),
        ('valid_relu6', [ints([2, 3, 7, 5, 3]), VALID, 1, 2, 1, RELU6, 1, 1, 1]),
        ('valid_dilated_relu1', [ints([2, 4, 7, 7, 3]), VALID, 1, 1, 1, RELU1, 2, 2, 2]),
        ('explicit', [ints([2, 5, 6, 4, 3]), 1, 0, 1, 1, 2, 2, NONE, 1, 1, 1]),
        ('explicit_beyond_reach', [ints([2, 7, 1, 9, 3]), 0, 2, 0, 1, 3, 2, NONE, 2, 1, 1]),
    ]
    for word, kind in each('f32 f16'):
        weights = [Const(kind, [2, 3, 3, 3, 2], span=(-1, 1)), Const(kind, [3], span=(-1, 1))]
        for name, rest in forms:
            yield Case(f'{word}_{name}', [Input(kind, [2, 2, 3, 3, 2]), *weights, *rest], [kind])
    inputs, plain = [Input(F32, [1, 2, 2, 2, 2]), Const(F32, [1, 2, 2, 3, 2]), Const(F32, [3])], \
        [SAME, 2, 2, 2, NONE, 1, 1, 1]
    dims = [1, 4, 4, 4, 3]
    yield failing('depths_that_differ', [Input(F32, [1, 2, 2, 2, 3]), *inputs[1:], ints(dims),
                                         *plain], [F32], dims)
    yield failing('output_of_other_channels', [*inputs, ints([1, 4, 4, 4, 2]), *plain], [F32],
                  [1, 4, 4, 4, 2])
    yield failing('output_of_another_batch', [*inputs, ints([2, 4, 4, 4, 3]), *plain], [F32],
                  [2, 4, 4, 4, 3])
    yield failing('output_too_large', [*inputs, ints([1, 4, 5, 4, 3]), *plain], [F32],
                  [1, 4, 5, 4, 3])
    yield failing('output_without_depth', [*inputs, ints([1, 0, 4, 4, 3]), *plain], [F32], dims)
    yield failing('shape_of_four', [*inputs, ints([4, 4, 4, 3]), *plain], [F32], dims)
    yield failing('negative_head', [*inputs, ints(dims), -1, 0, 0, 2, 2, 2, NONE, 1, 1, 1], [F32],
                  dims)
    yield failing('stride_of_zero', [*inputs, ints(dims), SAME, 0, *plain[2:]], [F32], dims)
