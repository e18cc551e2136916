"""Tables: rows by number, rows by key, and locality-sensitive hashing."""
import struct

import numpy as np

from .cases import Case, Const, Input, Omitted, failing, ints, vectors
from .evaluate import Raw, operation
from .farmhash import fingerprint64
from .kinds import F16, F32, I32, KINDS, each, q8

SPARSE_DEPRECATED, DENSE, SPARSE = 1, 2, 3


@operation('EMBEDDING_LOOKUP', 1)
def embedding_lookup(call):
    return call.real(1)[call.raw(0)]


@operation('HASHTABLE_LOOKUP', 1)
def hashtable_lookup(call):
    """Rows of keys that are not there are zero as stored, whatever the zero point."""
    keys, values = call.ints(1), call.raw(2)
    rows = np.zeros((len(call.ints(0)), *values.shape[1:]), values.dtype)
    hits = np.isin(call.raw(0), keys)
    for i, key in enumerate(call.ints(0)):
        if hits[i]:
            rows[i] = values[keys.index(key)]
    return Raw(rows), Raw(hits.astype(np.int64))


# How numbers of a type are stored; bfloat16 as the upper half of a float32.
BYTES = {'TENSOR_FLOAT32': '<f4', 'TENSOR_FLOAT16': '<f2', 'TENSOR_INT32': '<i4',
         'TENSOR_QUANT8_ASYMM': 'u1', 'TENSOR_QUANT8_ASYMM_SIGNED': 'i1', 'TENSOR_BOOL8': 'u1',
         'TENSOR_QUANT16_SYMM': '<i2', 'TENSOR_INT8': 'i1', 'TENSOR_INT16': '<i2',
         'TENSOR_INT64': '<i8', 'TENSOR_UINT8': 'u1', 'TENSOR_UINT16': '<u2',
         'TENSOR_UINT32': '<u4', 'TENSOR_UINT64': '<u8', 'TENSOR_FLOAT64': '<f8'}


def as_bytes(kind, row):
    if kind.is_bfloat:
        return (row.astype('<f4').view('<u4') >> 16).astype('<u2').tobytes()
    return row.astype(BYTES[kind.type.split('.')[-1]]).tobytes()


@operation('LSH_PROJECTION', 1)
def lsh_projection(call):
    seeds, kind = call.real(0), call.raw(3).item()
    rows = [as_bytes(call.kind(1), row) for row in call.raw(1)]
    weights = call.real(2) if call.has(2) else np.ones(len(rows))
    bits = np.array([[projected_bit(seed, rows, weights) for seed in row] for row in seeds])
    if kind == DENSE:
        return Raw(bits.ravel())
    count = seeds.shape[1]
    signatures = bits @ (1 << np.arange(count)[::-1])
    offsets = np.arange(len(seeds)) << count
    return Raw(signatures + (offsets if kind == SPARSE else 0))


def projected_bit(seed, rows, weights):
    total = 0.0
    for row, weight in zip(rows, weights):
        fingerprint = fingerprint64(struct.pack('<f', seed) + row)
        total += weight * float(fingerprint - 2**64 if fingerprint >> 63 else fingerprint)
    return int(total > 0)


# ---- Cases ---------------------------------------------------------------------------------------


@vectors('EMBEDDING_LOOKUP')
def embedding_cases(op):
    for word, kind in each('f32 f16 i32 q8 q8s'):
        level = {'f32': 1, 'f16': 4, 'i32': 3, 'q8': 3, 'q8s': 4}[word]
        yield Case(f'{word}_rank_2', [Input(I32, [4], [1, 0, 3, 1]), Input(kind, [4, 5])], [kind],
                   level=level)
        yield Case(f'{word}_rank_4', [Input(I32, [2], [2, 0]), Input(kind, [3, 2, 1, 3])], [kind],
                   level=level)
        yield Case(f'{word}_constant_table', [Input(I32, [3], [2, 2, 1]), Const(kind, [3, 4])],
                   [kind], level=level)
    yield Case('f32_relaxed', [Input(I32, [2], [2, 0]), Input(F32, [3, 2])], [F32], relaxed=True)
    yield failing('row_too_large', [Input(I32, [2], [1, 4]), Input(F32, [4, 2])], [F32], [2, 2])
    yield failing('negative_row', [Input(I32, [2], [1, -1]), Input(F32, [4, 2])], [F32], [2, 2])
    yield failing('lookups_of_rank_2', [Input(I32, [1, 2], [1, 0]), Input(F32, [4, 2])], [F32],
                  [2, 2])


@vectors('HASHTABLE_LOOKUP')
def hashtable_cases(op):
    hits = q8(1.0, 0)
    lookups, keys = Input(I32, [5], [1234, -292, -11, 0, 7]), Input(I32, [3], [-11, 0, 1234])
    for word, kind in each('f32 i32 q8'):
        yield Case(f'{word}_rank_2', [lookups, keys, Input(kind, [3, 4])], [kind, hits])
        yield Case(f'{word}_rank_3', [lookups, keys, Input(kind, [3, 2, 2])], [kind, hits])
        yield Case(f'{word}_constant_table',
                   [lookups, ints([-11, 0, 1234]), Const(kind, [3, 1])], [kind, hits])
        yield Case(f'{word}_all_missing', [Input(I32, [2], [5, 6]), keys, Input(kind, [3, 3])],
                   [kind, hits])
    yield failing('fewer_keys_than_rows', [lookups, keys, Input(F32, [4, 2])], [F32, hits], [5])


@vectors('LSH_PROJECTION')
def lsh_cases(op):
    rows = [('f32', Input(F32, [3, 2])), ('f16', Input(F16, [3, 5])),
            ('i32', Input(I32, [4, 2], span=(-9999, 9999))), ('q8', Input(KINDS['q8'], [3, 9])),
            ('i32_long_rows', Input(I32, [3, 21], span=(-9999, 9999)))]
    for word, seed in each('f32 f16'):
        seeds = Const(seed, [3, 4])
        for name, x in rows:
            weights = Input(seed, [x.dims[0]], span=(0.25, 2))
            yield Case(f'{word}_dense_{name}', [seeds, x, weights, DENSE], [I32])
            yield Case(f'{word}_sparse_{name}', [seeds, x, Omitted(seed), SPARSE], [I32], level=3)
        yield Case(f'{word}_sparse_deprecated', [seeds, rows[2][1], Omitted(seed),
                                                 SPARSE_DEPRECATED], [I32])
    yield failing('unknown_type', [Const(F32, [3, 4]), rows[2][1], Omitted(F32), 4], [I32], [3])
    yield failing('dense_without_weights', [Const(F32, [3, 4]), rows[2][1], Omitted(F32), DENSE],
                  [I32], [12])
    yield failing('too_few_weights', [Const(F32, [3, 4]), rows[2][1], Input(F32, [3]), DENSE],
                  [I32], [12])
