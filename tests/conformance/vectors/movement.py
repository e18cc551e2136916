"""Operations that only move elements: shapes, slices, padding, joining and taking apart."""
import numpy as np

from .cases import (INTERNAL, ZERO_SIZED, Case, Const, Half, Input, Omitted, failing, ints,
                    vectors)
from .convolutions import from_nhwc, to_nhwc
from .evaluate import Raw, operation
from .kinds import (F16, F32, I32, Kind, each, per_channel, q8, q8_symm, q8s, q16_asymm,
                    q16_symm)
from .normalisation import axis_name


@operation('BATCH_TO_SPACE_ND', 2)
def batch_to_space_nd(call):
    bh, bw = call.ints(1)
    nchw = bool(call.number(2, 0))
    x = to_nhwc(call.real(0), nchw)
    n, height, width, depth = x.shape
    x = x.reshape(bh, bw, n // (bh * bw), height, width, depth).transpose(2, 3, 0, 4, 1, 5)
    return from_nhwc(x.reshape(-1, height * bh, width * bw, depth), nchw)


@operation('SPACE_TO_BATCH_ND', 2)
def space_to_batch_nd(call):
    bh, bw = call.ints(1)
    nchw = bool(call.number(3, 0))
    x = np.pad(to_nhwc(call.real(0), nchw), [(0, 0), *call.raw(2).tolist(), (0, 0)])
    n, height, width, depth = x.shape
    x = x.reshape(n, height // bh, bh, width // bw, bw, depth).transpose(2, 4, 0, 1, 3, 5)
    return from_nhwc(x.reshape(n * bh * bw, height // bh, width // bw, depth), nchw)


@operation('DEPTH_TO_SPACE', 1)
def depth_to_space(call):
    block, nchw = call.number(1), bool(call.number(2, 0))
    x = to_nhwc(call.real(0), nchw)
    n, height, width, depth = x.shape
    x = x.reshape(n, height, width, block, block, -1).transpose(0, 1, 3, 2, 4, 5)
    return from_nhwc(x.reshape(n, height * block, width * block, depth // block**2), nchw)


@operation('SPACE_TO_DEPTH', 1)
def space_to_depth(call):
    block, nchw = call.number(1), bool(call.number(2, 0))
    x = to_nhwc(call.real(0), nchw)
    n, height, width, depth = x.shape
    x = x.reshape(n, height // block, block, width // block, block, depth)
    x = x.transpose(0, 1, 3, 2, 4, 5)
    return from_nhwc(x.reshape(n, height // block, width // block, depth * block**2), nchw)


@operation('CHANNEL_SHUFFLE', 3)
def channel_shuffle(call):
    groups, axis = call.number(1), call.number(2)
    x = np.moveaxis(call.real(0), axis, -1)
    y = x.reshape(*x.shape[:-1], groups, -1).swapaxes(-1, -2).reshape(x.shape)
    return np.moveaxis(y, -1, axis)


@operation('CONCATENATION', 1)
def concatenation(call):
    last = len(call.inputs) - 1
    return np.concatenate([call.real(i) for i in range(last)], axis=call.number(last))


@operation('EXPAND_DIMS', 3)
def expand_dims(call):
    return np.expand_dims(call.real(0), call.number(1))


@operation('FILL', 4)
def fill(call):
    return np.full(call.ints(0), call.real(1))


@operation('GATHER', 3)
def gather(call):
    return np.take(call.real(0), call.raw(2), axis=call.number(1))


@operation('MIRROR_PAD', 7)
def mirror_pad(call):
    mode = 'symmetric' if call.number(2) else 'reflect'
    return np.pad(call.real(0), call.raw(1).tolist(), mode=mode)


@operation('PACK', 6)
def pack(call):
    return np.stack([call.real(i) for i in range(1, len(call.inputs))], axis=call.number(0))


@operation('PAD', 2)
def pad(call):
    return np.pad(call.real(0), call.raw(1).tolist())


@operation('PAD_V2', 3)
def pad_v2(call):
    return Raw(np.pad(call.raw(0), call.raw(1).tolist(), constant_values=call.number(2)))


@operation('RANK', 4)
def rank(call):
    return Raw(np.array(call.raw(0).ndim))


@operation('RESHAPE', 1)
def reshape(call):
    return call.real(0).reshape(call.ints(1))


@operation('REVERSE', 7)
def reverse(call):
    return np.flip(call.real(0), call.ints(1)[0])


@operation('SLICE', 3)
def slice_(call):
    x = call.real(0)
    ends = [extent if size == -1 else begin + size
            for begin, size, extent in zip(call.ints(1), call.ints(2), x.shape)]
    return x[tuple(slice(*pair) for pair in zip(call.ints(1), ends))]


@operation('SPLIT', 3)
def split(call):
    return tuple(np.split(call.real(0), call.number(2), axis=call.number(1)))


@operation('SQUEEZE', 2)
def squeeze(call):
    x = call.real(0)
    axes = {axis % x.ndim for axis in call.ints(1)} if call.has(1) else \
        {axis for axis in range(x.ndim) if x.shape[axis] == 1}
    return np.squeeze(x, tuple(axes)).reshape([d for i, d in enumerate(x.shape) if i not in axes]
                                              or [1])


@operation('STRIDED_SLICE', 2)
def strided_slice(call):
    x = call.real(0)
    begin_mask, end_mask, shrink_mask = (call.number(i) for i in (4, 5, 6))
    picked = []
    for i, (begin, end, stride) in enumerate(zip(call.ints(1), call.ints(2), call.ints(3))):
        begin = None if begin_mask >> i & 1 else begin
        end = None if end_mask >> i & 1 else end
        picked.append(range(*slice(begin, end, stride).indices(x.shape[i])))
    y = x[np.ix_(*picked)]
    kept = [d for i, d in enumerate(y.shape) if not shrink_mask >> i & 1]
    return y.reshape(kept or [1])


@operation('TILE', 3)
def tile(call):
    return np.tile(call.real(0), call.ints(1))


@operation('TRANSPOSE', 2)
def transpose(call):
    return call.real(0).transpose(call.ints(1) if call.has(1) else (1, 0))


# ---- Cases ---------------------------------------------------------------------------------------

FOUR, FIVE = 'f32 f16 q8 q8s', 'f32 f16 i32 q8 q8s'


def tensor(kind, dims):
    return Input(kind, dims, span=(-90, 90) if kind is I32 else (-2, 2))


@vectors('BATCH_TO_SPACE_ND')
def batch_to_space_cases(op):
    for word, kind in each(FOUR):
        yield Case(f'{word}', [tensor(kind, [6, 2, 1, 2]), ints([3, 2])], [kind])
        yield Case(f'{word}_batch_left', [tensor(kind, [8, 1, 2, 3]), ints([2, 2])], [kind])
        yield Case(f'{word}_nhwc', [tensor(kind, [4, 2, 2, 1]), ints([1, 2]), False], [kind])
        yield Case(f'{word}_nchw', [tensor(kind, [8, 3, 1, 2]), ints([2, 2]), True], [kind])
    x = tensor(F32, [6, 2, 1, 2])
    yield failing('batch_that_does_not_divide', [x, ints([2, 2])], [F32], [1, 4, 2, 2])
    yield failing('block_of_zero', [x, ints([0, 2])], [F32], [3, 2, 2, 2])
    yield failing('rank_3', [tensor(F32, [6, 2, 1]), ints([2, 1])], [F32], [3, 4, 1])
    yield failing('three_block_sizes', [x, ints([2, 1, 1])], [F32], [3, 4, 1, 2])


@vectors('SPACE_TO_BATCH_ND')
def space_to_batch_cases(op):
    for word, kind in each(FOUR):
        none, some = ints([[0, 0], [0, 0]]), ints([[1, 0], [2, 1]])
        level = 3 if word == 'q8' else 1
        yield Case(f'{word}', [tensor(kind, [1, 4, 6, 1]), ints([2, 3]), none], [kind], level=level)
        yield Case(f'{word}_padded', [tensor(kind, [2, 3, 3, 2]), ints([2, 2]), some], [kind],
                   level=level)
        yield Case(f'{word}_nhwc', [tensor(kind, [1, 3, 3, 2]), ints([2, 3]), some, False], [kind])
        yield Case(f'{word}_nchw', [tensor(kind, [2, 2, 3, 3]), ints([4, 1]), some, True], [kind])
    yield Case('q8_zero_point_of_zero', [Input(q8(0.02, 0), [1, 2, 3, 2], span=(0, 2)),
                                         ints([2, 2]), ints([[0, 0], [0, 1]])], [q8(0.02, 0)])
    x = tensor(F32, [1, 3, 4, 2])
    yield failing('size_that_does_not_divide', [x, ints([2, 2]), ints([[0, 0], [0, 0]])], [F32],
                  [4, 1, 2, 2])
    yield failing('negative_padding', [x, ints([2, 2]), ints([[-1, 0], [0, 0]])], [F32],
                  [4, 1, 2, 2])
    yield failing('block_of_zero', [x, ints([1, 0]), ints([[0, 0], [0, 0]])], [F32], [1, 3, 4, 2])


@vectors('DEPTH_TO_SPACE', 'SPACE_TO_DEPTH')
def depth_cases(op):
    grows = op == 'DEPTH_TO_SPACE'
    for word, kind in each(FOUR):
        small, large = ([1, 2, 3, 8], [2, 1, 2, 9]) if grows else ([1, 4, 2, 3], [2, 3, 3, 2])
        planes = [1, 12, 1, 2] if grows else [1, 3, 2, 4]
        yield Case(f'{word}', [tensor(kind, small), 2], [kind])
        yield Case(f'{word}_block_of_three', [tensor(kind, large), 3], [kind])
        yield Case(f'{word}_block_of_one', [tensor(kind, [1, 2, 2, 3]), 1], [kind])
        yield Case(f'{word}_nhwc', [tensor(kind, small), 2, False], [kind])
        yield Case(f'{word}_nchw', [tensor(kind, planes), 2, True], [kind])
    yield failing('does_not_divide', [tensor(F32, [1, 3, 3, 6]), 2], [F32], [1, 1, 1, 1])
    yield failing('block_of_zero', [tensor(F32, [1, 2, 2, 4]), 0], [F32], [1, 2, 2, 4])
    yield failing('negative_block', [tensor(F32, [1, 2, 2, 4]), -2], [F32], [1, 4, 4, 1])
    yield failing('rank_3', [tensor(F32, [2, 2, 4]), 2], [F32], [4, 4, 1])


@vectors('CHANNEL_SHUFFLE')
def channel_shuffle_cases(op):
    for word, kind in each(FOUR):
        for axis in (0, 3, -2, -4):
            dims = [2, 2, 2, 2]
            dims[axis] = 6
            yield Case(f'{word}_{axis_name(axis)}', [tensor(kind, dims), 3, axis], [kind])
        yield Case(f'{word}_rank_1', [tensor(kind, [12]), 4, 0], [kind])
        yield Case(f'{word}_one_group', [tensor(kind, [2, 5]), 1, 1], [kind])
    yield failing('groups_that_do_not_divide', [tensor(F32, [2, 5]), 2, 1], [F32], [2, 5])
    yield failing('groups_of_zero', [tensor(F32, [2, 4]), 0, 1], [F32], [2, 4])
    yield failing('axis_too_large', [tensor(F32, [2, 4]), 2, 2], [F32], [2, 4])


@vectors('CONCATENATION')
def concatenation_cases(op):
    for word, kind in each(FOUR):
        for axis in range(4):
            first, second = [2, 1, 3, 2], [2, 1, 3, 2]
            second[axis] = 4
            yield Case(f'{word}_{axis_name(axis)}',
                       [tensor(kind, first), tensor(kind, second), axis], [kind])
        yield Case(f'{word}_three_with_a_constant',
                   [tensor(kind, [2, 3]), Const(kind, [2, 1]), tensor(kind, [2, 4]), 1], [kind])
        yield Case(f'{word}_alone', [tensor(kind, [5]), 0], [kind])
        yield Case(f'{word}_zero_sized', [tensor(kind, [2, 3]), tensor(kind, [2, 3]), 0], [kind],
                   via=ZERO_SIZED)
    for word, make, low in [('q8', q8, 0), ('q8s', q8s, -128)]:
        yield Case(f'{word}_scales_differ',
                   [Input(make(0.02, low + 120), [2, 7]), Input(make(0.033, low + 77), [2, 5]), 1],
                   [make(0.017, low + 131)], level=3)
    pair = [tensor(F32, [2, 3]), tensor(F32, [2, 3])]
    yield Case('f32_relaxed_internal', pair + [1], [F32], relaxed=True, via=INTERNAL)
    yield failing('axis_too_large', pair + [2], [F32], [2, 6])
    yield failing('negative_axis', pair + [-1], [F32], [2, 6])
    yield failing('sizes_that_differ', [pair[0], tensor(F32, [3, 3]), 1], [F32], [2, 6])
    yield failing('ranks_that_differ', [pair[0], tensor(F32, [2, 3, 1]), 1], [F32], [2, 6])
    yield failing('mixed_types', [pair[0], tensor(F16, [2, 3]), 1], [F32], [2, 6])


@vectors('EXPAND_DIMS')
def expand_dims_cases(op):
    for word, kind in each(FIVE):
        for axis in (0, 1, 2, -1, -3):
            yield Case(f'{word}_{axis_name(axis)}', [tensor(kind, [2, 3]), axis], [kind])
        yield Case(f'{word}_rank_4', [tensor(kind, [1, 2, 2, 2]), 2], [kind])
    yield failing('axis_too_large', [tensor(F32, [2, 3]), 3], [F32], [2, 3, 1])
    yield failing('axis_too_small', [tensor(F32, [2, 3]), -4], [F32], [1, 2, 3])


@vectors('FILL')
def fill_cases(op):
    def dims(*sizes):
        return Input(I32, [len(sizes)], sizes)
    for word, out, value in [('f32', F32, 0.75), ('f16', F16, Half(-1.5)), ('i32', I32, -17)]:
        yield Case(f'{word}_rank_1', [dims(5), value], [out])
        yield Case(f'{word}_rank_3', [dims(2, 1, 3), value], [out])
        yield Case(f'{word}_rank_5', [dims(1, 2, 1, 2, 2), value], [out])
    yield failing('negative_size', [dims(2, -3), 1.0], [F32], [2, 3])
    yield failing('output_of_another_type', [dims(2), 1.0], [I32], [2])
    yield failing('sizes_of_rank_2', [Input(I32, [1, 1], [2]), 1.0], [F32], [2])


@vectors('GATHER')
def gather_cases(op):
    for word, kind in each(FIVE):
        indices = ints([2, 0, 1, 2])
        for axis in (0, 1, -1, -3):
            yield Case(f'{word}_{axis_name(axis)}', [tensor(kind, [3, 4, 3]), axis, indices],
                       [kind])
        yield Case(f'{word}_indices_of_rank_2',
                   [tensor(kind, [2, 3]), 1, Input(I32, [2, 2], [0, 2, 2, 1])], [kind])
        yield Case(f'{word}_rank_1', [tensor(kind, [5]), 0, ints([4, 4, 0])], [kind])
    x = tensor(F32, [3, 4])
    yield failing('index_too_large', [x, 0, ints([0, 3])], [F32], [2, 4])
    yield failing('index_too_large_at_execution', [x, 0, Input(I32, [2], [0, 3])], [F32], [2, 4])
    yield failing('negative_index', [x, 0, Input(I32, [2], [0, -1])], [F32], [2, 4])
    yield failing('axis_too_large', [x, 2, ints([0])], [F32], [3, 1])
    yield failing('axis_too_small', [x, -3, ints([0])], [F32], [1, 4])


@vectors('MIRROR_PAD')
def mirror_pad_cases(op):
    for word, kind in each(FIVE):
        for name, mode in [('reflect', 0), ('symmetric', 1)]:
            yield Case(f'{word}_{name}', [tensor(kind, [3, 4]), ints([[1, 2], [2, 0]]), mode],
                       [kind])
            yield Case(f'{word}_{name}_rank_1', [tensor(kind, [4]), ints([[3, 3]]), mode], [kind])
            yield Case(f'{word}_{name}_rank_5',
                       [tensor(kind, [1, 2, 1, 2, 3]),
                        ints([[0, 0], [1, 0], [0, 0], [1, 1], [0, 2]]), mode], [kind])
        yield Case(f'{word}_symmetric_whole', [tensor(kind, [3]), ints([[3, 3]]), 1], [kind])
    x = tensor(F32, [3])
    yield failing('reflect_too_far', [x, ints([[3, 0]]), 0], [F32], [6])
    yield failing('symmetric_too_far', [x, ints([[0, 4]]), 1], [F32], [7])
    yield failing('negative_padding', [x, ints([[-1, 0]]), 0], [F32], [2])
    yield failing('unknown_mode', [x, ints([[1, 1]]), 2], [F32], [5])


@vectors('PACK')
def pack_cases(op):
    for word, kind in each(FIVE):
        for axis in range(3):
            yield Case(f'{word}_{axis_name(axis)}',
                       [axis, tensor(kind, [2, 3]), tensor(kind, [2, 3]), tensor(kind, [2, 3])],
                       [kind])
        yield Case(f'{word}_one', [1, tensor(kind, [4])], [kind])
        yield Case(f'{word}_rank_4', [2, tensor(kind, [1, 2, 2, 2]), tensor(kind, [1, 2, 2, 2])],
                   [kind])
    pair = [tensor(F32, [2, 3]), tensor(F32, [2, 3])]
    yield failing('negative_axis', [-1, *pair], [F32], [2, 3, 2])
    yield failing('axis_too_large', [3, *pair], [F32], [2, 3, 2])
    yield failing('shapes_that_differ', [0, pair[0], tensor(F32, [3, 2])], [F32], [2, 2, 3])


@vectors('PAD')
def pad_cases(op):
    for word, kind in each(FOUR):
        level = 3 if word == 'q8' else 1
        yield Case(f'{word}_rank_1', [tensor(kind, [5]), ints([[2, 1]])], [kind], level=level)
        yield Case(f'{word}_rank_2', [tensor(kind, [2, 3]), ints([[0, 1], [2, 0]])], [kind],
                   level=level)
        yield Case(f'{word}_rank_4',
                   [tensor(kind, [1, 2, 2, 1]), ints([[0, 1], [1, 0], [0, 1], [1, 1]])], [kind],
                   level=level)
        yield Case(f'{word}_nothing', [tensor(kind, [2, 3]), ints([[0, 0], [0, 0]])], [kind],
                   level=level)
    yield Case('q8_zero_point_of_zero', [Input(q8(0.02, 0), [2, 3], span=(0, 2)),
                                         ints([[1, 0], [0, 1]])], [q8(0.02, 0)])
    yield Case('f32_internal', [tensor(F32, [5]), ints([[2, 1]])], [F32], via=INTERNAL)
    yield failing('negative_padding', [tensor(F32, [5]), ints([[2, -1]])], [F32], [6])
    yield failing('too_few_paddings', [tensor(F32, [2, 3]), ints([[0, 1]])], [F32], [2, 4])


@vectors('PAD_V2')
def pad_v2_cases(op):
    for word, kind in each(FOUR):
        value = {'f32': -7.5, 'f16': Half(3.25), 'q8': 9, 'q8s': -100}[word]
        yield Case(f'{word}_rank_1', [tensor(kind, [5]), ints([[2, 1]]), value], [kind])
        yield Case(f'{word}_rank_2', [tensor(kind, [2, 3]), ints([[0, 1], [2, 0]]), value], [kind])
        yield Case(f'{word}_rank_4',
                   [tensor(kind, [1, 2, 2, 1]), ints([[0, 1], [1, 0], [0, 1], [1, 1]]), value],
                   [kind])
    yield failing('negative_padding', [tensor(F32, [5]), ints([[2, -1]]), 0.0], [F32], [6])
    yield failing('value_of_another_type', [tensor(F32, [5]), ints([[2, 1]]), 0], [F32], [8])


@vectors('RANK')
def rank_cases(op):
    others = [('q8_symm', q8_symm(0.01)), ('q8_per_channel', per_channel([0.01, 0.02], 0)),
              ('q16_symm', q16_symm(0.01)), ('q16_asymm', q16_asymm(0.01, 7))]
    for word, kind in each(FIVE + ' bool') + others:
        for dims in ([2], [2, 3], [2, 1, 2, 1, 2]):
            yield Case(f'{word}_{len(dims)}', [Input(kind, dims, span=(0, 1))], [Kind('INT32')])
    yield failing('into_a_tensor', [tensor(F32, [2, 3])], [I32], [1])


@vectors('RESHAPE')
def reshape_cases(op):
    for word, kind in each(FIVE):
        yield Case(f'{word}', [tensor(kind, [2, 3, 2]), ints([4, 3])], [kind],
                   level=6 if word == 'i32' else 1)
        yield Case(f'{word}_inferred', [tensor(kind, [2, 1, 6]), ints([-1, 2, 3])], [kind],
                   level=6 if word == 'i32' else 1)
        yield Case(f'{word}_flat', [tensor(kind, [1, 2, 2, 3]), ints([-1])], [kind],
                   level=6 if word == 'i32' else 1)
    yield Case('f32_shape_as_input', [tensor(F32, [2, 3]), Input(I32, [2], [3, 2])], [F32])
    yield Case('f32_internal', [tensor(F32, [2, 3]), ints([3, 2])], [F32], via=INTERNAL)
    yield failing('count_that_differs', [tensor(F32, [2, 3]), ints([4, 2])], [F32], [4, 2])
    yield failing('two_inferred', [tensor(F32, [2, 3]), ints([-1, -1])], [F32], [2, 3])
    yield failing('inferred_does_not_divide', [tensor(F32, [2, 3]), ints([4, -1])], [F32], [4, 1])
    yield failing('negative_size', [tensor(F32, [2, 3]), ints([-2, -3])], [F32], [2, 3])


@vectors('REVERSE')
def reverse_cases(op):
    for word, kind in each(FIVE):
        for axis in range(3):
            yield Case(f'{word}_{axis_name(axis)}', [tensor(kind, [2, 3, 4]), ints([axis])], [kind])
        yield Case(f'{word}_rank_8', [tensor(kind, [1, 2, 1, 2, 1, 2, 1, 3]), ints([5])], [kind])
        yield Case(f'{word}_axis_as_input', [tensor(kind, [5]), Input(I32, [1], [0])], [kind])
    yield failing('negative_axis', [tensor(F32, [2, 3]), ints([-1])], [F32], [2, 3])
    yield failing('axis_too_large', [tensor(F32, [2, 3]), ints([2])], [F32], [2, 3])
    yield failing('two_axes', [tensor(F32, [2, 3]), ints([0, 1])], [F32], [2, 3])


@vectors('SLICE')
def slice_cases(op):
    for word, kind in each(FIVE):
        yield Case(f'{word}', [tensor(kind, [3, 4]), ints([1, 0]), ints([2, 3])], [kind])
        yield Case(f'{word}_to_the_end', [tensor(kind, [3, 4]), ints([0, 2]), ints([-1, -1])],
                   [kind])
        yield Case(f'{word}_rank_1', [tensor(kind, [7]), ints([2]), ints([3])], [kind])
        yield Case(f'{word}_rank_5', [tensor(kind, [2, 1, 3, 1, 2]), ints([1, 0, 1, 0, 0]),
                                      ints([1, 1, 2, -1, 1])], [kind])
        yield Case(f'{word}_nothing', [tensor(kind, [3, 4]), ints([1, 4]), ints([2, 0])], [kind])
        yield Case(f'{word}_zero_sized', [tensor(kind, [3, 4]), ints([0, 1]), ints([0, 2])],
                   [kind], via='' if word == 'i32' else ZERO_SIZED)
    x = tensor(F32, [3, 4])
    yield Case('f32_begin_as_input', [x, Input(I32, [2], [1, 1]), ints([2, 2])], [F32])
    yield failing('beyond_the_end', [x, ints([2, 0]), ints([2, 4])], [F32], [2, 4])
    yield failing('negative_begin', [x, ints([-1, 0]), ints([1, 4])], [F32], [1, 4])
    yield failing('negative_size', [x, ints([0, 0]), ints([-2, 4])], [F32], [1, 4])
    yield failing('too_few_begins', [x, ints([0]), ints([1, 4])], [F32], [1, 4])
    yield failing('sum_overflows', [x, ints([2, 0]), ints([2**31 - 1, 4])], [F32], [1, 4])


@vectors('SPLIT')
def split_cases(op):
    for word, kind in each(FIVE):
        for axis in (0, 1, -1, -3):
            dims = [1, 1, 2]
            dims[axis] = 6
            yield Case(f'{word}_{axis_name(axis)}', [tensor(kind, dims), axis, 3], [kind] * 3)
        yield Case(f'{word}_into_one', [tensor(kind, [2, 3]), 0, 1], [kind])
        yield Case(f'{word}_rank_1', [tensor(kind, [4]), 0, 2], [kind] * 2)
    x = tensor(F32, [2, 5])
    yield failing('does_not_divide', [x, 1, 2], [F32] * 2, [2, 2])
    yield failing('count_of_zero', [x, 1, 0], [F32], [2, 5])
    yield failing('fewer_outputs', [x, 1, 5], [F32] * 2, [2, 1])
    yield failing('axis_too_large', [x, 2, 1], [F32], [2, 5])


@vectors('SQUEEZE')
def squeeze_cases(op):
    for word, kind in each(FOUR):
        x = tensor(kind, [1, 3, 1, 2])
        yield Case(f'{word}_all', [x, Omitted(I32)], [kind])
        yield Case(f'{word}_one', [x, ints([2])], [kind])
        yield Case(f'{word}_negative_and_twice', [x, ints([-2, 2])], [kind])
        yield Case(f'{word}_to_one_element', [tensor(kind, [1, 1]), Omitted(I32)], [kind])
        yield Case(f'{word}_none_to_squeeze', [tensor(kind, [2, 3]), Omitted(I32)], [kind])
    yield failing('not_of_size_one', [tensor(F32, [1, 3]), ints([1])], [F32], [1])
    yield failing('axis_too_large', [tensor(F32, [1, 3]), ints([2])], [F32], [3])
    yield failing('axis_too_small', [tensor(F32, [1, 3]), ints([-3])], [F32], [3])


@vectors('STRIDED_SLICE')
def strided_slice_cases(op):
    for word, kind in each(FOUR):
        def at(dims, begin, end, stride, *masks, kind=kind):
            return [tensor(kind, dims), ints(begin), ints(end), ints(stride), *masks]
        yield Case(f'{word}', at([3, 4], [1, 0], [3, 4], [1, 2], 0, 0, 0), [kind])
        yield Case(f'{word}_negative', at([3, 4], [-2, -1], [-1, -4], [1, -2], 0, 0, 0), [kind])
        yield Case(f'{word}_begin_mask', at([3, 4], [2, 1], [3, 4], [1, 1], 1, 0, 0), [kind])
        yield Case(f'{word}_end_mask', at([3, 4], [1, 3], [1, 1], [1, -1], 0, 3, 0), [kind])
        yield Case(f'{word}_backwards', at([5], [0], [0], [-1], 1, 1, 0), [kind])
        yield Case(f'{word}_clamped', at([5], [-9], [9], [2], 0, 0, 0), [kind])
        yield Case(f'{word}_shrunk', at([3, 4], [1, 0], [2, 4], [1, 1], 0, 0, 1), [kind])
        yield Case(f'{word}_all_shrunk', at([3, 4], [1, 2], [2, 3], [1, 1], 0, 0, 3), [kind])
        yield Case(f'{word}_rank_4', at([2, 2, 3, 2], [0, 1, 0, 0], [2, 2, 3, 1], [1, 1, 2, 1],
                                        0, 0, 2), [kind])
    def wrong(begin, end, stride, *masks):
        return [tensor(F32, [3, 4]), ints(begin), ints(end), ints(stride), *masks]
    yield failing('stride_of_zero', wrong([0, 0], [3, 4], [1, 0], 0, 0, 0), [F32], [3, 4])
    yield failing('shrunk_backwards', wrong([1, 0], [0, 4], [-1, 1], 0, 0, 1), [F32], [4])
    yield failing('shrunk_of_two', wrong([0, 0], [2, 4], [1, 1], 0, 0, 1), [F32], [4])
    yield failing('too_few_strides', wrong([0, 0], [3, 4], [1], 0, 0, 0), [F32], [3, 4])


@vectors('TILE')
def tile_cases(op):
    for word, kind in each(FIVE):
        yield Case(f'{word}_rank_1', [tensor(kind, [3]), ints([3])], [kind])
        yield Case(f'{word}_rank_2', [tensor(kind, [2, 3]), ints([2, 1])], [kind])
        yield Case(f'{word}_rank_5', [tensor(kind, [1, 2, 1, 2, 1]), ints([2, 1, 1, 2, 3])], [kind])
        yield Case(f'{word}_multiples_as_input', [tensor(kind, [2, 2]), Input(I32, [2], [1, 3])],
                   [kind])
    yield failing('negative_multiple', [tensor(F32, [2, 3]), ints([2, -1])], [F32], [4, 3])
    yield failing('too_few_multiples', [tensor(F32, [2, 3]), ints([2])], [F32], [4, 3])


@vectors('TRANSPOSE')
def transpose_cases(op):
    for word, kind in each(FOUR):
        yield Case(f'{word}_omitted', [tensor(kind, [2, 5]), Omitted(I32)], [kind])
        yield Case(f'{word}_rank_3', [tensor(kind, [2, 3, 4]), ints([2, 0, 1])], [kind])
        yield Case(f'{word}_rank_4', [tensor(kind, [2, 1, 3, 4]), ints([3, 2, 0, 1])], [kind])
        yield Case(f'{word}_rank_1', [tensor(kind, [5]), ints([0])], [kind])
        yield Case(f'{word}_zero_sized', [tensor(kind, [2, 3]), ints([1, 0])], [kind],
                   via=ZERO_SIZED)
    x = tensor(F32, [2, 3, 4])
    yield failing('axis_twice', [x, ints([0, 1, 1])], [F32], [2, 3, 3])
    yield failing('axis_too_large', [x, ints([0, 1, 3])], [F32], [2, 3, 4])
    yield failing('too_few_axes', [x, ints([1, 0])], [F32], [3, 2, 4])
    yield failing('omitted_of_rank_3', [x, Omitted(I32)], [F32], [4, 3, 2])
