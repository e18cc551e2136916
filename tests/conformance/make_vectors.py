#!/usr/bin/env python3
"""Makes tests/conformance/data: small vectors of our own for every operation there is.

    python3 tests/conformance/make_vectors.py [FOLDER]

Values are seeded by the name of the test; expected results are float64 arithmetic (operations.py),
rounded once at the end. Nothing but Python's own library is needed.
"""
import os
import random
import sys
import zlib

import operations as ops
from vector_format import Kind, Test, write

NONE, RELU, RELU1, RELU6 = range(4)
SAME, VALID = 1, 2

F32 = Kind('TENSOR_FLOAT32')
F16 = Kind('TENSOR_FLOAT16')


def q8(scale, zero_point):
    return Kind('TENSOR_QUANT8_ASYMM', scale, zero_point)


def q8s(scale, zero_point):
    return Kind('TENSOR_QUANT8_ASYMM_SIGNED', scale, zero_point)


def per_channel(scales, channel_dim):
    return Kind('TENSOR_QUANT8_SYMM_PER_CHANNEL', scales=scales, channel_dim=channel_dim)


def bias_kind(x, f):
    """Of a convolution: the product of the scales, which per channel is not written out."""
    if not x.scale:
        return x
    if f.scales:
        return Kind('TENSOR_INT32', scales=[x.scale * s for s in f.scales])
    return Kind('TENSOR_INT32', x.scale * f.scale)


def count(dims):
    total = 1
    for d in dims:
        total *= d
    return total


def noise(random_source, dims, low=-2.0, high=2.0):
    """Multiples of 1/64: exact in every float type, so that only the operation rounds."""
    return [random_source.randint(int(low * 64), int(high * 64)) / 64 for _ in range(count(dims))]


def begin(name, op, level):
    return Test(name, op, level), random.Random(zlib.crc32(name.encode()))


def add(name, level, a_kind, a_dims, b_kind, b_dims, out_kind, activation):
    test, source = begin(name, 'ADD', level)
    a = test.input(a_kind, a_dims, noise(source, a_dims))
    b = test.input(b_kind, b_dims, noise(source, b_dims))
    test.scalars(activation)
    out, out_dims = ops.add(a, a_dims, b, b_dims, activation)
    return test.result(out_kind, out_dims, out)


def average_pool(name, level, kind, dims, window, stride, padding, activation, nchw=False):
    """`padding`: SAME, VALID or (left, right, top, bottom)."""
    test, source = begin(name, 'AVERAGE_POOL_2D', level)
    values = noise(source, dims)
    given, given_dims = ops.to_nchw(values, dims) if nchw else (values, dims)
    stored = test.input(kind, given_dims, given)
    x = kind.load(kind.store(values, dims), dims) if nchw else stored
    pad_h, pad_w = pads(padding, dims, window, stride, (1, 1))
    test.scalars(*(padding if isinstance(padding, tuple) else (padding,)))
    test.scalars(stride[1], stride[0], window[1], window[0], activation)
    if nchw:
        test.scalars(True)
    out, out_dims = ops.average_pool(x, dims, window, stride, pad_h, pad_w, activation)
    if nchw:
        out, out_dims = ops.to_nchw(out, out_dims)
    return test.result(kind, out_dims, out)


def pads(padding, dims, window, stride, dilation):
    """((top, bottom), (left, right))"""
    if isinstance(padding, tuple):
        left, right, top, bottom = padding
        return (top, bottom), (left, right)
    if padding == VALID:
        return (0, 0), (0, 0)
    return (ops.same_padding(dims[1], window[0], stride[0], dilation[0]),
            ops.same_padding(dims[2], window[1], stride[1], dilation[1]))


def convolution(name, level, kinds, dims, f_dims, stride, padding, activation, dilation=None,
                multiplier=0):
    """`kinds`: of input, filter and output. A multiplier makes it depthwise."""
    x_kind, f_kind, out_kind = kinds
    test, source = begin(name, 'DEPTHWISE_CONV_2D' if multiplier else 'CONV_2D', level)
    channels = [f_dims[3] if multiplier else f_dims[0]]
    b_kind = bias_kind(x_kind, f_kind)
    x = test.input(x_kind, dims, noise(source, dims))
    f = test.constant(f_kind, f_dims, noise(source, f_dims, -1, 1))
    bias = test.constant(b_kind, channels, noise(source, channels, -1, 1))
    if f_kind.scales:
        del test.operands[-1]['channel_quant']  # said by the filter
    test.scalars(*(padding if isinstance(padding, tuple) else (padding,)))
    test.scalars(stride[1], stride[0])
    if multiplier:
        test.scalars(multiplier)
    test.scalars(activation)
    if dilation:
        test.scalars(False, dilation[1], dilation[0])
    dilation = dilation or (1, 1)
    pad_h, pad_w = pads(padding, dims, f_dims[1:3], stride, dilation)
    out, out_dims = ops.convolve(x, dims, f, f_dims, bias, stride, pad_h, pad_w, dilation,
                                 activation, multiplier)
    return test.result(out_kind, out_dims, out)


def fully_connected(name, level, kinds, dims, w_dims, activation):
    x_kind, w_kind, out_kind = kinds
    test, source = begin(name, 'FULLY_CONNECTED', level)
    x = test.input(x_kind, dims, noise(source, dims))
    weights = test.constant(w_kind, w_dims, noise(source, w_dims, -1, 1))
    bias = test.constant(bias_kind(x_kind, w_kind), w_dims[:1], noise(source, w_dims[:1]))
    test.scalars(activation)
    out, out_dims = ops.fully_connected(x, weights, w_dims, bias, activation)
    return test.result(out_kind, out_dims, out)


def reshape(name, level, kind, dims, shape, out_dims):
    test, source = begin(name, 'RESHAPE', level)
    x = test.input(kind, dims, noise(source, dims))
    test.constant(Kind('TENSOR_INT32'), [len(shape)], shape)
    return test.result(kind, out_dims, x)


def softmax(name, level, kind, out_kind, dims, beta, axis=None):
    test, source = begin(name, 'SOFTMAX', level)
    x = test.input(kind, dims, noise(source, dims))
    test.scalars(beta, name='FLOAT32')
    if axis is not None:
        test.scalars(axis)
    where = len(dims) - 1 if axis is None else axis % len(dims)
    return test.result(out_kind, dims, ops.softmax(x, dims, beta, where))


def dequantize(name, level, kind, out_kind, dims):
    test, source = begin(name, 'DEQUANTIZE', level)
    x = test.input(kind, dims, noise(source, dims))
    return test.result(out_kind, dims, x)


FILTER = q8(1 / 128, 128)
FILTER_S = q8s(1 / 128, 3)

SPECS = {
    'add': [
        add('add_f32_broadcast_relu', 1, F32, [2, 3, 4], F32, [3, 1], F32, RELU),
        add('add_f16_relu6', 3, F16, [2, 5], F16, [2, 5], F16, RELU6),
        add('add_q8_scales_differ', 1, q8(1 / 32, 100), [1, 2, 2, 7], q8(1 / 50, 140),
            [1, 2, 2, 7], q8(1 / 30, 120), NONE),
        add('add_q8s_broadcast_relu1', 4, q8s(1 / 40, -5), [2, 1, 9], q8s(1 / 60, 8), [2, 3, 1],
            q8s(1 / 64, 10), RELU1),
    ],
    'average_pool': [
        average_pool('average_pool_f32_same', 1, F32, [1, 5, 4, 3], (3, 2), (2, 1), SAME, NONE),
        average_pool('average_pool_q8s_explicit_relu', 4, q8s(1 / 60, 4), [2, 4, 5, 2], (3, 3),
                     (1, 2), (1, 0, 1, 1), RELU),
        average_pool('average_pool_f32_nchw_valid', 3, F32, [1, 4, 4, 3], (2, 2), (2, 2), VALID,
                     RELU1, nchw=True),
    ],
    'conv_2d': [
        convolution('conv_2d_f32_same_stride_relu6', 1, (F32, F32, F32), [1, 5, 6, 3],
                    [4, 3, 3, 3], (2, 2), SAME, RELU6),
        convolution('conv_2d_q8_explicit', 1, (q8(1 / 60, 120), FILTER, q8(1 / 16, 130)),
                    [1, 4, 4, 2], [5, 2, 3, 2], (1, 1), (1, 1, 0, 1), NONE),
        convolution('conv_2d_q8s_per_channel_relu', 4,
                    (q8s(1 / 60, -7), per_channel([1 / 127, 1 / 100, 1 / 200], 0),
                     q8s(1 / 25, -128)),
                    [2, 3, 3, 17], [3, 1, 1, 17], (1, 1), VALID, RELU),
        convolution('conv_2d_f32_dilated', 3, (F32, F32, F32), [1, 7, 7, 1], [2, 3, 3, 1], (1, 1),
                    VALID, NONE, dilation=(3, 2)),
    ],
    'depthwise_conv_2d': [
        convolution('depthwise_conv_2d_f32_multiplier', 1, (F32, F32, F32), [1, 4, 5, 3],
                    [1, 3, 3, 6], (1, 1), SAME, RELU, multiplier=2),
        convolution('depthwise_conv_2d_q8s_per_channel_stride', 4,
                    (q8s(1 / 60, 11), per_channel([1 / 127, 1 / 90, 1 / 150, 1 / 127, 1 / 110], 3),
                     q8s(1 / 20, -20)),
                    [1, 6, 6, 5], [1, 3, 3, 5], (2, 2), SAME, NONE, multiplier=1),
        convolution('depthwise_conv_2d_q8_explicit_relu6', 1,
                    (q8(1 / 60, 128), FILTER, q8(6 / 255, 0)), [1, 3, 3, 2], [1, 2, 2, 2], (1, 1),
                    (0, 1, 0, 1), RELU6, multiplier=1),
    ],
    'dequantize': [
        dequantize('dequantize_q8', 1, q8(1 / 50, 131), F32, [2, 3, 5]),
        dequantize('dequantize_q8s_f16', 4, q8s(1 / 64, -3), F16, [11]),
        dequantize('dequantize_per_channel', 3, per_channel([1 / 50, 1 / 64, 1 / 90], 1), F32,
                   [2, 3, 2]),
    ],
    'fully_connected': [
        fully_connected('fully_connected_f32_rank_4', 1, (F32, F32, F32), [2, 1, 2, 9], [3, 18],
                        NONE),
        fully_connected('fully_connected_q8_relu1', 1, (q8(1 / 60, 117), FILTER, q8(1 / 100, 128)),
                        [3, 8], [5, 8], RELU1),
        fully_connected('fully_connected_q8s_relu', 4, (q8s(1 / 60, 9), FILTER_S, q8s(1 / 12, -90)),
                        [1, 67], [4, 67], RELU),
    ],
    'reshape': [
        reshape('reshape_f32', 1, F32, [2, 3, 4], [4, 6], [4, 6]),
        reshape('reshape_q8s_inferred', 4, q8s(1 / 60, 9), [2, 1, 6], [-1, 3], [4, 3]),
    ],
    'softmax': [
        softmax('softmax_f32_beta', 1, F32, F32, [2, 5], 1.5),
        softmax('softmax_q8', 1, q8(1 / 50, 120), q8(1 / 256, 0), [1, 2, 1, 6], 1.0),
        softmax('softmax_q8s', 4, q8s(1 / 30, 10), q8s(1 / 256, -128), [3, 10], 1.0),
        softmax('softmax_f32_axis', 3, F32, F32, [2, 3, 2], 1.0, axis=-2),
    ],
}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, 'data')
    os.makedirs(folder, exist_ok=True)
    for spec, tests in SPECS.items():
        write(os.path.join(folder, spec + '.json'), spec, tests)


if __name__ == '__main__':
    main()
