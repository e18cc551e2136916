"""Convolutions and matrix products."""
import numpy as np

from .cases import (INTERNAL, NONE, RELU, RELU1, RELU6, SAME, VALID, ZERO_SIZED, Case, Const,
                    Input, SharedConst, failing, ints, vectors)
from .elementwise import activate, wrapped
from .evaluate import Raw, operation
from .kinds import F16, F32, I32, KINDS, Kind, per_channel, q8, q8s, single


def to_nhwc(values, nchw):
    return values.transpose(0, 2, 3, 1) if nchw else values


def from_nhwc(values, nchw):
    return values.transpose(0, 3, 1, 2) if nchw else values


def same_padding(size, window, stride, dilation=1):
    """(before, after) so that the output has ceil(size / stride) elements."""
    reach = (window - 1) * dilation + 1
    total = max((-(-size // stride) - 1) * stride + reach - size, 0)
    return total // 2, total - total // 2


class Geometry:
    """Padding, stride and dilation, each as (vertical, horizontal); read from a Call."""

    def __init__(self, call, at, explicit, extra=0):
        """`at` is the first of the padding operands; `extra` operands follow the strides."""
        strides = at + (4 if explicit else 1)
        self.scheme = None if explicit else call.number(at)
        if explicit:
            left, right, top, bottom = (call.number(i) for i in range(at, at + 4))
            self.given = (top, bottom), (left, right)
        self.stride = call.number(strides + 1), call.number(strides)
        after = strides + 2 + extra
        self.activation = call.number(after)
        self.nchw = bool(call.number(after + 1, 0))
        self.dilation = call.number(after + 3, 1), call.number(after + 2, 1)

    def pads(self, size, window):
        if self.scheme is None:
            return self.given
        if self.scheme != SAME:
            return (0, 0), (0, 0)
        return tuple(same_padding(*each) for each in zip(size, window, self.stride, self.dilation))


def taps(x, window, geometry, outside=0.0):
    """
    For each cell of the window: its row and column, and the elements it meets, one per output
    position. `x` is NHWC; outside of it everything is `outside`.
    """
    pads = geometry.pads(x.shape[1:3], window)
    padded = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=outside)
    (sy, sx), (dy, dx) = geometry.stride, geometry.dilation
    height = (padded.shape[1] - (window[0] - 1) * dy - 1) // sy + 1
    width = (padded.shape[2] - (window[1] - 1) * dx - 1) // sx + 1
    for i in range(window[0]):
        for j in range(window[1]):
            top, left = i * dy, j * dx
            yield i, j, padded[:, top:top + (height - 1) * sy + 1:sy,
                               left:left + (width - 1) * sx + 1:sx, :]


def bias_of(call):
    """The real bias: of integers, in units of the product of the input's and filter's scales."""
    if not call.kind(0).is_quantised:
        return call.real(2)
    scales = call.kind(1).scales or [call.kind(1).scale]
    return call.raw(2) * call.kind(0).scale * np.array(scales)


def finish(total, call, geometry):
    return from_nhwc(activate(total + bias_of(call), geometry.activation), geometry.nchw)


@operation('CONV_2D', 1)
def conv_2d(call):
    explicit = len(call.inputs) >= 10 and call.kind(7).type == 'INT32'
    geometry = Geometry(call, 3, explicit)
    return finish(grouped_sum(call.real(0), call.real(1), geometry, 1), call, geometry)


@operation('GROUPED_CONV_2D', 3)
def grouped_conv_2d(call):
    explicit = len(call.inputs) == 12
    geometry = Geometry(call, 3, explicit, extra=1)
    groups = call.number(9 if explicit else 6)
    return finish(grouped_sum(call.real(0), call.real(1), geometry, groups), call, geometry)


def grouped_sum(x, f, geometry, groups):
    x = to_nhwc(x, geometry.nchw)
    depth, outputs = f.shape[3], f.shape[0] // groups
    total = 0
    for i, j, seen in taps(x, f.shape[1:3], geometry):
        total = total + np.concatenate(
            [seen[..., g * depth:(g + 1) * depth] @ f[g * outputs:(g + 1) * outputs, i, j].T
             for g in range(groups)], axis=3)
    return total


@operation('DEPTHWISE_CONV_2D', 1)
def depthwise_conv_2d(call):
    explicit = len(call.inputs) >= 11 and call.kind(8).type == 'INT32'
    geometry = Geometry(call, 3, explicit, extra=1)
    x, f = to_nhwc(call.real(0), geometry.nchw), call.real(1)
    multiplier = call.number(9 if explicit else 6)
    total = sum(np.repeat(seen, multiplier, axis=3) * f[0, i, j]
                for i, j, seen in taps(x, f.shape[1:3], geometry))
    return finish(total, call, geometry)


def transpose_padding(scheme, requested, window, stride):
    """(before, after) of one dimension; the end may be negative."""
    if scheme != SAME:
        return 0, 0
    total = (-(-requested // stride) - 1) * stride + window
    before = max(total - requested, 0) // 2
    return before, total - requested - before


@operation('TRANSPOSE_CONV_2D', 3)
def transpose_conv_2d(call):
    explicit = len(call.inputs) == 11
    geometry = Geometry(call, 3 if explicit else 4, explicit)
    x, f = to_nhwc(call.real(0), geometry.nchw), call.real(1)
    full = scattered(x, f, geometry.stride)
    pads = transpose_pads(call, geometry, f.shape[1:3], explicit)
    return finish(cut_transposed(full, pads), call, geometry)


def transpose_pads(call, geometry, window, explicit):
    """(before, after) of both dimensions."""
    if explicit:
        return geometry.given
    shape = call.ints(3)
    requested = shape[2:4] if geometry.nchw else shape[1:3]
    return [transpose_padding(geometry.scheme, *each)
            for each in zip(requested, window, geometry.stride)]


def cut_transposed(full, pads):
    full = np.pad(full, [(0, 0)] + [(0, max(0, -after)) for _, after in pads] + [(0, 0)])
    (top, bottom), (left, right) = pads
    height, width = full.shape[1] - max(bottom, 0), full.shape[2] - max(right, 0)
    return full[:, top:height, left:width]


def scattered(x, f, stride):
    n, height, width, _ = x.shape
    outputs, fh, fw, _ = f.shape
    full = np.zeros((n, (height - 1) * stride[0] + fh, (width - 1) * stride[1] + fw, outputs))
    for i in range(fh):
        for j in range(fw):
            full[:, i:i + (height - 1) * stride[0] + 1:stride[0],
                 j:j + (width - 1) * stride[1] + 1:stride[1]] += x @ f[:, i, j].T
    return full


@operation('FULLY_CONNECTED', 1)
def fully_connected(call):
    weights = call.real(1)
    rows = call.real(0).size // weights.shape[1]
    x = call.real(0).reshape(rows, weights.shape[1])
    return activate(x @ weights.T + bias_of(call), call.number(3))


@operation('BATCH_MATMUL', 6)
def batch_matmul(call):
    a, b = ((call.raw if call.kind(0).type == 'TENSOR_INT32' else call.real)(i) for i in (0, 1))
    a = a.swapaxes(-1, -2) if call.number(2) else a
    b = b.swapaxes(-1, -2) if call.number(3) else b
    return Raw(wrapped(a @ b)) if call.kind(0).type == 'TENSOR_INT32' else a @ b


# ---- Cases ---------------------------------------------------------------------------------------


def product_scale(x, f):
    return float(single(single(x.scale) * single(f.scale)))


def bias(x, f, size, make=Const):
    """The bias that goes with an input and a filter."""
    if not x.is_quantised:
        return make(x, [size], span=(-1, 1))
    scale = 0.0 if f.scales else product_scale(x, f)
    return make(Kind('TENSOR_INT32', scale), [size], span=(-3000, 3000), stored=True)


def kind_sets(channels, channel_dim=0):
    """(word, input, filter, output) for every combination of types."""
    scales = [0.008 + 0.001 * (i % 5) for i in range(channels)]
    filters = per_channel(scales, channel_dim)
    yield 'f32', F32, F32, F32
    yield 'f16', F16, F16, F16
    yield 'q8', q8(0.02, 121), q8(0.009, 113), q8(0.053, 117)
    yield 'q8_per_channel', q8(0.02, 121), filters, q8(0.053, 117)
    yield 'q8s', q8s(0.02, -7), q8s(0.009, 11), q8s(0.053, -9)
    yield 'q8s_per_channel', q8s(0.02, -7), filters, q8s(0.053, -9)


def convolution_cases(forms, x_dims, f_dims, channel_dim):
    """`forms`: (name, operands after the bias, NCHW). Dimensions are NHWC."""
    channels = f_dims[channel_dim]
    for word, x, f, out in kind_sets(channels, channel_dim):
        for name, rest, nchw in forms:
            dims = [x_dims[i] for i in (0, 3, 1, 2)] if nchw else x_dims
            yield Case(f'{word}_{name}', [Input(x, dims), Const(f, f_dims, span=(-1, 1)),
                                          bias(x, f, channels), *rest], [out])
        if word not in ('f32', 'q8s_per_channel'):
            continue
        name, rest, _ = forms[0]
        yield Case(f'{word}_weights_as_inputs',
                   [Input(x, x_dims), Input(f, f_dims, span=(-1, 1)),
                    bias(x, f, channels, Input), *rest], [out])


def common_failures(x_dims, f_dims, channels, rest, out_dims):
    """What every convolution refuses."""
    def inputs(x=x_dims, f=f_dims, b=channels):
        return [Input(F32, x), Const(F32, f), Const(F32, [b]), *rest]
    yield failing('rank_3', inputs(x=x_dims[1:]), [F32], out_dims)
    yield failing('bias_too_long', inputs(b=channels + 1), [F32], out_dims)
    wrong = q8(0.02, 9), q8(0.01, 9)
    yield failing('wrong_bias_scale',
                  [Input(wrong[0], x_dims), Const(wrong[1], f_dims, span=(0, 1)),
                   Const(Kind('TENSOR_INT32', 0.5), [channels], span=(0, 9), stored=True), *rest],
                  [q8(0.05, 9)], out_dims)


@vectors('CONV_2D')
def conv_2d_cases(op):
    forms = [
        ('same', [SAME, 1, 1, NONE], False),
        ('valid_stride_relu', [VALID, 2, 1, RELU], False),
        ('same_nchw_relu6', [SAME, 1, 2, RELU6, True], True),
        ('same_dilated', [SAME, 1, 1, NONE, False, 2, 1], False),
        ('explicit', [1, 0, 1, 0, 2, 1, NONE], False),
        ('explicit_nchw_relu1', [1, 1, 0, 1, 1, 2, RELU1, True], True),
        ('explicit_dilated', [2, 1, 0, 1, 1, 1, NONE, False, 2, 2], False),
    ]
    yield from convolution_cases(forms, [1, 3, 4, 2], [2, 2, 3, 2], 0)
    plain = [SAME, 1, 1, NONE]
    for word, x, f, out in kind_sets(3):
        if word in ('f16', 'q8s'):
            continue
        yield Case(f'{word}_pointwise', [Input(x, [2, 2, 3, 5]), Const(f, [3, 1, 1, 5]),
                                         bias(x, f, 3), *plain], [out])
        yield Case(f'{word}_zero_batch', [Input(x, [1, 3, 3, 2]), Const(f, [3, 2, 2, 2]),
                                          bias(x, f, 3), *plain], [out], via=ZERO_SIZED)
    inputs = [Input(F32, [1, 3, 2, 2]), Const(F32, [3, 2, 2, 2]), Const(F32, [3]), *plain]
    yield Case('f32_relaxed_internal', inputs, [F32], relaxed=True, via=INTERNAL)
    yield Case('f32_weights_in_memory', [inputs[0], SharedConst(F32, [3, 2, 2, 2]),
                                         SharedConst(F32, [3]), *plain], [F32])
    large_step = q8(0.02, 121), q8(0.5, 3)
    yield Case('q8_multiplier_above_one',
               [Input(large_step[0], [1, 2, 2, 2], span=(-1, 1)),
                Const(large_step[1], [2, 1, 1, 2], span=(-1, 2)), bias(*large_step, 2), *plain],
               [q8(0.007, 128)], level=3)
    yield from common_failures([1, 3, 2, 2], [3, 2, 2, 2], 3, plain, [1, 3, 2, 3])
    yield failing('depths_that_differ', [Input(F32, [1, 3, 2, 3]), *inputs[1:]], [F32],
                  [1, 3, 2, 3])
    yield failing('mixed_types', [Input(F16, [1, 3, 2, 2]), *inputs[1:]], [F32], [1, 3, 2, 3])
    yield failing('unknown_scheme', inputs[:3] + [9, 1, 1, NONE], [F32], [1, 3, 2, 3])
    yield failing('stride_of_zero', inputs[:3] + [SAME, 0, 1, NONE], [F32], [1, 3, 2, 3])
    yield failing('negative_stride', inputs[:3] + [SAME, 1, -1, NONE], [F32], [1, 3, 2, 3])
    yield failing('dilation_of_zero', inputs + [False, 0, 1], [F32], [1, 3, 2, 3], level=3)
    yield failing('per_channel_of_another_dimension',
                  [Input(q8(0.02, 9), [1, 3, 2, 3]),
                   Const(per_channel([0.01] * 3, 3), [3, 2, 2, 3]),
                   Const(I32, [3], stored=True, values=[1, 2, 3]), *plain], [q8(0.05, 9)],
                  [1, 3, 2, 3])


@vectors('DEPTHWISE_CONV_2D')
def depthwise_conv_2d_cases(op):
    forms = [
        ('same', [SAME, 1, 1, 2, NONE], False),
        ('valid_stride_relu', [VALID, 1, 2, 2, RELU], False),
        ('same_nchw_relu6', [SAME, 2, 1, 2, RELU6, True], True),
        ('same_dilated', [SAME, 1, 1, 2, NONE, False, 1, 2], False),
        ('explicit', [1, 0, 1, 0, 2, 1, 2, NONE], False),
        ('explicit_nchw_relu1', [0, 1, 1, 1, 1, 2, 2, RELU1, True], True),
        ('explicit_dilated', [1, 2, 1, 0, 1, 1, 2, NONE, False, 2, 2], False),
    ]
    yield from convolution_cases(forms, [1, 3, 4, 2], [1, 2, 3, 4], 3)
    plain = [SAME, 1, 1, 1, NONE]
    for word, x, f, out in kind_sets(5, 3):
        if word in ('f16', 'q8s'):
            continue
        yield Case(f'{word}_multiplier_of_one', [Input(x, [1, 3, 3, 5]), Const(f, [1, 2, 2, 5]),
                                                 bias(x, f, 5), *plain], [out])
        yield Case(f'{word}_multiplier_only', [Input(x, [2, 2, 3, 1]), Const(f, [1, 2, 2, 5]),
                                               bias(x, f, 5), SAME, 1, 1, 5, NONE], [out])
        yield Case(f'{word}_zero_batch', [Input(x, [1, 3, 3, 5]), Const(f, [1, 2, 2, 5]),
                                          bias(x, f, 5), *plain], [out], via=ZERO_SIZED)
    inputs = [Input(F32, [1, 3, 2, 3]), Const(F32, [1, 2, 2, 3]), Const(F32, [3]), *plain]
    yield Case('f32_relaxed_internal', inputs, [F32], relaxed=True, via=INTERNAL)
    yield from common_failures([1, 3, 2, 3], [1, 2, 2, 3], 3, plain, [1, 3, 2, 3])
    yield failing('wrong_multiplier', inputs[:6] + [2, NONE], [F32], [1, 3, 2, 3])
    yield failing('filter_of_two', [inputs[0], Const(F32, [2, 2, 2, 3]), *inputs[2:]], [F32],
                  [1, 3, 2, 3])
    yield failing('per_channel_of_another_dimension',
                  [Input(q8(0.02, 9), [1, 3, 2, 3]), Const(per_channel([0.01], 0), [1, 2, 2, 3]),
                   Const(I32, [3], stored=True, values=[1, 2, 3]), *plain], [q8(0.05, 9)],
                  [1, 3, 2, 3])


@vectors('GROUPED_CONV_2D')
def grouped_conv_2d_cases(op):
    forms = [
        ('same', [SAME, 1, 1, 2, NONE, False], False),
        ('valid_stride_relu', [VALID, 1, 2, 2, RELU, False], False),
        ('same_nchw_relu6', [SAME, 2, 1, 2, RELU6, True], True),
        ('explicit', [1, 0, 1, 0, 2, 1, 2, NONE, False], False),
        ('explicit_nchw_relu1', [0, 1, 1, 1, 1, 2, 2, RELU1, True], True),
    ]
    yield from convolution_cases(forms, [1, 3, 3, 4], [4, 2, 2, 2], 0)
    plain = [SAME, 1, 1, 2, NONE, False]
    inputs = [Input(F32, [1, 3, 3, 4]), Const(F32, [4, 2, 2, 2]), Const(F32, [4]), *plain]
    yield Case('f32_relaxed_internal', inputs, [F32], relaxed=True, via=INTERNAL)
    yield from common_failures([1, 3, 3, 4], [4, 2, 2, 2], 4, plain, [1, 3, 3, 4])
    yield failing('groups_of_zero', inputs[:6] + [0, NONE, False], [F32], [1, 3, 3, 4])
    yield failing('groups_that_do_not_divide', inputs[:6] + [3, NONE, False], [F32], [1, 3, 3, 4])


@vectors('TRANSPOSE_CONV_2D')
def transpose_conv_2d_cases(op):
    forms = [
        ('same', [ints([1, 6, 3, 2]), SAME, 2, 2, NONE, False], False),
        ('same_smaller_filter', [ints([1, 9, 6, 2]), SAME, 3, 3, NONE, False], False),
        ('valid_relu', [ints([1, 8, 9, 2]), VALID, 1, 2, RELU, False], False),
        ('same_nchw_relu6', [ints([1, 2, 3, 4]), SAME, 2, 1, RELU6, True], True),
        ('explicit', [1, 0, 0, 1, 2, 2, NONE, False], False),
        ('explicit_nchw_relu1', [0, 1, 1, 1, 1, 2, RELU1, True], True),
        ('explicit_negative_end', [1, -1, 0, -1, 2, 2, NONE, False], False),
    ]
    yield from convolution_cases(forms, [1, 3, 2, 2], [2, 3, 2, 2], 0)
    plain = [ints([1, 6, 6, 3]), SAME, 2, 2, NONE, False]
    for word, x, f, out in kind_sets(3):
        yield Case(f'{word}_zero_batch', [Input(x, [1, 3, 3, 2]), Const(f, [3, 2, 2, 2]),
                                          bias(x, f, 3), 0, 0, 0, 0, 2, 2, NONE, False], [out],
                   via=ZERO_SIZED)
    inputs = [Input(F32, [1, 3, 3, 2]), Const(F32, [3, 2, 2, 2]), Const(F32, [3]), *plain]
    yield Case('f32_relaxed_internal', inputs, [F32], relaxed=True, via=INTERNAL)
    yield failing('depths_that_differ', [Input(F32, [1, 3, 3, 3]), *inputs[1:]], [F32],
                  [1, 6, 6, 3])
    yield failing('stride_of_zero', inputs[:5] + [0, 2, NONE, False], [F32], [1, 6, 6, 3])
    yield failing('bias_too_short', inputs[:2] + [Const(F32, [2]), *plain], [F32], [1, 6, 6, 3])
    yield failing('negative_head', inputs[:3] + [-1, 0, 0, 0, 2, 2, NONE, False], [F32],
                  [1, 6, 7, 3])


@vectors('FULLY_CONNECTED')
def fully_connected_cases(op):
    for word, x, f, out in kind_sets(1):
        if f.scales:
            continue
        for name, activation in [('none', NONE), ('relu', RELU), ('relu1', RELU1),
                                 ('relu6', RELU6)]:
            yield Case(f'{word}_{name}', [Input(x, [3, 5]), Const(f, [4, 5], span=(-1, 1)),
                                          bias(x, f, 4), activation], [out])
        weights = [Const(f, [3, 6], span=(-1, 1)), bias(x, f, 3), NONE]
        yield Case(f'{word}_rank_3', [Input(x, [2, 2, 3]), *weights], [out])
        yield Case(f'{word}_rank_4', [Input(x, [1, 2, 3, 2]), *weights], [out])
        yield Case(f'{word}_flattened_rows', [Input(x, [2, 3]), *weights], [out])
        yield Case(f'{word}_zero_batch', [Input(x, [1, 6]), *weights], [out], via=ZERO_SIZED)
        yield Case(f'{word}_weights_as_inputs', [Input(x, [1, 17]), Input(f, [2, 17]),
                                                 bias(x, f, 2, Input), NONE], [out])
    inputs = [Input(F32, [2, 5]), Const(F32, [3, 5]), Const(F32, [3]), NONE]
    yield Case('f32_relaxed_internal', inputs, [F32], relaxed=True, via=INTERNAL)
    yield failing('sizes_that_do_not_divide', [Input(F32, [2, 4]), *inputs[1:]], [F32], [2, 3])
    yield failing('weights_of_rank_3', [inputs[0], Const(F32, [3, 5, 1]), *inputs[2:]], [F32],
                  [2, 3])
    yield failing('bias_too_long', inputs[:2] + [Const(F32, [4]), NONE], [F32], [2, 3])
    yield failing('unknown_activation', inputs[:3] + [7], [F32], [2, 3])


@vectors('BATCH_MATMUL')
def batch_matmul_cases(op):
    for word, kind, out in [('f32', F32, F32), ('f16', F16, F16), ('i32', I32, I32),
                            ('q8s', q8s(0.02, -7), q8s(0.061, 12))]:
        span = (-30, 30) if word == 'i32' else (-2, 2)
        def tensor(dims, kind=kind, span=span):
            return Input(kind, dims, span=span)
        yield Case(f'{word}_rank_2', [tensor([2, 3]), tensor([3, 4]), False, False], [out])
        yield Case(f'{word}_rank_3', [tensor([2, 2, 3]), tensor([2, 3, 4]), False, False], [out])
        yield Case(f'{word}_rank_4', [tensor([2, 1, 2, 3]), tensor([2, 1, 3, 2]), False, False],
                   [out])
        yield Case(f'{word}_left_adjoint', [tensor([2, 3, 2]), tensor([2, 3, 4]), True, False],
                   [out])
        yield Case(f'{word}_right_adjoint', [tensor([2, 2, 3]), tensor([2, 4, 3]), False, True],
                   [out])
        yield Case(f'{word}_both_adjoint', [tensor([3, 2]), tensor([4, 3]), True, True], [out])
    yield failing('sizes_that_differ', [Input(F32, [2, 3]), Input(F32, [4, 2]), False, False],
                  [F32], [2, 2])
    yield failing('ranks_that_differ', [Input(F32, [1, 2, 3]), Input(F32, [3, 2]), False, False],
                  [F32], [1, 2, 2])
    yield failing('q8', [Input(KINDS['q8'], [2, 3]), Input(KINDS['q8'], [3, 2]), False, False],
                  [KINDS['q8']], [2, 2])
