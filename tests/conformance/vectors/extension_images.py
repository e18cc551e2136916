"""Convolutions, matrix products and images of org.halyard.operations."""
import math

import numpy as np

from .cases import (NONE, RELU, RELU1, RELU6, SAME, VALID, Case, Const, Input, failing,
                    ints, vectors)
from .convolutions import (Geometry, batch_matmul, bias, cut_transposed, finish, grouped_sum,
                           kind_sets, from_nhwc, scattered, taps, to_nhwc, transpose_pads)

from .evaluate import Raw, operation
from .kinds import EXTENSION, F32, KINDS, each, per_channel, q16_asymm, q16_symm, q8_symm, q8s
from .pooling import average_pool_2d, max_pool_2d
from .resize import Sizes, nearest

I64 = KINDS['i64']
NEAREST_WORDS = 'q16 f32 f16 f64 bf16 i32 i8 i16 i64 n8 n16 n32 n64 bool q8 q8s'
WIDE = q16_symm(0.0007)


def shortened(multiplier):
    """(mantissa of 15 bits, shift) of a real multiplier, by way of a mantissa of 31 bits."""
    fraction, exponent = math.frexp(multiplier)
    mantissa = math.floor(fraction * 2**31 + 0.5)
    if mantissa == 2**31:
        mantissa, exponent = mantissa // 2, exponent + 1
    if exponent < -31:
        mantissa = exponent = 0
    short = (mantissa + 2**15) >> 16 if mantissa < 0x7fff0000 else 0x7fff
    return short, max(15 - exponent, 1)


def rescaled(sums, multipliers):
    """int64 sums times a multiplier for each of their last dimension, rounded once, half up."""
    sums = np.clip(sums, 1 - 2**47, 2**47 - 1).astype(np.int64)
    parts = [shortened(m) for m in multipliers]
    mantissas = np.array([p[0] for p in parts], np.int64)
    shifts = np.array([p[1] for p in parts], np.int64)
    return sums * mantissas + (np.int64(1) << (shifts - 1)) >> shifts


def limits(kind, activation):
    """The stored numbers that a fused activation lets through."""
    low, high = kind.limits
    bounds = {NONE: (low, high), RELU: (0, high), RELU1: (-1, 1), RELU6: (0, 6)}[activation]
    if activation in (RELU1, RELU6):
        bounds = [round(b / kind.scale) if b else 0 for b in bounds]
    return max(bounds[0], low), min(bounds[1], high)


def finish_wide(sums, call, activation):
    """From sums without a bias to stored numbers; channels are the last dimension."""
    f, out = call.kind(1), call.outputs[0]
    scales = f.scales or [f.scale] * sums.shape[-1]
    multipliers = [call.kind(0).scale * s / out.scale for s in scales]
    scaled = rescaled(sums + call.raw(2), multipliers)
    return np.clip(scaled, *limits(out, activation))


def is_wide(call):
    return call.kind(0).type == 'TENSOR_QUANT16_SYMM'


def finished(sums, call, geometry):
    if not is_wide(call):
        return finish(sums, call, geometry)
    return Raw(from_nhwc(finish_wide(sums, call, geometry.activation), geometry.nchw))


def operands(call):
    """Input and filter: as stored where the sums are defined in integers."""
    return (call.raw(0), call.raw(1)) if is_wide(call) else (call.real(0), call.real(1))


@operation(EXTENSION + 'CONV_2D', 3)
def conv_2d(call):
    explicit = len(call.inputs) == 14
    geometry = Geometry(call, 3, explicit, extra=1)
    groups = call.number(9 if explicit else 6)
    return finished(grouped_sum(*operands(call), geometry, groups), call, geometry)


@operation(EXTENSION + 'DEPTHWISE_CONV_2D', 3)
def depthwise_conv_2d(call):
    explicit = len(call.inputs) == 14
    geometry = Geometry(call, 3, explicit, extra=1)
    x, f = operands(call)
    multiplier = call.number(9 if explicit else 6)
    total = sum(np.repeat(seen, multiplier, axis=3) * f[0, i, j]
                for i, j, seen in taps(to_nhwc(x, geometry.nchw), f.shape[1:3], geometry))
    return finished(total, call, geometry)


@operation(EXTENSION + 'TRANSPOSE_CONV_2D', 3)
def transpose_conv_2d(call):
    explicit = len(call.inputs) == 11
    geometry = Geometry(call, 3 if explicit else 4, explicit)
    x, f = operands(call)
    full = scattered(to_nhwc(x, geometry.nchw), f, geometry.stride)
    pads = transpose_pads(call, geometry, f.shape[1:3], explicit)
    return finished(cut_transposed(full, pads), call, geometry)


@operation(EXTENSION + 'FULLY_CONNECTED', 3)
def fully_connected(call):
    weights = call.raw(1)
    x = call.raw(0).reshape(-1, weights.shape[1])
    return Raw(finish_wide(x @ weights.T, call, call.number(3)))


@operation(EXTENSION + 'BATCH_MATMUL', 3)
def any_batch_matmul(call):
    if not is_wide(call):
        return batch_matmul(call)
    a, b = call.raw(0), call.raw(1)
    a = a.swapaxes(-1, -2) if call.number(2) else a
    b = b.swapaxes(-1, -2) if call.number(3) else b
    out = call.outputs[0]
    product = float(np.float32(call.kind(0).scale) * np.float32(call.kind(1).scale))
    return Raw(np.clip(rescaled(a @ b, [product / out.scale]), *out.limits))


operation(EXTENSION + 'AVERAGE_POOL_2D', 3)(average_pool_2d)
operation(EXTENSION + 'MAX_POOL_2D', 3)(max_pool_2d)


@operation(EXTENSION + 'RESIZE_BILINEAR', 3)
def resize_bilinear(call):
    sizes = Sizes(call, call.raw(0))
    x, unit = sizes.x.astype(np.int64), 1024
    for axis in (0, 1):
        extent, size = x.shape[1 + axis], sizes.out[axis]
        whole, parts = (extent - 1, size - 1) if sizes.align and size > 1 else (extent, size)
        scale = (unit * whole + parts // 2) // parts
        at = np.arange(size) * scale + (scale // 2 - unit // 2 if sizes.half_pixel else 0)
        low = np.clip(at // unit, 0, extent - 1)
        high = np.clip(-(-at // unit), 0, extent - 1)
        part = (at - low * unit).reshape((-1, 1, 1) if axis == 0 else (-1, 1))
        x = x.take(low, 1 + axis) * (unit - part) + x.take(high, 1 + axis) * part
    half = unit * unit // 2
    return Raw(from_nhwc(np.sign(x) * ((np.abs(x) + half) // (unit * unit)), sizes.nchw))


@operation(EXTENSION + 'RESIZE_NEAREST_NEIGHBOR', 3)
def resize_nearest_neighbor(call):
    return Raw(nearest(Sizes(call, call.raw(0))))


# ---- Cases ---------------------------------------------------------------------------------------


def wide_sets(channels, channel_dim=0):
    """(word, input, filter, output) of int16 data."""
    scales = [0.008 + 0.001 * (i % 5) for i in range(channels)]
    yield 'q16', q16_symm(0.0001), q8_symm(0.009), q16_symm(0.0003)
    yield 'q16_per_channel', q16_symm(0.0001), per_channel(scales, channel_dim), q16_symm(0.0003)


def bias_for(x, f, size):
    if x.type != 'TENSOR_QUANT16_SYMM':
        return bias(x, f, size)
    return Const(I64, [size], span=(-2**20, 2**20), stored=True)


def convolution_cases(sets, forms, x_dims, f_dims, channel_dim):
    """`forms`: (name, operands after the bias, NCHW). Dimensions are NHWC."""
    channels = f_dims[channel_dim]
    for word, x, f, out in sets:
        for name, rest, nchw in forms:
            dims = [x_dims[i] for i in (0, 3, 1, 2)] if nchw else x_dims
            yield Case(f'{word}_{name}', [Input(x, dims), Const(f, f_dims, span=(-1, 1)),
                                          bias_for(x, f, channels), *rest], [out])


@vectors(EXTENSION + 'CONV_2D')
def conv_2d_cases(_):
    forms = [
        ('same', [SAME, 1, 1, 2, NONE, False, 1, 1], False),
        ('valid_dilated_relu', [VALID, 2, 1, 2, RELU, False, 1, 2], False),
        ('same_nchw_relu6', [SAME, 1, 2, 2, RELU6, True, 2, 1], True),
        ('explicit', [1, 0, 1, 0, 2, 1, 2, NONE, False, 1, 1], False),
        ('explicit_dilated_relu1', [2, 1, 0, 1, 1, 1, 2, RELU1, False, 2, 2], False),
    ]
    yield from convolution_cases(wide_sets(4), forms, [1, 4, 5, 4], [4, 2, 2, 2], 0)
    yield from convolution_cases(kind_sets(4), forms, [1, 4, 5, 4], [4, 2, 2, 2], 0)
    plain = [SAME, 1, 1, 1, NONE, False, 1, 1]
    x, f, out = q16_symm(0.0001), q8_symm(0.009), q16_symm(0.0003)
    inputs = [Input(x, [1, 3, 3, 2]), Const(f, [3, 2, 2, 2], span=(-1, 1)), bias_for(x, f, 3)]
    yield Case('q16_one_group', [*inputs, *plain], [out])
    yield Case('q16_saturated', [inputs[0], inputs[1],
                                 Const(I64, [3], [2**50, -2**50, 2**40], stored=True), *plain],
               [out])
    yield Case('q16_multiplier_above_one', [*inputs, *plain], [q16_symm(2.0**-22)])
    yield Case('q16_multiplier_of_nothing', [*inputs, *plain], [q16_symm(2.0**14)])
    large = Const(q8_symm(0.01), [33, 3, 3, 40], span=(-1.28, 1.27))
    yield Case('q16_deep', [Input(x, [1, 4, 4, 40], span=(-3.2, 3.2)), large,
                            bias_for(x, f, 33), *plain], [q16_symm(0.01)])
    dims = [1, 3, 3, 3]
    yield failing('rank_3', [Input(x, [3, 3, 2]), *inputs[1:], *plain], [out], dims)
    yield failing('bias_too_long', [*inputs[:2], bias_for(x, f, 4), *plain], [out], dims)
    yield failing('dilation_of_zero', [*inputs, *plain[:-1], 0], [out], dims)
    yield failing('groups_that_do_not_divide', [*inputs, SAME, 1, 1, 2, NONE, False, 1, 1], [out],
                  dims)
    yield failing('bias_of_int32', [*inputs[:2], Const(KINDS['i32'], [3], stored=True), *plain],
                  [out], dims)


@vectors(EXTENSION + 'DEPTHWISE_CONV_2D')
def depthwise_conv_2d_cases(_):
    forms = [
        ('same', [SAME, 1, 1, 2, NONE, False, 1, 1], False),
        ('valid_relu', [VALID, 1, 2, 2, RELU, False, 1, 1], False),
        ('same_nchw_relu6', [SAME, 2, 1, 2, RELU6, True, 1, 2], True),
        ('explicit', [1, 0, 1, 0, 2, 1, 2, NONE, False, 1, 1], False),
        ('explicit_dilated_relu1', [1, 2, 1, 0, 1, 1, 2, RELU1, False, 2, 2], False),
    ]
    yield from convolution_cases(wide_sets(4, 3), forms, [1, 3, 4, 2], [1, 2, 3, 4], 3)
    plain = [SAME, 1, 1, 1, NONE, False, 1, 1]
    for word, x, f, out in wide_sets(35, 3):
        yield Case(f'{word}_multiplier_of_one', [Input(x, [1, 4, 5, 35]), Const(f, [1, 3, 3, 35]),
                                                 bias_for(x, f, 35), *plain], [out])
    yield failing('wrong_multiplier', [Input(x, [1, 3, 3, 35]), Const(q8_symm(0.01), [1, 2, 2, 34]),
                                       bias_for(x, f, 34), *plain], [out], [1, 3, 3, 34])


@vectors(EXTENSION + 'TRANSPOSE_CONV_2D')
def transpose_conv_2d_cases(_):
    forms = [
        ('same', [ints([1, 6, 3, 2]), SAME, 2, 2, NONE, False], False),
        ('same_smaller_filter', [ints([1, 9, 6, 2]), SAME, 3, 3, NONE, False], False),
        ('same_nchw_relu6', [ints([1, 2, 3, 4]), SAME, 2, 1, RELU6, True], True),
        ('explicit_relu', [1, 0, 0, 1, 2, 2, RELU, False], False),
        ('explicit_negative_end', [1, -1, 0, -1, 2, 2, NONE, False], False),
    ]
    yield from convolution_cases(wide_sets(2), forms, [1, 3, 2, 2], [2, 3, 2, 2], 0)
    x, f, out = q16_symm(0.0001), q8_symm(0.009), q16_symm(0.0003)
    yield failing('depths_that_differ', [Input(x, [1, 3, 3, 3]), Const(f, [3, 2, 2, 2]),
                                         bias_for(x, f, 3), *forms[0][1]], [out], [1, 6, 3, 3])


@vectors(EXTENSION + 'FULLY_CONNECTED')
def fully_connected_cases(_):
    for word, x, f, out in wide_sets(4):
        for name, activation in [('none', NONE), ('relu', RELU), ('relu1', RELU1),
                                 ('relu6', RELU6)]:
            yield Case(f'{word}_{name}', [Input(x, [3, 5]), Const(f, [4, 5], span=(-1, 1)),
                                          bias_for(x, f, 4), activation], [out])
        weights = [Const(f, [4, 6], span=(-1, 1)), bias_for(x, f, 4), NONE]
        yield Case(f'{word}_rank_5', [Input(x, [1, 2, 1, 2, 3]), *weights], [out])
        yield Case(f'{word}_flattened_rows', [Input(x, [2, 3]), *weights], [out])
    yield failing('sizes_that_do_not_divide', [Input(x, [2, 4]), *weights], [out], [2, 4])


@vectors(EXTENSION + 'BATCH_MATMUL')
def batch_matmul_cases(_):
    for word, kind, out in [('f32', F32, F32), ('q16', q16_symm(0.0001), q16_symm(0.0003)),
                            *((word, kind, kind) for word, kind in each('f16 f64 bf16 i32')),
                            ('q8s', q8s(0.02, -7), q8s(0.061, 12))]:
        span = (-30, 30) if word == 'i32' else (-2, 2)
        def tensor(dims, kind=kind, span=span):
            return Input(kind, dims, span=span)
        yield Case(f'{word}_rank_6', [tensor([2, 1, 3, 1, 2, 3]), tensor([1, 2, 3, 2, 3, 2]),
                                      False, False], [out])
        yield Case(f'{word}_rank_2', [tensor([2, 3]), tensor([3, 4]), False, False], [out])
        yield Case(f'{word}_left_repeated', [tensor([1, 5, 3]), tensor([3, 3, 4]), False, False],
                   [out])
        yield Case(f'{word}_ranks_that_differ', [tensor([3, 2]), tensor([2, 4, 3]), True, True],
                   [out])
    yield failing('sizes_that_differ', [Input(F32, [2, 3]), Input(F32, [4, 2]), False, False],
                  [F32], [2, 2])
    yield failing('batches_that_differ', [Input(F32, [2, 2, 3]), Input(F32, [3, 3, 2]), False,
                                          False], [F32], [2, 2, 2])


@vectors(EXTENSION + 'AVERAGE_POOL_2D', EXTENSION + 'MAX_POOL_2D')
def pool_cases(_):
    image, planes = Input(WIDE, [1, 3, 4, 2]), Input(WIDE, [1, 2, 3, 4])
    yield Case('q16_valid', [image, VALID, 1, 1, 2, 2, NONE, False], [WIDE])
    yield Case('q16_same_relu', [image, SAME, 2, 1, 3, 2, RELU, False], [WIDE])
    yield Case('q16_same_nchw_relu1', [planes, SAME, 1, 2, 2, 3, RELU1, True], [WIDE])
    yield Case('q16_explicit_relu6', [image, 1, 0, 1, 2, 2, 1, 3, 3, RELU6, False], [WIDE])
    yield failing('rank_3', [Input(WIDE, [3, 2, 3]), SAME, 1, 1, 2, 2, NONE, False], [WIDE],
                  [1, 3, 2, 3])
    yield failing('stride_of_zero', [image, SAME, 0, 1, 2, 2, NONE, False], [WIDE], [1, 3, 4, 2])


@vectors(EXTENSION + 'RESIZE_BILINEAR', EXTENSION + 'RESIZE_NEAREST_NEIGHBOR')
def resize_cases(op):
    words = 'q16' if op.endswith('BILINEAR') else NEAREST_WORDS
    kinds = each(words)
    if not op.endswith('BILINEAR'):
        kinds.append(('q16_asymm', q16_asymm(0.001, 500)))
    for word, kind in kinds:
        span = (0, 9) if word.startswith('n') else (-9, 9) if word == 'q16' else (-2, 2)
        nhwc, nchw = Input(kind, [1, 2, 3, 2], span=span), Input(kind, [1, 2, 2, 3], span=span)
        yield Case(f'{word}_larger', [nhwc, 5, 3, False, False, False], [kind])
        yield Case(f'{word}_smaller', [nhwc, 2, 1, False, False, False], [kind])
        yield Case(f'{word}_aligned', [nhwc, 5, 3, False, True, False], [kind])
        yield Case(f'{word}_half_pixel', [nhwc, 7, 5, False, False, True], [kind])
        yield Case(f'{word}_aligned_nchw', [nchw, 2, 1, True, True, False], [kind])
    x, dims = Input(KINDS['q16'], [1, 3, 4, 2]), [1, 5, 7, 2]
    yield failing('aligned_and_half_pixel', [x, 7, 5, False, True, True], [KINDS['q16']], dims)
    yield failing('width_of_zero', [x, 0, 5, False, False, False], [KINDS['q16']], [1, 5, 0, 2])
