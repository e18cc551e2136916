"""Activation functions and the two forms of softmax."""
import numpy as np

from .cases import INTERNAL, ZERO_SIZED, Case, Const, Half, Input, failing, real, vectors
from .elementwise import activate
from .evaluate import operation
from .kinds import F32, I32, KINDS, each, q8, q8s


@operation('RELU', 1)
def relu(call):
    return activate(call.real(0), 1)


@operation('RELU1', 1)
def relu1(call):
    return activate(call.real(0), 2)


@operation('RELU6', 1)
def relu6(call):
    return activate(call.real(0), 3)


@operation('LOGISTIC', 1)
def logistic(call):
    return sigmoid(call.real(0))


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


@operation('TANH', 1)
def tanh(call):
    return np.tanh(call.real(0))


@operation('ELU', 4)
def elu(call):
    x = call.real(0)
    return np.maximum(x, 0) + np.minimum(0, call.number(1) * np.expm1(np.minimum(x, 0)))


@operation('HARD_SWISH', 4)
def hard_swish(call):
    x = call.real(0)
    return x * np.clip(x + 3, 0, 6) / 6


@operation('PRELU', 3)
def prelu(call):
    x, alpha = np.broadcast_arrays(call.real(0), call.real(1))
    return np.where(x >= 0, x, alpha * x)


@operation('SOFTMAX', 1)
def softmax(call):
    return np.exp(log_of_softmax(call.real(0), call.number(1), call.number(2, -1)))


@operation('LOG_SOFTMAX', 3)
def log_softmax(call):
    return log_of_softmax(call.real(0), call.number(1), call.number(2))


def log_of_softmax(x, beta, axis):
    if x.size == 0:
        return x
    scaled = beta * (x - x.max(axis=axis, keepdims=True))
    return scaled - np.log(np.exp(scaled).sum(axis=axis, keepdims=True))


# ---- Cases ---------------------------------------------------------------------------------------


@vectors('RELU', 'RELU1', 'RELU6')
def relu_cases(op):
    for word, kind in each('f32 f16') + [('q8', q8(0.06, 110)), ('q8s', q8s(0.06, -18))]:
        yield Case(word, [Input(kind, [3, 9], span=(-6, 8))], [kind])
        yield Case(f'{word}_rank_4', [Input(kind, [2, 1, 3, 3], span=(-6, 8))], [kind])
        yield Case(f'{word}_zero_sized', [Input(kind, [1, 3])], [kind], via=ZERO_SIZED)
    yield Case('q8_zero_is_the_lowest', [Input(q8(0.03, 0), [9], span=(0, 7))], [q8(0.03, 0)])
    yield Case('q8s_zero_is_the_highest', [Input(q8s(0.03, 127), [9], span=(-6, 0))],
               [q8s(0.03, 127)])
    yield Case('f32_relaxed_internal', [Input(F32, [11], span=(-6, 8))], [F32], relaxed=True,
               via=INTERNAL)
    yield failing('of_integers', [Input(I32, [3])], [I32], [3])


@vectors('LOGISTIC', 'TANH')
def sigmoid_cases(op):
    q8_out = q8(1 / 256, 0) if op == 'LOGISTIC' else q8(1 / 128, 128)
    q8s_out = q8s(1 / 256, -128) if op == 'LOGISTIC' else q8s(1 / 128, 0)
    for word, kind, out in [('f32', F32, F32), ('f16', KINDS['f16'], KINDS['f16']),
                            ('q8', q8(0.05, 117), q8_out), ('q8s', q8s(0.05, -11), q8s_out)]:
        level = 3 if (op, word) == ('TANH', 'q8') else 1
        yield Case(word, [Input(kind, [3, 11], span=(-5, 5))], [out], level=level)
        yield Case(f'{word}_rank_4', [Input(kind, [2, 2, 1, 3])], [out], level=level)
        yield Case(f'{word}_zero_sized', [Input(kind, [1, 3])], [out], via=ZERO_SIZED)
    for word, make, zero_point, out in [('q8', q8, 128, q8_out), ('q8s', q8s, 0, q8s_out)]:
        yield Case(f'{word}_saturated', [Input(make(0.5, zero_point), [9], span=(-60, 60))], [out],
                   level=3)
        yield failing(f'{word}_other_output_scale', [Input(make(0.05, zero_point), [3])],
                      [make(0.05, zero_point)], [3])
    yield Case('f32_relaxed_internal', [Input(F32, [11], span=(-5, 5))], [F32], relaxed=True,
               via=INTERNAL)


@vectors('ELU')
def elu_cases(op):
    for word, kind in each('f32 f16'):
        for name, alpha in [('alpha_one', 1.0), ('alpha_small', 0.125)]:
            yield Case(f'{word}_{name}', [Input(kind, [2, 9], span=(-4, 4)), real(kind, alpha)],
                       [kind])
        yield Case(f'{word}_rank_5', [Input(kind, [1, 2, 1, 2, 3], span=(-4, 4)), real(kind, 2.0)],
                   [kind])
    yield failing('f32_alpha_of_half', [Input(F32, [3]), Half(1.0)], [F32], [3])


@vectors('HARD_SWISH')
def hard_swish_cases(op):
    for word, kind, out in [('f32', F32, F32), ('f16', KINDS['f16'], KINDS['f16']),
                            ('q8', q8(0.035, 121), q8(0.021, 30)),
                            ('q8s', q8s(0.035, -7), q8s(0.021, -98))]:
        yield Case(word, [Input(kind, [3, 11], span=(-4, 4))], [out])
        yield Case(f'{word}_rank_5', [Input(kind, [1, 2, 1, 3, 2], span=(-4, 4))], [out])
        yield Case(f'{word}_zero_sized', [Input(kind, [1, 3])], [out], via=ZERO_SIZED)
    yield Case('f32_relaxed', [Input(F32, [11], span=(-5, 5))], [F32], relaxed=True)
    yield failing('of_integers', [Input(I32, [3])], [I32], [3])


@vectors('PRELU')
def prelu_cases(op):
    for word, kind, slope, out in [
            ('f32', F32, F32, F32), ('f16', KINDS['f16'], KINDS['f16'], KINDS['f16']),
            ('q8', q8(0.02, 121), q8(0.009, 40), q8(0.023, 150)),
            ('q8s', q8s(0.02, -7), q8s(0.009, -88), q8s(0.023, 22))]:
        alpha = dict(span=(0, 1.5))
        yield Case(f'{word}_slope_of_channel', [Input(kind, [2, 2, 3]),
                                                Const(slope, [1, 1, 3], **alpha)], [out])
        yield Case(f'{word}_slope_as_input', [Input(kind, [2, 5]), Input(slope, [5], **alpha)],
                   [out])
        yield Case(f'{word}_slope_is_larger', [Input(kind, [5]), Const(slope, [2, 5], **alpha)],
                   [out])
    yield failing('sizes_that_differ', [Input(F32, [3]), Const(F32, [2])], [F32], [3])


@vectors('SOFTMAX')
def softmax_cases(op):
    for word, kind, out in [('f32', F32, F32), ('f16', KINDS['f16'], KINDS['f16']),
                            ('q8', q8(0.03, 121), q8(1 / 256, 0)),
                            ('q8s', q8s(0.03, -7), q8s(1 / 256, -128))]:
        yield Case(f'{word}_rank_2', [Input(kind, [2, 7]), real(kind, 1.0)], [out])
        yield Case(f'{word}_rank_4', [Input(kind, [1, 2, 2, 5]), real(kind, 0.5)], [out])
        yield Case(f'{word}_rank_1', [Input(kind, [9]), real(kind, 1.5)], [out], level=3)
        yield Case(f'{word}_zero_sized', [Input(kind, [1, 3]), real(kind, 1.0)], [out],
                   via=ZERO_SIZED)
        for axis in (0, 1, 2, -1, -2, -3):
            name = f'axis_{axis}' if axis >= 0 else f'axis_minus_{-axis}'
            yield Case(f'{word}_{name}', [Input(kind, [2, 3, 4]), real(kind, 1.0), axis], [out],
                       level=3)
    yield Case('f32_relaxed_internal', [Input(F32, [2, 5]), 1.0], [F32], relaxed=True, via=INTERNAL)
    yield Case('f32_far_apart', [Input(F32, [4], [-500, 0, 499, 500]), 1.0], [F32], level=3)
    yield failing('beta_of_zero', [Input(F32, [2, 5]), 0.0], [F32], [2, 5])
    yield failing('axis_too_large', [Input(F32, [2, 5]), 1.0, 2], [F32], [2, 5], level=3)
    yield failing('axis_too_small', [Input(F32, [2, 5]), 1.0, -3], [F32], [2, 5], level=3)
    yield failing('q8_other_output_scale', [Input(q8(0.03, 9), [2, 5]), 1.0], [q8(1 / 128, 0)],
                  [2, 5])


@vectors('LOG_SOFTMAX')
def log_softmax_cases(op):
    for word, kind in each('f32 f16'):
        yield Case(f'{word}_beta', [Input(kind, [2, 7]), real(kind, 1.5), 1], [kind])
        for axis in (0, 1, -1, -3):
            name = f'axis_{axis}' if axis >= 0 else f'axis_minus_{-axis}'
            yield Case(f'{word}_{name}', [Input(kind, [2, 3, 4]), real(kind, 1.0), axis], [kind])
        yield Case(f'{word}_rank_5', [Input(kind, [1, 2, 1, 2, 3]), real(kind, 1.0), 3], [kind])
    yield failing('axis_too_large', [Input(F32, [2, 5]), 1.0, 2], [F32], [2, 5])
