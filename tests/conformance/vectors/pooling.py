"""Pooling of windows of an image."""
import numpy as np

from .cases import (INTERNAL, NONE, RELU, RELU1, RELU6, SAME, VALID, ZERO_SIZED, Case, Input,
                    failing, vectors)
from .convolutions import from_nhwc, same_padding, taps, to_nhwc
from .elementwise import activate
from .evaluate import operation
from .kinds import F32, I32, each


class Window:
    """What the operands after the input say; read like a convolution's geometry."""
    dilation = 1, 1

    def __init__(self, call):
        explicit = len(call.inputs) >= 10
        at = 5 if explicit else 2
        self.scheme = None if explicit else call.number(1)
        if explicit:
            left, right, top, bottom = (call.number(i) for i in range(1, 5))
            self.given = (top, bottom), (left, right)
        self.stride = call.number(at + 1), call.number(at)
        self.size = call.number(at + 3), call.number(at + 2)
        self.activation = call.number(at + 4)
        self.nchw = bool(call.number(at + 5, 0))

    def pads(self, size, window):
        if self.scheme is None:
            return self.given
        if self.scheme != SAME:
            return (0, 0), (0, 0)
        return tuple(same_padding(*each) for each in zip(size, window, self.stride))


def pooled(call, reduce):
    """`reduce` gets the cells of every window in a first dimension, NaN where outside."""
    window = Window(call)
    x = to_nhwc(call.real(0), window.nchw)
    cells = np.stack([seen for _, _, seen in taps(x, window.size, window, np.nan)])
    return from_nhwc(activate(reduce(cells), window.activation), window.nchw)


@operation('AVERAGE_POOL_2D', 1)
def average_pool_2d(call):
    return pooled(call, lambda cells: np.nanmean(cells, axis=0))


@operation('L2_POOL_2D', 1)
def l2_pool_2d(call):
    return pooled(call, lambda cells: np.sqrt(np.nanmean(cells**2, axis=0)))


@operation('MAX_POOL_2D', 1)
def max_pool_2d(call):
    return pooled(call, lambda cells: np.nanmax(cells, axis=0))


# ---- Cases ---------------------------------------------------------------------------------------


@vectors('AVERAGE_POOL_2D', 'L2_POOL_2D', 'MAX_POOL_2D')
def pool_cases(op):
    for word, kind in each('f32 f16' if op == 'L2_POOL_2D' else 'f32 f16 q8 q8s'):
        image, planes = Input(kind, [1, 3, 4, 2]), Input(kind, [1, 2, 3, 4])
        yield Case(f'{word}_valid', [image, VALID, 1, 1, 2, 2, NONE], [kind])
        yield Case(f'{word}_same_relu', [image, SAME, 2, 1, 3, 2, RELU], [kind])
        yield Case(f'{word}_same_nchw_relu1', [planes, SAME, 1, 2, 2, 3, RELU1, True], [kind])
        yield Case(f'{word}_valid_nhwc', [image, VALID, 1, 2, 2, 3, NONE, False], [kind])
        yield Case(f'{word}_explicit', [image, 1, 0, 1, 2, 2, 1, 3, 3, NONE], [kind])
        yield Case(f'{word}_explicit_nchw_relu6', [planes, 0, 1, 1, 0, 1, 2, 2, 2, RELU6, True],
                   [kind])
        yield Case(f'{word}_whole_image', [Input(kind, [2, 2, 3, 3]), VALID, 1, 1, 3, 2, NONE],
                   [kind])
        yield Case(f'{word}_zero_batch', [Input(kind, [1, 3, 3, 2]), SAME, 1, 1, 2, 2, NONE],
                   [kind], via=ZERO_SIZED)
    inputs = [Input(F32, [1, 3, 2, 3]), SAME, 1, 1, 2, 2, NONE]
    yield Case('f32_relaxed_internal', inputs, [F32], relaxed=True, via=INTERNAL)
    dims = [1, 3, 2, 3]
    yield failing('rank_3', [Input(F32, [3, 2, 3]), *inputs[1:]], [F32], dims)
    yield failing('of_integers', [Input(I32, dims), *inputs[1:]], [I32], dims)
    if op != 'AVERAGE_POOL_2D':
        return
    yield failing('stride_of_zero', [inputs[0], SAME, 1, 0, 2, 2, NONE], [F32], dims)
    yield failing('filter_of_zero', [inputs[0], SAME, 1, 1, 0, 2, NONE], [F32], dims)
    yield failing('negative_padding', [inputs[0], 0, 0, -1, 0, 1, 1, 2, 2, NONE], [F32],
                  [1, 1, 1, 3])
    yield failing('padding_of_the_filter', [inputs[0], 2, 0, 0, 0, 1, 1, 2, 2, NONE], [F32],
                  [1, 2, 3, 3])
