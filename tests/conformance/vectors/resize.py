"""Resizing of images."""
import numpy as np

from .cases import ZERO_SIZED, Case, Half, Input, failing, real, vectors
from .convolutions import from_nhwc, to_nhwc
from .evaluate import operation
from .kinds import F32, each, round_half_away


class Sizes:
    """What the operands after the image say."""

    def __init__(self, call, image):
        self.nchw = bool(call.number(3, 0))
        self.align = bool(call.number(4, 0))
        self.half_pixel = bool(call.number(5, 0))
        self.x = to_nhwc(image, self.nchw)
        self.out = [self.size(call, operand, extent)
                    for operand, extent in ((2, self.x.shape[1]), (1, self.x.shape[2]))]

    @staticmethod
    def size(call, operand, extent):
        number = call.number(operand)
        if call.kind(operand).is_float:
            return int(np.floor(np.float32(extent) * np.float32(number)))
        return number

    def places(self, axis, shift):
        """Where in the input, as float32, the output's rows (0) or columns (1) are."""
        extent, size = self.x.shape[1 + axis], self.out[axis]
        scale = (np.float32(extent - 1) / np.float32(size - 1) if self.align and size > 1
                 else np.float32(extent) / np.float32(size))
        at = np.arange(size, dtype=np.float32)
        if self.half_pixel:
            return (at + np.float32(0.5)) * scale - np.float32(shift)
        return at * scale


@operation('RESIZE_BILINEAR', 1)
def resize_bilinear(call):
    sizes = Sizes(call, call.real(0))
    x = sizes.x
    for axis in (0, 1):
        at = sizes.places(axis, 0.5).astype(np.float64)
        low = np.maximum(np.floor(at), 0).astype(int)
        high = np.minimum(np.ceil(at), x.shape[1 + axis] - 1).astype(int)
        part = (at - low).reshape(-1, 1, 1) if axis == 0 else (at - low).reshape(-1, 1)
        x = x.take(low, 1 + axis) * (1 - part) + x.take(high, 1 + axis) * part
    return from_nhwc(x, sizes.nchw)


@operation('RESIZE_NEAREST_NEIGHBOR', 3)
def resize_nearest_neighbor(call):
    return nearest(Sizes(call, call.real(0)))


def nearest(sizes):
    x = sizes.x
    for axis in (0, 1):
        at = sizes.places(axis, 0)
        at = round_half_away(at) if sizes.align else np.floor(at)
        x = x.take(np.clip(at, 0, x.shape[1 + axis] - 1).astype(int), 1 + axis)
    return from_nhwc(x, sizes.nchw)


# ---- Cases ---------------------------------------------------------------------------------------


@vectors('RESIZE_BILINEAR', 'RESIZE_NEAREST_NEIGHBOR')
def resize_cases(op):
    nearest = op == 'RESIZE_NEAREST_NEIGHBOR'
    for word, kind in each('f32 f16 q8 q8s'):
        nhwc, nchw = Input(kind, [1, 2, 3, 2]), Input(kind, [1, 2, 2, 3])
        def factors(*values, kind=kind):
            return [real(kind, v) for v in values]
        plain = [False] if nearest else []
        level = 3 if word == 'q8' else 1
        yield Case(f'{word}_larger', [nhwc, 5, 3, *plain], [kind], level=level)
        yield Case(f'{word}_smaller', [nhwc, 2, 1, *plain], [kind], level=level)
        yield Case(f'{word}_factors', [nhwc, *factors(1.5, 2.0), *plain], [kind], level=3)
        yield Case(f'{word}_nhwc', [nhwc, 5, 1, False], [kind])
        yield Case(f'{word}_nchw', [nchw, 5, 1, True], [kind])
        yield Case(f'{word}_nchw_factors', [nchw, *factors(0.75, 1.5), True], [kind])
        yield Case(f'{word}_aligned', [nhwc, 5, 3, False, True], [kind], level=4)
        yield Case(f'{word}_aligned_factors', [nhwc, *factors(1.5, 2.0), False, True], [kind],
                   level=4)
        yield Case(f'{word}_half_pixel', [nhwc, 5, 3, False, False, True], [kind], level=4)
        yield Case(f'{word}_aligned_nchw', [nchw, 2, 1, True, True, False], [kind], level=4)
        yield Case(f'{word}_half_pixel_factors', [nhwc, *factors(1.0, 2.0), False, False, True],
                   [kind], level=4)
        yield Case(f'{word}_zero_batch', [nhwc, 5, 3, *plain], [kind], via=ZERO_SIZED)
    if not nearest:
        yield Case('f32_relaxed', [Input(F32, [1, 2, 3, 2]), 5, 3], [F32], relaxed=True)
    x, dims = Input(F32, [1, 3, 4, 2]), [1, 5, 7, 2]
    yield failing('aligned_and_half_pixel', [x, 7, 5, False, True, True], [F32], dims, level=4)
    yield failing('width_of_zero', [x, 0, 5, False], [F32], [1, 5, 0, 2])
    yield failing('negative_height', [x, 7, -5, False], [F32], dims)
    yield failing('factors_of_half', [x, Half(2), Half(2), False], [F32], [1, 6, 8, 2])
