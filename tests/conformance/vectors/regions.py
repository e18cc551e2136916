"""Regions of interest: sampled or pooled from a feature map."""
import math

import numpy as np

from .cases import INTERNAL, ZERO_SIZED, Case, Input, failing, real, vectors
from .convolutions import from_nhwc, to_nhwc
from .evaluate import operation
from .kinds import F16, F32, I32, q16_asymm, q8, q8s


def read(call, flag):
    """The map, the scaled boxes of the regions (x1, y1, x2, y2) and the images they are in."""
    x = to_nhwc(call.real(0), call.number(flag))
    ratio_h, ratio_w = call.number(5), call.number(6)
    return x, call.real(1) / [ratio_w, ratio_h, ratio_w, ratio_h], call.ints(2)


def collect(x, rows, call, flag):
    """A region of the output for each of `rows`."""
    out = np.zeros((len(rows), call.number(3), call.number(4), x.shape[3]))
    for r, row in enumerate(rows):
        out[r] = row
    return from_nhwc(out, call.number(flag))


def bilinear(image, y, x):
    (low_y, high_y, part_y), (low_x, high_x, part_x) = (
        neighbours(at, extent) for at, extent in ((y, image.shape[0]), (x, image.shape[1])))
    upper = image[low_y, low_x] * (1 - part_x) + image[low_y, high_x] * part_x
    lower = image[high_y, low_x] * (1 - part_x) + image[high_y, high_x] * part_x
    return upper * (1 - part_y) + lower * part_y


def neighbours(at, extent):
    low = math.floor(at)
    if low >= extent - 1:
        return extent - 1, extent - 1, 0
    return low, low + 1, at - low


@operation('ROI_ALIGN', 3)
def roi_align(call):
    x, rois, images = read(call, 9)
    return collect(x, [aligned(call, x[n], roi) for roi, n in zip(rois, images)], call, 9)


def aligned(call, image, roi):
    height, width, samples_h, samples_w = (call.number(i) for i in (3, 4, 7, 8))
    bin_w, bin_h = max(roi[2] - roi[0], 1) / width, max(roi[3] - roi[1], 1) / height
    samples_w = samples_w or math.ceil(bin_w)
    samples_h = samples_h or math.ceil(bin_h)
    return [[np.mean([bilinear(image, roi[1] + i * bin_h + (sy + 0.5) * bin_h / samples_h,
                               roi[0] + j * bin_w + (sx + 0.5) * bin_w / samples_w)
                      for sy in range(samples_h) for sx in range(samples_w)], axis=0)
             for j in range(width)] for i in range(height)]


@operation('ROI_POOLING', 3)
def roi_pooling(call):
    x, rois, images = read(call, 7)
    return collect(x, [pooled(call, x[n], roi) for roi, n in zip(rois, images)], call, 7)


def pooled(call, image, roi):
    height, width = call.number(3), call.number(4)
    x1, y1, x2, y2 = (math.floor(v + 0.5) for v in roi)
    rows = cells(y1, max(y2 - y1 + 1, 1), height, image.shape[0])
    columns = cells(x1, max(x2 - x1 + 1, 1), width, image.shape[1])
    nothing = np.zeros(image.shape[2])
    return [[image[row, column].max(axis=(0, 1)) if image[row, column].size else nothing
             for column in columns] for row in rows]


def cells(start, size, count, extent):
    """The parts of one dimension, cut to the map."""
    return [slice(min(max(start + i * size // count, 0), extent),
                  min(max(start - (-(i + 1) * size // count), 0), extent)) for i in range(count)]


# ---- Cases ---------------------------------------------------------------------------------------


def region_kinds(op):
    """(word, map, regions, output)"""
    yield 'f32', F32, F32, F32
    yield 'f16', F16, F16, F16
    for word, make, low in [('q8', q8, 0), ('q8s', q8s, -128)]:
        x = make(0.02, low + 121)
        yield word, x, q16_asymm(0.125), make(0.027, low + 100) if op == 'ROI_ALIGN' else x


@vectors('ROI_ALIGN', 'ROI_POOLING')
def region_cases(op):
    align = op == 'ROI_ALIGN'
    corners = [[0, 0, 6, 6], [2.25, 0.5, 6.5, 4.25], [4, 2, 4, 2]]
    for word, x, regions, out in region_kinds(op):
        def inputs(nchw, samples=(2, 2), ratio=2.0, x=x, regions=regions):
            dims = [2, 2, 4, 4] if nchw else [2, 4, 4, 2]
            rest = [*samples, nchw] if align else [nchw]
            return [Input(x, dims), Input(regions, [3, 4], corners), Input(I32, [3], [0, 1, 1]), 2,
                    2, real(x, ratio), real(x, 2.0), *rest]
        yield Case(f'{word}_nhwc', inputs(False), [out])
        yield Case(f'{word}_nchw', inputs(True), [out])
        yield Case(f'{word}_ratios_differ', inputs(False, ratio=4.0), [out])
        if align:
            yield Case(f'{word}_adaptive', inputs(False, (0, 0)), [out])
            yield Case(f'{word}_samples_differ', inputs(True, (3, 1)), [out])
        if align and x.is_float:
            yield Case(f'{word}_zero_sized', inputs(False), [out], via=ZERO_SIZED,
                       via_inputs=(1, 2))
    rest = [2, 2, False] if align else [False]
    inputs = [Input(F32, [1, 4, 4, 1]), Input(F32, [1, 4], [0, 0, 6, 6]), Input(I32, [1], [0]),
              2, 2, 2.0, 2.0, *rest]
    yield Case('f32_relaxed_internal', inputs, [F32], relaxed=True, via=INTERNAL)
    dims = [1, 2, 2, 1]
    yield failing('image_too_large', inputs[:2] + [Input(I32, [1], [1]), *inputs[3:]], [F32], dims)
    yield failing('corners_in_the_wrong_order',
                  [inputs[0], Input(F32, [1, 4], [6, 0, 0, 6]), *inputs[2:]], [F32], dims)
    yield failing('outside_of_the_image',
                  [inputs[0], Input(F32, [1, 4], [0, 0, 10, 6]), *inputs[2:]], [F32], dims)
    yield failing('ratio_of_zero', inputs[:5] + [0.0, *inputs[6:]], [F32], dims)
