"""Operations of org.halyard.operations on tables, and on texts in blobs."""
import struct

import numpy as np

from .cases import Case, Const, Input, Omitted, failing, ints, vectors
from .evaluate import Raw, operation
from .kinds import EXTENSION, F32, I32, KINDS, each, q8, q16_asymm
from .lookup import DENSE, SPARSE, hashtable_lookup, lsh_projection

BYTE = KINDS['n8']
I64 = KINDS['i64']


def blob(texts):
    """TensorFlow Lite's layout: count, offsets from the start, bytes."""
    offsets = [4 * (len(texts) + 2)]
    for text in texts:
        offsets.append(offsets[-1] + len(text))
    return list(struct.pack(f'<{len(offsets) + 1}i', len(texts), *offsets) + b''.join(texts))


def texts_of(numbers):
    data = bytes(int(n) for n in numbers)
    count = struct.unpack_from('<i', data)[0]
    offsets = struct.unpack_from(f'<{count + 1}i', data, 4)
    return [data[a:b] for a, b in zip(offsets, offsets[1:])]


def texts(values, of=Input):
    """An operand that is a blob."""
    numbers = blob(values)
    return of(BYTE, [len(numbers)], numbers, stored=True)


# ---- HASHTABLE_FIND ------------------------------------------------------------------------------


@operation(EXTENSION + 'HASHTABLE_FIND', 3)
def hashtable_find(call):
    def numbers(index):
        is_text = call.kind(index) == BYTE
        return texts_of(call.raw(index)) if is_text else call.raw(index).ravel().tolist()
    table = dict(zip(numbers(1), numbers(2)))
    found = [table.get(query, numbers(3)[0]) for query in numbers(0)]
    if call.kind(2) == BYTE:
        packed = blob(found)
        return Raw(np.array(packed + [0] * (call.number(4) - len(packed)), np.int64))
    shape = call.ints(4) if call.kind(0) == BYTE else call.raw(0).shape
    return Raw(np.array(found).reshape(shape))


WORDS = [b'', b'a', b'aa', b'b', bytes([0x80, 0]), bytes([0xff])]


@vectors(EXTENSION + 'HASHTABLE_FIND')
def find_numbers(_):
    keys = [-2**31, -7, 0, 3, 2**31 - 1]
    queries = [[3, 4, -7], [2**31 - 1, -2**31, 0]]
    for word, kind in each('i32 i64'):
        for to, values in each('i32 i64 f32'):
            yield Case(f'{word}_to_{to}',
                       [Input(kind, [2, 3], queries, stored=True),
                        Const(kind, [5], keys, stored=True),
                        Const(values, [5], [5, -4, 3, -2, 1]), Const(values, [1], [9])], [values])
        yield Case(f'{word}_rank_6', [Input(kind, [1, 2, 1, 1, 3, 1], queries, stored=True),
                                      Input(kind, [5], keys, stored=True), Input(F32, [5]),
                                      Input(F32, [1])], [F32])
    yield failing('fewer_values_than_keys', [Input(I32, [1], [3]), ints([1, 2]), Input(F32, [1]),
                                             Input(F32, [1])], [F32], [1])
    yield failing('keys_of_rank_2', [Input(I32, [1], [3]), ints([[1], [2]]), Input(F32, [2]),
                                     Input(F32, [1])], [F32], [1])
    yield failing('two_defaults', [Input(I32, [1], [3]), ints([1, 2]), Input(F32, [2]),
                                   Input(F32, [2])], [F32], [1])


@vectors(EXTENSION + 'HASHTABLE_FIND')
def find_by_text(_):
    queries = [b'aa', b'', b'c', bytes([0xff]), b'ab', b'a']
    for to, values in each('f32 i32 i64'):
        rows = Const(values, [6], [10, 11, 12, 13, 14, 15])
        yield Case(f'text_to_{to}', [texts(queries), texts(WORDS, Const), rows,
                                     Const(values, [1], [-1]), ints([3, 1, 2])], [values])
    rows, none = Const(I32, [6], [1, 2, 3, 4, 5, 6]), ints([-1])
    yield Case('no_text', [texts([]), texts(WORDS, Const), rows, none, ints([0])], [I32])
    yield failing('another_number_of_texts', [texts(queries), texts(WORDS, Const), rows, none,
                                              ints([5])], [I32], [5])
    yield failing('another_number_of_keys', [texts(queries), texts(WORDS[1:], Const), rows, none,
                                             ints([6])], [I32], [6])
    for form, numbers in [('a_blob_that_is_too_short', [1, 0, 0]),
                          ('offsets_that_do_not_fit', [4, 0, 0, 0, 9, 9, 9, 9]),
                          ('a_count_below_0', [255] * 20),
                          ('a_text_behind_the_end', [1, 0, 0, 0, 12, 0, 0, 0, 99, 0, 0, 0]),
                          ('a_text_that_ends_before_it_begins',
                           [1, 0, 0, 0, 12, 0, 0, 0, 11, 0, 0, 0, 1]),
                          ('a_text_among_the_offsets', [1, 0, 0, 0, 4, 0, 0, 0, 12, 0, 0, 0, 1])]:
        yield failing(form, [Input(BYTE, [len(numbers)], numbers, stored=True),
                             texts(WORDS, Const), rows, none, ints([1])], [I32], [1])


@vectors(EXTENSION + 'HASHTABLE_FIND')
def find_texts(_):
    names = [b'zero', b'', b'two', bytes([0xc3, 0xa4])]
    for word, kind in each('i32 i64'):
        keys = Const(kind, [4], [-9, 0, 2, 70], stored=True)
        queries = Input(kind, [2, 2], [70, 5, -9, 0], stored=True)
        yield Case(f'{word}_to_text', [queries, keys, texts(names, Const), texts([b'none'], Const),
                                       40], [BYTE])
        yield Case(f'{word}_to_text_that_just_fits',
                   [queries, keys, texts(names, Const), texts([b'none'], Const), 34], [BYTE])
        for form, room in ('texts', 33), ('offsets', 23):
            yield failing(f'{word}_no_room_for_{form}',
                          [queries, keys, texts(names, Const), texts([b'none'], Const), room],
                          [BYTE], [room])
    yield failing('two_default_texts', [queries, keys, texts(names, Const), texts([b'', b'']), 40],
                  [BYTE], [40])
    yield failing('fewer_texts_than_keys', [queries, keys, texts(names[1:]), texts([b'']), 40],
                  [BYTE], [40])


# ---- Tables of rows ------------------------------------------------------------------------------

operation(EXTENSION + 'HASHTABLE_LOOKUP', 3)(hashtable_lookup)
operation(EXTENSION + 'LSH_PROJECTION', 3)(lsh_projection)


@vectors(EXTENSION + 'HASHTABLE_LOOKUP')
def lookup_cases(_):
    hits = q8(1.0, 0)
    lookups, keys = Input(I32, [5], [1234, -292, -11, 0, 7]), Input(I32, [3], [-11, 0, 1234])
    kinds = each('f32 f16 f64 bf16 i32 i8 i16 i64 n8 n16 n32 n64 bool q8 q8s q16')
    for word, kind in kinds + [('q16a', q16_asymm(0.001, 30000))]:
        span = (0, 9) if kind.type.startswith(EXTENSION + 'TENSOR_U') else (-2, 2)
        yield Case(f'{word}_rank_6', [lookups, keys, Input(kind, [3, 2, 1, 2, 1, 1], span=span)],
                   [kind, hits])
    yield failing('fewer_keys_than_rows', [lookups, keys, Input(F32, [4, 2])], [F32, hits], [5])


@operation(EXTENSION + 'EMBEDDING_LOOKUP_SPARSE', 3)
def embedding_lookup_sparse(call):
    indices, shape, rows = call.raw(1), call.ints(2), call.real(4)
    places = [tuple(index[:-1]) for index in indices]
    out = np.zeros((*shape[:-1], *rows.shape[1:]))
    for place in set(places):
        of = [i for i, other in enumerate(places) if other == place]
        weights = call.real(3)[of]
        divisor = {0: 1, 1: weights.sum(), 2: np.sqrt((weights ** 2).sum())}[call.number(5)]
        out[place] = np.tensordot(weights, rows[call.raw(0)[of]], 1) / divisor
    return out


@vectors(EXTENSION + 'EMBEDDING_LOOKUP_SPARSE')
def sparse_cases(_):
    ids, weights = Input(I32, [4], [1, 3, 0, 1]), Input(F32, [4], [1, 2, 4, 0.5])
    for form, combiner in ('sum', 0), ('mean', 1), ('sqrtn', 2):
        yield Case(f'{form}', [ids, ints([[0, 0], [2, 0], [2, 1], [3, 0]]), ints([5, 2]), weights,
                               Input(F32, [4, 3, 2]), combiner], [F32])
        yield Case(f'{form}_rank_3',
                   [ids, ints([[0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 1, 0]]), ints([2, 2, 2]),
                    weights, Input(F32, [4, 3]), combiner], [F32])
        yield Case(f'{form}_rank_1', [ids, ints([[0], [0], [2], [7]]), ints([8]), weights,
                                      Input(F32, [4, 3]), combiner], [F32])
    rows, shape = Input(F32, [4, 3]), ints([5, 2])
    places = ints([[0, 0], [2, 0], [2, 1], [3, 0]])
    for form, changed in [
            ('id_too_large', {0: Input(I32, [4], [1, 4, 0, 1])}),
            ('id_below_0', {0: Input(I32, [4], [1, -1, 0, 1])}),
            ('index_too_large', {1: ints([[0, 0], [2, 2], [2, 1], [3, 0]])}),
            ('index_below_0', {1: ints([[0, 0], [2, 0], [2, -1], [3, 0]])}),
            ('indices_that_descend', {1: ints([[0, 0], [2, 0], [1, 1], [3, 0]])}),
            ('fewer_indices', {1: ints([[0, 0], [2, 0], [2, 1]])}),
            ('fewer_weights', {3: Input(F32, [3])}), ('extent_of_0', {2: ints([5, 0])}),
            ('rows_of_rank_1', {4: Input(F32, [4])}), ('unknown_combiner', {5: 3})]:
        operands = [ids, places, shape, weights, rows, 0]
        yield failing(form, [changed.get(i, item) for i, item in enumerate(operands)], [F32],
                      [5, 3])


@vectors(EXTENSION + 'LSH_PROJECTION')
def projection_cases(_):
    seeds = Const(F32, [3, 4])
    kinds = each('f64 bf16 i8 i16 i64 n8 n16 n32 n64 bool q8s q16')
    for word, kind in kinds:
        span = (0, 9) if kind.type.startswith(EXTENSION + 'TENSOR_U') else (-2, 2)
        rows = Input(kind, [3, 5, 1, 1, 1], span=span)
        yield Case(f'dense_{word}', [seeds, rows, Input(F32, [3], span=(0.25, 2)), DENSE], [I32])
        yield Case(f'sparse_{word}', [seeds, rows, Omitted(F32), SPARSE], [I32])
    yield failing('unknown_type', [seeds, rows, Omitted(F32), 4], [I32], [3])
