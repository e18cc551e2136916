"""Between number types."""
import numpy as np

from .cases import INTERNAL, ZERO_SIZED, Case, Input, failing, vectors
from .evaluate import Raw, operation
from .kinds import (B8, F16, F32, I32, KINDS, per_channel, q8, q8_symm, q8s, q16_asymm, q16_symm)


@operation('QUANTIZE', 3)
def quantize(call):
    return call.real(0)


@operation('DEQUANTIZE', 1)
def dequantize(call):
    return call.real(0)


@operation('CAST', 3)
def cast(call):
    """Stored numbers to stored numbers: scales mean nothing."""
    out = call.outputs[0]
    if call.kind(0).type == out.type:
        return Raw(call.raw(0))
    if out.is_float:
        return out.store(call.raw(0))
    return Raw(np.clip(np.trunc(call.raw(0)), *out.limits).astype(np.int64))


# ---- Cases ---------------------------------------------------------------------------------------


@vectors('QUANTIZE')
def quantize_cases(op):
    for word, kind in [('f32', F32), ('f16', F16)]:
        for name, out in [('q8', q8(0.019, 117)), ('q8s', q8s(0.019, -11))]:
            yield Case(f'{word}_to_{name}', [Input(kind, [3, 7])], [out])
            yield Case(f'{word}_to_{name}_saturated', [Input(kind, [4], [-90, -8, 8, 90])], [out])
            yield Case(f'{word}_to_{name}_rank_5', [Input(kind, [1, 2, 1, 2, 3])], [out])
            yield Case(f'{word}_to_{name}_zero_sized', [Input(kind, [1, 3])], [out], via=ZERO_SIZED)
    yield Case('f32_relaxed', [Input(F32, [7])], [q8(0.019, 117)], relaxed=True)
    yield failing('of_integers', [Input(I32, [3])], [q8(0.02, 9)], [3])


@vectors('DEQUANTIZE')
def dequantize_cases(op):
    for word, kind in [('q8', q8(0.019, 117)), ('q8s', q8s(0.019, -11)),
                       ('q8_symm', q8_symm(0.017))]:
        for name, out in [('f32', F32), ('f16', F16)]:
            yield Case(f'{word}_to_{name}', [Input(kind, [3, 7])], [out])
            yield Case(f'{word}_to_{name}_rank_4', [Input(kind, [2, 1, 2, 3])], [out])
            yield Case(f'{word}_to_{name}_limits',
                       [Input(kind, [3], [kind.limits[0], kind.zero_point, kind.limits[1]],
                              stored=True)], [out])
            if word != 'q8_symm':
                yield Case(f'{word}_to_{name}_zero_sized', [Input(kind, [1, 3])], [out],
                           via=ZERO_SIZED)
    for axis in range(3):
        kind = per_channel([0.01 + 0.003 * i for i in range(axis + 2)], axis)
        for name, out in [('f32', F32), ('f16', F16)]:
            yield Case(f'q8_per_channel_{axis}_to_{name}', [Input(kind, [2, 3, 4])], [out])
    yield Case('f32_relaxed_internal', [Input(q8(0.019, 117), [7])], [F32], relaxed=True,
               via=INTERNAL)
    yield failing('of_floats', [Input(F32, [3])], [F32], [3])


@vectors('CAST')
def cast_cases(op):
    kinds = [(word, KINDS[word]) for word in ('f32', 'f16', 'i32', 'q8')]
    inside = {'f32': [-1.75, -0.5, 0, 0.25, 1.5, 254.5, 300], 'i32': [-300, -1, 0, 1, 90, 255, 700],
              'q8': [0, 1, 2, 100, 121, 254, 255]}
    inside['f16'] = inside['f32']
    for word, kind in kinds:
        for name, out in kinds:
            yield Case(f'{word}_to_{name}',
                       [Input(kind, [7], inside[word], stored=not kind.is_float)], [out],
                       level=3)
    others = [('bool', B8), ('q16_asymm', q16_asymm(0.01, 9)), ('q16_symm', q16_symm(0.01)),
              ('q8s', KINDS['q8s']), ('q8_symm', q8_symm(0.01))]
    for word, kind in others:
        numbers = [0, 1, 1, 0] if kind is B8 else [kind.limits[0], 0, 5, kind.limits[1]]
        yield Case(f'{word}_to_{word}', [Input(kind, [2, 2], numbers, stored=True)], [kind],
                   level=4)
    yield failing('q8s_to_f32', [Input(KINDS['q8s'], [3])], [F32], [3])
    yield failing('bool_to_i32', [Input(B8, [3])], [I32], [3])
