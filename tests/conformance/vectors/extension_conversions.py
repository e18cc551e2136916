"""Conversions and normalisations of org.halyard.operations."""
import math

import numpy as np

from .activations import log_of_softmax
from .cases import Case, Input, failing, vectors
from .evaluate import Raw, operation
from .extension_functions import INTEGERS, REALS, Stored, integers, wrapped
from .kinds import (EXTENSION, F32, Kind, KINDS, each, per_channel, q8, q8_symm, q8s, q16_asymm,
                    q16_symm, single)

WIDE = Kind('TENSOR_INT32', float(single(0.0001)))
ALL = each(f'{REALS} {INTEGERS} bool q8 q8s q16') + [('q16_asymm', q16_asymm(0.01, 9))]
STORED_AS = {'TENSOR_FLOAT32': 'f4', 'TENSOR_FLOAT16': 'f2', 'FLOAT64': 'f8', 'BFLOAT16': 'u2',
             'TENSOR_INT32': 'i4', 'INT8': 'i1', 'INT16': 'i2', 'INT64': 'i8', 'UINT8': 'u1', 'UINT16': 'u2',
             'UINT32': 'u4', 'UINT64': 'u8', 'TENSOR_BOOL8': 'u1', 'TENSOR_QUANT8_ASYMM': 'u1',
             'TENSOR_QUANT8_ASYMM_SIGNED': 'i1', 'TENSOR_QUANT16_SYMM': 'i2', 'TENSOR_QUANT16_ASYMM': 'u2'}


def dtype(kind):
    return np.dtype('<' + STORED_AS[kind.type.removeprefix(EXTENSION + 'TENSOR_')])


def elements(value):
    return value.stored.ravel().tolist() if value.kind.is_float else integers(value)


def converted(value, kind, out):
    """Stored number to stored number."""
    if out.type == 'TENSOR_BOOL8':
        return int(value != 0)
    if out.is_float:
        return float(value) if out.is_wide else out.nearest(single([float(value)])).item()
    if not kind.is_float:
        return wrapped(out, value)
    low, high = out.limits
    return wrapped(out, min(max(math.trunc(value), low), high))


@operation(EXTENSION + 'CAST', 3)
def cast(call):
    kind, out = call.kind(0), call.outputs[0]
    results = [converted(v, kind, out) for v in elements(call.inputs[0])]
    return Raw(np.array(results, np.float64 if out.is_float else np.int64).reshape(call.raw(0).shape))


def bytes_of(value):
    if value.kind.is_bfloat:
        return (value.stored.astype(np.float32).view(np.uint32) >> 16).astype('<u2').tobytes()
    if value.kind.is_float:
        return value.stored.astype(dtype(value.kind)).tobytes()
    return np.array(integers(value), dtype(value.kind)).tobytes()


def from_bytes(data, kind):
    """The stored numbers."""
    numbers = np.frombuffer(data, dtype(kind))
    if kind.is_bfloat:
        return (numbers.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind.type == 'TENSOR_BOOL8':
        return (numbers != 0).astype(np.int64)
    return numbers.astype(np.float64 if kind.is_float else np.int64)


@operation(EXTENSION + 'BITCAST', 3)
def bitcast(call):
    kind, out = call.kind(0), call.outputs[0]
    shape = list(call.raw(0).shape)
    if dtype(out).itemsize > dtype(kind).itemsize:
        shape.pop()
    elif dtype(out).itemsize < dtype(kind).itemsize:
        shape.append(dtype(kind).itemsize // dtype(out).itemsize)
    return Raw(from_bytes(bytes_of(call.inputs[0]), out).reshape(shape))


@operation(EXTENSION + 'QUANTIZE', 3)
def quantize(call):
    return call.real(0)


@operation(EXTENSION + 'DEQUANTIZE', 3)
def dequantize(call):
    return call.real(0)


@operation(EXTENSION + 'SOFTMAX', 3)
def softmax(call):
    return np.exp(log_of_softmax(call.real(0), call.number(1), call.number(2)))


@operation(EXTENSION + 'LOG_SOFTMAX', 3)
def log_softmax(call):
    return log_of_softmax(call.real(0), call.number(1), call.number(2))


@operation(EXTENSION + 'L2_NORMALIZATION', 3)
def l2_normalization(call):
    x = call.real(0)
    return x / np.maximum(np.sqrt((x * x).sum(axis=call.number(1), keepdims=True)), 1e-6)


# ---- Cases ---------------------------------------------------------------------------------------


def numbers_of(kind):
    """Numbers inside and outside of what other types hold."""
    if kind.type == 'TENSOR_BOOL8':
        return Stored(kind, [4], [0, 1, 1, 0])
    if not kind.is_float:
        low, high = kind.limits
        return Stored(kind, [7], [low, 0, 1, 100, 127, high // 2, high])
    large = 60000 if kind.is_half else 1e30
    return Input(kind, [2, 1, 5], [-large, -300.5, -1.75, -0.5, 0, 0.25, 1.5, 254.5, 4096, large])


@vectors(EXTENSION + 'CAST')
def cast_cases(_):
    for word, kind in ALL:
        for name, out in ALL:
            given = numbers_of(kind)
            if out.is_half and word != 'f16':  # not to infinity
                given = Input(kind, [4], [0, 1, 1, 0] if word == 'bool' else [0, 1, 100, 120], stored=not kind.is_float)
            if word == 'f64' and name in ('f32', 'bf16'):
                given = Input(kind, [3], [-0.1, 3, 1e30])
            yield Case(f'{word}_to_{name}', [given], [out])
    yield failing('of_scales_per_channel', [Input(per_channel([0.1, 0.2], 0), [2, 3])], [F32], [2, 3])


@vectors(EXTENSION + 'BITCAST')
def bitcast_cases(_):
    for word, kind in ALL:
        data = bytes([0, 1] * 12) if word == 'bool' else bytes([1, 2, 3, 0x3f, 4, 5, 6, 0x40] * 3)
        for name, out in ALL:
            size, to = dtype(kind).itemsize, dtype(out).itemsize
            shape = [3, to // size] if to > size else [3]
            values = from_bytes(data[:3 * max(size, to)], kind)[:math.prod(shape)]
            given = Input(kind, shape, values) if kind.is_float else Stored(kind, shape, values.tolist())
            yield Case(f'{word}_to_{name}', [given], [out])
    yield failing('of_another_last_dimension', [Input(KINDS['i8'], [2, 3])], [F32], [2])
    yield failing('of_one_dimension', [Input(KINDS['i8'], [4])], [F32], [1])


@vectors(EXTENSION + 'QUANTIZE')
def quantize_cases(_):
    outputs = [('q8', q8(0.019, 117)), ('q8s', q8s(0.019, -11)), ('q16', q16_symm(0.0001)),
               ('q16_asymm', q16_asymm(0.0001, 31000))]
    for word, kind in each(REALS):
        for name, out in outputs:
            yield Case(f'{word}_to_{name}', [Input(kind, [1, 3, 1, 2, 4])], [out])
            yield Case(f'{word}_to_{name}_saturated', [Input(kind, [4], [-90, -8, 8, 90])], [out])
    inputs = [('q8', q8(0.027, 100)), ('q8s', q8s(0.027, 20)), ('q16', q16_symm(0.00007)),
              ('q16_asymm', q16_asymm(0.00007, 30000)), ('i32', Kind('TENSOR_INT32', float(single(1e-6))))]
    for word, kind in inputs:
        for name, out in outputs + [('i32', WIDE)]:
            yield Case(f'{word}_to_{name}', [Input(kind, [1, 3, 1, 2, 4])], [out])
            low, high = kind.limits
            yield Case(f'{word}_to_{name}_limits', [Stored(kind, [3], [low, (low + high) // 2, high])], [out])
    yield failing('int32_without_scale', [Input(KINDS['i32'], [3])], [q8(0.1, 2)], [3])


@vectors(EXTENSION + 'DEQUANTIZE')
def dequantize_cases(_):
    kinds = [('q8', q8(0.019, 117)), ('q8s', q8s(0.019, -11)), ('q16', q16_symm(0.0001)),
             ('q16_asymm', q16_asymm(0.0001, 31000)), ('q8_symm', q8_symm(0.017)), ('i32', WIDE)]
    for word, kind in kinds:
        for name, out in each(REALS):
            yield Case(f'{word}_to_{name}', [Input(kind, [1, 3, 1, 2, 4])], [out])
    for axis in range(3):
        kind = per_channel([0.01 + 0.003 * i for i in range(axis + 2)], axis)
        for name, out in each(REALS):
            yield Case(f'q8_per_channel_{axis}_to_{name}', [Input(kind, [2, 3, 4, 1, 2])], [out])
    yield failing('of_floats', [Input(F32, [3])], [F32], [3])


def normalised(out_scale, out_zero):
    yield from ((word, kind, kind) for word, kind in each(REALS))
    yield 'q8', q8(0.03, 121), q8(out_scale, out_zero + 128)
    yield 'q8s', q8s(0.03, -7), q8s(out_scale, out_zero)
    yield 'q16', q16_symm(0.0001), q16_symm(out_scale / 128)


def axis_cases(kinds, *parameters):
    for word, kind, out in kinds:
        for axis in (0, 2, -1, -3):
            name = f'axis_{axis}' if axis >= 0 else f'axis_minus_{-axis}'
            yield Case(f'{word}_{name}', [Input(kind, [2, 3, 4]), *parameters, axis], [out])
        yield Case(f'{word}_rank_6', [Input(kind, [1, 2, 1, 2, 1, 3]), *parameters, 3], [out])
    yield failing('axis_too_large', [Input(F32, [2, 5]), *parameters, 2], [F32], [2, 5])


@vectors(EXTENSION + 'SOFTMAX')
def softmax_cases(_):
    yield from axis_cases(normalised(1 / 127, -128 + 64), 1.5)


@vectors(EXTENSION + 'LOG_SOFTMAX')
def log_softmax_cases(_):
    yield from axis_cases(normalised(0.05, 100), 1.0)


@vectors(EXTENSION + 'L2_NORMALIZATION')
def l2_cases(_):
    yield from axis_cases(normalised(1 / 120, 0))
