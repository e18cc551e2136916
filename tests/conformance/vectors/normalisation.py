"""Normalisation over an axis, over neighbours, and over an image."""
import numpy as np

from .cases import INTERNAL, Case, Half, Input, failing, real, vectors
from .convolutions import from_nhwc, to_nhwc
from .evaluate import operation
from .kinds import F16, F32, I32, each, q8, q8s


@operation('L2_NORMALIZATION', 1)
def l2_normalization(call):
    x = call.real(0)
    norm = np.sqrt((x**2).sum(axis=call.number(1, -1), keepdims=True))
    return x / np.maximum(norm, 1e-6)


@operation('LOCAL_RESPONSE_NORMALIZATION', 1)
def local_response_normalization(call):
    radius, bias, alpha, beta = (call.number(i) for i in range(1, 5))
    x = np.moveaxis(call.real(0), call.number(5, -1), -1)
    count = x.shape[-1]
    sums = np.stack([(x[..., max(0, i - radius):i + radius + 1]**2).sum(axis=-1)
                     for i in range(count)], axis=-1)
    return np.moveaxis(x * (bias + alpha * sums)**-beta, -1, call.number(5, -1))


@operation('INSTANCE_NORMALIZATION', 3)
def instance_normalization(call):
    gamma, beta, epsilon, nchw = (call.number(i) for i in range(1, 5))
    x = to_nhwc(call.real(0), nchw)
    mean, variance = (f(x, axis=(1, 2), keepdims=True) for f in (np.mean, np.var))
    return from_nhwc((x - mean) * gamma / np.sqrt(variance + epsilon) + beta, nchw)


# ---- Cases ---------------------------------------------------------------------------------------


def axis_name(axis):
    return f'axis_{axis}' if axis >= 0 else f'axis_minus_{-axis}'


@vectors('L2_NORMALIZATION')
def l2_normalization_cases(op):
    for word, kind, out in [('f32', F32, F32), ('f16', F16, F16),
                            ('q8', q8(0.02, 117), q8(1 / 128, 128)),
                            ('q8s', q8s(0.02, -11), q8s(1 / 128, 0))]:
        level = 3 if word == 'q8' else 1
        yield Case(f'{word}_rank_4', [Input(kind, [2, 1, 2, 5])], [out], level=level)
        yield Case(f'{word}_rank_1', [Input(kind, [7])], [out], level=3)
        for axis in (0, 1, 2, -1, -2, -3):
            yield Case(f'{word}_{axis_name(axis)}', [Input(kind, [2, 3, 4]), axis], [out], level=3)
        yield Case(f'{word}_zeros', [Input(kind, [1, 1, 2, 3], [0, 0, 0, 1, -1, 0])], [out],
                   level=level)
    yield Case('f32_relaxed_internal', [Input(F32, [2, 1, 2, 5])], [F32], relaxed=True,
               via=INTERNAL)
    yield failing('axis_too_large', [Input(F32, [2, 5]), 2], [F32], [2, 5], level=3)
    yield failing('axis_too_small', [Input(F32, [2, 5]), -3], [F32], [2, 5], level=3)
    yield failing('q8_other_output_scale', [Input(q8(0.02, 117), [1, 1, 2, 5])], [q8(0.02, 128)],
                  [1, 1, 2, 5])
    yield failing('of_integers', [Input(I32, [1, 1, 2, 5])], [I32], [1, 1, 2, 5])


@vectors('LOCAL_RESPONSE_NORMALIZATION')
def local_response_normalization_cases(op):
    for word, kind in each('f32 f16'):
        def numbers(bias, alpha, beta, kind=kind):
            return [real(kind, v) for v in (bias, alpha, beta)]
        yield Case(f'{word}_rank_4', [Input(kind, [1, 2, 2, 6]), 2, *numbers(1, 0.5, 0.75)],
                   [kind])
        yield Case(f'{word}_radius_of_zero', [Input(kind, [1, 1, 2, 5]), 0, *numbers(2, 1, 0.5)],
                   [kind])
        yield Case(f'{word}_radius_above_all', [Input(kind, [1, 1, 2, 5]), 20,
                                                *numbers(9, 4, 0.5)], [kind])
        for axis in (0, 1, -1, -3):
            yield Case(f'{word}_{axis_name(axis)}',
                       [Input(kind, [3, 2, 4]), 1, *numbers(1, 0.25, 0.5), axis], [kind], level=3)
    inputs = [Input(F32, [1, 2, 2, 6]), 2, 1.0, 0.5, 0.75]
    yield Case('f32_relaxed_internal', inputs, [F32], relaxed=True, via=INTERNAL)
    yield failing('negative_radius', [inputs[0], -1, *inputs[2:]], [F32], [1, 2, 2, 6])
    yield failing('axis_too_large', inputs + [4], [F32], [1, 2, 2, 6], level=3)
    yield failing('scalars_of_half', inputs[:2] + [Half(1), Half(0.5), Half(0.75)], [F32],
                  [1, 2, 2, 6])


@vectors('INSTANCE_NORMALIZATION')
def instance_normalization_cases(op):
    for word, kind in each('f32 f16'):
        numbers = [real(kind, v) for v in (1.5, -0.25, 0.001)]
        yield Case(f'{word}_nhwc', [Input(kind, [2, 2, 3, 2]), *numbers, False], [kind])
        yield Case(f'{word}_nchw', [Input(kind, [2, 2, 3, 2]), *numbers, True], [kind])
        yield Case(f'{word}_one_pixel_is_beta', [Input(kind, [1, 1, 1, 3]), *numbers, False],
                   [kind])
    inputs = [Input(F32, [1, 3, 2, 2]), 1.0, 0.5, 0.01, False]
    yield Case('f32_relaxed_internal', inputs, [F32], relaxed=True, via=INTERNAL)
    yield failing('rank_3', [Input(F32, [3, 2, 2]), *inputs[1:]], [F32], [3, 2, 2])
