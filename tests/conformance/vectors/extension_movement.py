"""Operations of org.halyard.operations that move elements of any type."""
import itertools
import math

import numpy as np

from .cases import ZERO_SIZED, Case, Const, Input, Omitted, failing, ints, vectors
from .evaluate import Raw, operation
from .kinds import EXTENSION, F32, I32, KINDS, each, q16_asymm

I64 = KINDS['i64']


def own(name):
    """Registers the evaluation of an operation on stored numbers."""
    def register(function):
        def evaluate(call):
            result = function(call)
            return tuple(map(Raw, result)) if isinstance(result, tuple) else Raw(result)
        return operation(EXTENSION + name, 3)(evaluate)
    return register


def from_shape(shape):
    return shape or (1,)


@own('RESHAPE')
def reshape(call):
    return call.raw(0).reshape(call.ints(1))


@own('TRANSPOSE')
def transpose(call):
    return call.raw(0).transpose(call.ints(1) if call.has(1) else None)


@own('CONCATENATION')
def concatenation(call):
    last = len(call.inputs) - 1
    return np.concatenate([call.raw(i) for i in range(last)], axis=call.number(last))


@own('SPLIT')
def split(call):
    x, axis = call.raw(0), call.number(1)
    if not call.has(2):
        return tuple(np.split(x, len(call.outputs), axis=axis))
    sizes = call.ints(2)
    if -1 in sizes:
        sizes[sizes.index(-1)] += x.shape[axis] - sum(sizes)
    return tuple(np.split(x, list(itertools.accumulate(sizes[:-1])), axis=axis))


@own('PACK')
def pack(call):
    return np.stack([call.raw(i) for i in range(1, len(call.inputs))], axis=call.number(0))


@own('UNPACK')
def unpack(call):
    x, axis = call.raw(0), call.number(1)
    parts = (np.take(x, i, axis=axis) for i in range(x.shape[axis]))
    return tuple(part.reshape(from_shape(part.shape)) for part in parts)


@own('SLICE')
def slice_(call):
    x = call.raw(0)
    ends = [extent if size == -1 else begin + size
            for begin, size, extent in zip(call.ints(1), call.ints(2), x.shape)]
    return x[tuple(slice(*pair) for pair in zip(call.ints(1), ends))]


@own('STRIDED_SLICE')
def strided_slice(call):
    x = call.raw(0)
    begins, ends, shrinks, ellipses, news = (call.number(i) for i in range(4, 9))
    picked = []
    for i, (begin, end, stride) in enumerate(zip(call.ints(1), call.ints(2), call.ints(3))):
        end += begin if call.number(9) else 0
        if ellipses >> i & 1:
            picked.append(...)
        elif news >> i & 1:
            picked.append(None)
        elif shrinks >> i & 1:
            picked.append(0 if begins >> i & 1 else begin)
        else:
            picked.append(slice(None if begins >> i & 1 else begin, None if ends >> i & 1 else end,
                                stride))
    y = x[tuple(picked)]
    return y.reshape(from_shape(y.shape))


@own('PAD')
def pad(call):
    value = call.raw(2).item() if call.has(2) else call.kind(0).zero_point
    return np.pad(call.raw(0), call.raw(1).tolist(), constant_values=value)


@own('MIRROR_PAD')
def mirror_pad(call):
    mode = 'symmetric' if call.number(2) else 'reflect'
    return np.pad(call.raw(0), call.raw(1).tolist(), mode=mode)


@own('TILE')
def tile(call):
    return np.tile(call.raw(0), call.ints(1))


@own('BROADCAST_TO')
def broadcast_to(call):
    return np.broadcast_to(call.raw(0), np.broadcast_shapes(call.raw(0).shape, call.ints(1)))


@own('REVERSE')
def reverse(call):
    return np.flip(call.raw(0), call.ints(1))


@own('REVERSE_SEQUENCE')
def reverse_sequence(call):
    time, batch = call.number(2), call.number(3)
    x = np.moveaxis(call.raw(0), (batch, time), (0, 1)).copy()
    for row, length in zip(x, call.ints(1)):
        row[:length] = row[:length][::-1].copy()
    return np.moveaxis(x, (0, 1), (batch, time))


@own('SPACE_TO_BATCH_ND')
def space_to_batch_nd(call):
    blocks, edges = call.ints(1), call.raw(2).tolist()
    x, dims = call.raw(0), len(blocks)
    rest = x.ndim - 1 - dims
    x = np.pad(x, [(0, 0), *edges, *[(0, 0)] * rest], constant_values=call.kind(0).zero_point)
    cut = [part for extent, block in zip(x.shape[1:], blocks) for part in (extent // block, block)]
    y = x.reshape(x.shape[0], *cut, *x.shape[1 + dims:])
    y = y.transpose(*range(2, 2 + 2 * dims, 2), 0, *range(1, 1 + 2 * dims, 2),
                    *range(1 + 2 * dims, 1 + 2 * dims + rest))
    return y.reshape(-1, *cut[::2], *x.shape[1 + dims:])


@own('BATCH_TO_SPACE_ND')
def batch_to_space_nd(call):
    blocks, edges = call.ints(1), call.raw(2).tolist()
    x, dims = call.raw(0), len(blocks)
    rest = range(1 + 2 * dims, 2 * dims + x.ndim - dims)
    y = x.reshape(*blocks, -1, *x.shape[1:])
    order = [axis for i in range(dims) for axis in (dims + 1 + i, i)]
    y = y.transpose(dims, *order, *rest)
    y = y.reshape(y.shape[0], *[n * b for n, b in zip(x.shape[1:], blocks)], *x.shape[1 + dims:])
    kept = [slice(before, extent - after)
            for (before, after), extent in zip(edges, y.shape[1:])]
    return y[(slice(None), *kept)]


def channels_last(x, nchw):
    return np.moveaxis(x, 1, -1) if nchw else x


def channels_back(x, nchw):
    return np.moveaxis(x, -1, 1) if nchw else x


@own('SPACE_TO_DEPTH')
def space_to_depth(call):
    block, nchw = call.number(1), bool(call.number(2))
    x = channels_last(call.raw(0), nchw)
    n, height, width, depth = x.shape
    x = x.reshape(n, height // block, block, width // block, block, depth)
    x = x.transpose(0, 1, 3, 2, 4, 5)
    return channels_back(x.reshape(n, height // block, width // block, -1), nchw)


@own('DEPTH_TO_SPACE')
def depth_to_space(call):
    block, nchw, outside = call.number(1), bool(call.number(2)), call.number(3)
    x = channels_last(call.raw(0), nchw)
    n, height, width, depth = x.shape
    if outside:
        x = x.reshape(n, height, width, -1, block, block).transpose(0, 1, 4, 2, 5, 3)
    else:
        x = x.reshape(n, height, width, block, block, -1).transpose(0, 1, 3, 2, 4, 5)
    return channels_back(x.reshape(n, height * block, width * block, depth // block**2), nchw)


@own('DILATE')
def dilate(call):
    x, steps = call.raw(0), call.ints(1)
    y = np.full([(n - 1) * step + 1 for n, step in zip(x.shape, steps)], call.raw(2).item())
    y[tuple(slice(None, None, step) for step in steps)] = x
    return y


def in_batches(x, batches):
    return x.reshape(math.prod(x.shape[:batches]), *x.shape[batches:])


@own('GATHER')
def gather(call):
    x, indices, axis, batches = call.raw(0), call.raw(2), call.number(1), call.number(3)
    axis %= x.ndim
    places = np.stack([np.take(part, index, axis=axis - batches)
                       for part, index in zip(in_batches(x, batches), in_batches(indices, batches))])
    y = places.reshape(*x.shape[:batches], *places.shape[1:])
    return y.reshape(from_shape(y.shape))


@own('GATHER_ND')
def gather_nd(call):
    x, indices, batches = call.raw(0), call.raw(1), call.number(2)
    parts = np.stack([part[tuple(np.moveaxis(index, -1, 0))]
                      for part, index in zip(in_batches(x, batches), in_batches(indices, batches))])
    y = parts.reshape(*x.shape[:batches], *parts.shape[1:])
    return y.reshape(from_shape(y.shape))


@own('EMBEDDING_LOOKUP')
def embedding_lookup(call):
    return call.raw(1)[call.raw(0)]


@own('DYNAMIC_UPDATE_SLICE')
def dynamic_update_slice(call):
    x, update = call.raw(0).copy(), call.raw(1)
    begins = [min(max(start, 0), n - m)
              for start, n, m in zip(call.ints(2), x.shape, update.shape)]
    x[tuple(slice(begin, begin + m) for begin, m in zip(begins, update.shape))] = update
    return x


def wrapped(sums, low, high):
    return sums if high >= 2**63 - 1 else (sums - low) % (high - low + 1) + low


@operation(EXTENSION + 'SCATTER_ND', 3)
def scatter_nd(call):
    indices, kind = call.raw(0), call.outputs[0]
    depth, whole = indices.shape[-1], call.ints(2)
    sums = np.zeros(whole, np.float64 if kind.is_float else np.int64)
    updates = call.raw(1).reshape(-1, *whole[depth:])
    for place, update in zip(indices.reshape(-1, depth), updates):
        total = sums[tuple(place)] + update
        sums[tuple(place)] = kind.nearest(total) if kind.is_float else total
    if kind.type == 'TENSOR_BOOL8':
        return Raw(sums.clip(0, 1))
    return Raw(sums if kind.is_float else wrapped(sums, *kind.limits))


@own('SPARSE_TO_DENSE')
def sparse_to_dense(call):
    dims, values = call.ints(1), call.raw(2)
    y = np.full(dims, call.raw(3).item())
    for i, place in enumerate(call.raw(0).reshape(-1, len(dims))):
        y[tuple(place)] = values[i % len(values)]
    return y


@own('ONE_HOT')
def one_hot(call):
    indices, depth, axis = call.raw(0), call.ints(1)[0], call.number(4)
    hot = np.expand_dims(indices, -1) == np.arange(depth)
    return np.moveaxis(np.where(hot, call.raw(2).item(), call.raw(3).item()), -1, axis)


@own('FILL')
def fill(call):
    return np.full(call.ints(0), call.raw(1).item())


@own('RANGE')
def range_(call):
    start, limit, delta = (call.raw(i).item() for i in range(3))
    if call.outputs[0].is_float:
        narrow = np.float64 if call.outputs[0].is_wide else np.float32
        count = max(0, int(np.ceil((narrow(limit) - narrow(start)) / narrow(delta))))
        return call.outputs[0].nearest(start + np.arange(count) * delta)
    return np.array(range(start, limit, delta), np.int64)


@own('MATRIX_DIAG')
def matrix_diag(call):
    x = call.raw(0)
    return np.expand_dims(x, -1) * np.eye(x.shape[-1], dtype=x.dtype)


@own('MATRIX_SET_DIAG')
def matrix_set_diag(call):
    x, diagonal = call.raw(0).copy(), call.raw(1)
    for i in range(diagonal.shape[-1]):
        x[..., i, i] = diagonal[..., i]
    return x


@own('SHAPE')
def shape_(call):
    return np.array(call.raw(0).shape)


# ---- Cases ---------------------------------------------------------------------------------------

OTHERS = 'f16 f64 bf16 i32 i8 i16 i64 n8 n16 n32 n64 bool q8 q8s q16'
A16 = ('q16_asymm', q16_asymm(0.001, 2600))


def all_kinds():
    yield from each('f32 ' + OTHERS)
    yield A16


def with_ints():
    """(word, kind, function that makes a constant of integers)."""
    for word, kind in all_kinds():
        for more, number in ('', I32), ('_wide', I64):
            yield word + more, kind, lambda values, number=number: numbers(values, number)


def numbers(values, kind=I32, make=Const):
    values = np.array(values, np.int64)
    return make(kind, list(values.shape), values)


def tensor(kind, dims, make=Input):
    unsigned = kind.scale == 0 and kind.limits[0] == 0 if not kind.is_float else False
    return make(kind, dims, span=(0, 90) if unsigned else (-2, 2) if kind.scale else (-90, 90))


def cases(name):
    return vectors(EXTENSION + name)


X, MANY_DIMS = tensor(F32, [2, 3]), [2, 1, 3, 1, 2, 2]


@cases('RESHAPE')
def reshape_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [2, 3, 2]), listed([2, 1, 1, -1, 1, 3])], [kind])
    yield Case('f32_shape_as_input', [X, numbers([3, -1], I32, Input)], [F32])
    yield Case('f32_wide_shape_as_input', [X, numbers([3, 2], I64, Input)], [F32])
    yield Case('f32_zero_sized', [X, ints([3, 0, 2])], [F32], via=ZERO_SIZED)
    yield failing('count_that_differs', [X, ints([4, 2])], [F32], [4, 2])
    yield failing('two_inferred', [X, ints([-1, -1])], [F32], [2, 3])
    yield failing('beyond_32_bits', [X, numbers([2**40, 1], I64)], [F32], [2, 3])


@cases('TRANSPOSE')
def transpose_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, MANY_DIMS), ints([4, 0, -1, 3, 2, 1])], [kind])
    yield Case('f32_omitted', [tensor(F32, [2, 3, 4]), Omitted(I32)], [F32])
    yield Case('f32_zero_sized', [X, ints([1, 0])], [F32], via=ZERO_SIZED)
    yield failing('axis_twice', [X, ints([1, -1])], [F32], [3, 3])
    yield failing('axis_too_large', [X, ints([0, 2])], [F32], [2, 3])


@cases('CONCATENATION')
def concatenation_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [2, 1, 1, 3, 2]), tensor(kind, [2, 1, 1, 2, 2], Const),
                          tensor(kind, [2, 1, 1, 1, 2]), -2], [kind])
    yield Case('f32_zero_sized', [X, X, 0], [F32], via=ZERO_SIZED)
    yield Case('f32_alone', [X, 1], [F32])
    yield failing('sizes_that_differ', [X, tensor(F32, [3, 3]), 1], [F32], [2, 6])
    q16 = KINDS['q16']
    yield failing('scales_that_differ', [tensor(q16, [2]), tensor(q16_asymm(0.1, 0), [2]), 0],
                  [q16], [4])


@cases('SPLIT')
def split_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [1, 2, 1, 2, 7]), -1, listed([2, -1, 1])], [kind] * 3)
    yield Case('f32_equal', [tensor(F32, [2, 6]), 1, Omitted(I32)], [F32] * 3)
    yield failing('equal_does_not_divide', [tensor(F32, [2, 5]), 1, Omitted(I32)], [F32] * 2, [2, 2])
    yield failing('sum_too_large', [X, 1, ints([2, 2])], [F32] * 2, [2, 2])
    yield failing('two_open', [X, 1, ints([-1, -1])], [F32] * 2, [2, 1])
    yield failing('three_sizes', [X, 1, ints([1, 1, 1])], [F32] * 2, [2, 1])


@cases('PACK')
def pack_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [-2, tensor(kind, [2, 1, 2, 3]), tensor(kind, [2, 1, 2, 3])], [kind])
    yield Case('f32_vectors', [0, tensor(F32, [3]), tensor(F32, [3])], [F32])
    yield failing('shapes_that_differ', [0, X, tensor(F32, [3, 2])], [F32], [2, 2, 3])


@cases('UNPACK')
def unpack_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [2, 1, 3, 1, 2]), -3], [kind] * 3)
    yield Case('f32_matrix', [X, 0], [F32] * 2)
    yield failing('fewer_outputs', [X, 1], [F32] * 2, [2])
    yield Case('f32_vector', [tensor(F32, [3]), 0], [F32] * 3)


@cases('SLICE')
def slice_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [2, 3, 1, 2, 4]), listed([1, 0, 0, 0, 1]),
                          listed([1, 2, 1, -1, 3])], [kind])
    yield Case('f32_as_inputs', [X, numbers([1, 1], I64, Input), numbers([-1, 2], I64, Input)],
               [F32])
    yield failing('beyond_the_end', [X, ints([1, 0]), ints([2, 3])], [F32], [2, 3])
    yield failing('negative_begin', [X, ints([-1, 0]), ints([1, 3])], [F32], [1, 3])


@cases('STRIDED_SLICE')
def strided_slice_cases(_):
    def spec(begin, end, stride, *masks, listed=ints, offset=False):
        return [listed(begin), listed(end), listed(stride), *masks, offset]
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [2, 3, 1, 4, 5]),
                          *spec([0, -1, 0, 4], [2, -9, 0, 1], [1, -2, 1, -1], 0, 0, 0, 4, 0,
                                listed=listed)], [kind])
    cube = tensor(F32, [3, 4, 5])
    for form, arguments in [
            ('fewer_entries', spec([1], [3], [1], 0, 0, 0, 0, 0)),
            ('masks', spec([2, 1, 1], [2, 1, 4], [1, 1, 2], 1, 2, 0, 0, 0)),
            ('shrunk', spec([-1, 0, 2], [0, 4, 0], [1, 2, 1], 0, 0, 5, 0, 0)),
            ('all_shrunk', spec([1, 2, 3], [0, 0, 0], [1, 1, 1], 0, 0, 7, 0, 0)),
            ('new_axes', spec([0, 1, 0, 0], [0, 3, 0, 0], [1, 1, 1, 1], 0, 0, 0, 4, 9)),
            ('ellipsis_of_nothing', spec([0, 0, 0, 0], [2, 2, 0, 2], [1] * 4, 0, 0, 0, 4, 0)),
            ('offset', spec([1, 2, 0], [1, 2, 5], [1, 1, 1], 0, 0, 0, 0, 0, offset=True))]:
        yield Case('f32_' + form, [cube, *arguments], [F32])
    yield Case('f32_as_inputs', [X, *[numbers(v, I64, Input) for v in ([0, 2], [2, 2**40], [1, 1])],
                                 0, 0, 0, 0, 0, False], [F32])
    yield failing('stride_of_zero', [X, *spec([0, 0], [2, 3], [1, 0], 0, 0, 0, 0, 0)], [F32], [2, 3])
    yield failing('shrunk_beyond_the_end', [X, *spec([2], [3], [1], 0, 0, 1, 0, 0)], [F32], [3])
    yield failing('entries_beyond_the_rank', [X, *spec([0] * 3, [1] * 3, [1] * 3, 0, 0, 0, 0, 0)],
                  [F32], [1, 1])


@cases('PAD')
def pad_cases(_):
    edges = [[0, 0], [1, 0], [0, 2], [0, 0], [2, 1]]
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [1, 2, 1, 2, 2]), listed(edges), tensor(kind, [1], Const)],
                   [kind])
    for word, kind in [('f32', F32), *each('q8 q8s i64 q16'), A16]:
        yield Case(f'{word}_zero', [tensor(kind, [2, 3]), ints([[0, 1], [2, 0]]), Omitted(kind)],
                   [kind])
    yield Case('f32_value_as_input', [X, ints([[1, 0], [0, 1]]), tensor(F32, [1])], [F32])
    yield Case('f32_zero_sized', [X, ints([[1, 0], [0, 1]]), tensor(F32, [1])], [F32],
               via=ZERO_SIZED)
    yield failing('negative_padding', [X, ints([[0, 0], [2, -1]]), Omitted(F32)], [F32], [2, 4])
    yield failing('two_values', [X, ints([[0, 0], [2, 1]]), tensor(F32, [2])], [F32], [2, 6])


@cases('MIRROR_PAD')
def mirror_pad_cases(_):
    edges = [[0, 0], [1, 0], [0, 0], [1, 1], [2, 2]]
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [1, 2, 1, 2, 3]), listed(edges), 0], [kind])
    yield Case('f32_symmetric', [X, ints([[2, 1], [0, 3]]), 1], [F32])
    yield failing('reflect_too_far', [X, ints([[2, 0], [0, 0]]), 0], [F32], [4, 3])


@cases('TILE')
def tile_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [1, 2, 1, 2, 1]), listed([2, 1, 1, 2, 3])], [kind])
    yield Case('f32_as_input', [X, numbers([1, 2], I64, Input)], [F32])
    yield Case('f32_zero_sized', [X, ints([3, 2])], [F32], via=ZERO_SIZED)
    yield failing('negative_multiple', [X, ints([2, -1])], [F32], [4, 3])


@cases('BROADCAST_TO')
def broadcast_to_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [3, 1, 2]), listed([2, 1, 3, 2, 2])], [kind])
    yield Case('f32_extents_of_one', [X, ints([2, 1, 1])], [F32])
    yield Case('f32_as_input', [tensor(F32, [1, 3]), numbers([2, 3], I64, Input)], [F32])
    yield Case('f32_zero_sized', [X, ints([2, 0, 3])], [F32], via=ZERO_SIZED)
    yield failing('extents_that_differ', [X, ints([4, 2])], [F32], [4, 2])
    yield failing('negative_extent', [X, ints([-1, 3])], [F32], [2, 3])


@cases('REVERSE')
def reverse_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [2, 1, 3, 1, 2]), ints([0, -3])], [kind])
    yield Case('f32_zero_sized', [X, ints([0, 1])], [F32], via=ZERO_SIZED)
    yield Case('f32_axis_as_input', [X, numbers([1], I32, Input)], [F32])
    yield failing('axis_twice', [X, ints([1, -1])], [F32], [2, 3])
    yield failing('axis_too_large', [X, ints([2])], [F32], [2, 3])


@cases('REVERSE_SEQUENCE')
def reverse_sequence_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [1, 3, 1, 4, 2]), listed([2, 0, 4]), 3, 1], [kind])
    yield Case('f32_batch_behind', [tensor(F32, [4, 2, 3]), numbers([3, 1, 4], I64, Input), 0, -1],
               [F32])
    yield failing('length_too_large', [X, numbers([2, 4], I32, Input), 1, 0], [F32], [2, 3])
    yield failing('negative_length', [X, numbers([2, -1], I32, Input), 1, 0], [F32], [2, 3])
    yield failing('one_dimension', [X, ints([2, 1]), 0, 0], [F32], [2, 3])


@cases('SPACE_TO_BATCH_ND')
def space_to_batch_nd_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [1, 3, 2, 3, 2]), ints([2, 1, 3]),
                          ints([[1, 0], [0, 1], [2, 1]])], [kind])
    yield Case('f32_one_dimension', [tensor(F32, [2, 4, 3]), ints([2]), ints([[0, 0]])], [F32])
    yield failing('no_blocks', [tensor(F32, [2, 3, 1]), ints([2]), ints([[0, 0]])], [F32], [4, 1, 1])
    yield failing('blocks_of_the_rank', [X, ints([1, 1]), ints([[0, 0], [0, 0]])], [F32], [2, 3])


@cases('BATCH_TO_SPACE_ND')
def batch_to_space_nd_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [12, 2, 1, 2, 2]), ints([2, 1, 3]),
                          ints([[1, 0], [0, 0], [2, 1]])], [kind])
    yield Case('f32_one_dimension', [tensor(F32, [4, 2, 3]), ints([2]), ints([[0, 0]])], [F32])
    yield failing('batch_that_does_not_divide', [tensor(F32, [3, 3, 1]), ints([2]), ints([[0, 0]])],
                  [F32], [1, 6, 1])
    yield failing('cropped_too_far', [tensor(F32, [2, 1, 1]), ints([2]), ints([[1, 2]])], [F32],
                  [1, 1, 1])


@cases('SPACE_TO_DEPTH')
def space_to_depth_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [1, 4, 2, 3]), 2, False], [kind])
    yield Case('f32_nchw', [tensor(F32, [1, 3, 2, 4]), 2, True], [F32])
    yield failing('rank_3', [tensor(F32, [2, 2, 4]), 2, False], [F32], [4, 4, 1])


@cases('DEPTH_TO_SPACE')
def depth_to_space_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [1, 2, 3, 8]), 2, False, False], [kind])
    yield Case('f32_depth_outside', [tensor(F32, [1, 2, 1, 8]), 2, False, True], [F32])
    yield Case('f32_nchw_depth_outside', [tensor(F32, [2, 12, 1, 2]), 2, True, True], [F32])
    yield failing('does_not_divide', [tensor(F32, [1, 2, 2, 6]), 2, False, True], [F32],
                  [1, 4, 4, 1])


@cases('DILATE')
def dilate_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [2, 1, 3, 1, 2]), ints([2, 5, 1, 1, 3]), tensor(kind, [1])],
                   [kind])
    yield failing('step_of_zero', [X, ints([1, 0]), tensor(F32, [1])], [F32], [2, 3])


@cases('GATHER')
def gather_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [2, 1, 3, 2, 2]), -3, listed([2, 0, -1, 2]), 0], [kind])
    yield Case('f32_batches', [tensor(F32, [2, 3, 4, 2]), 2, numbers([[3, 0], [1, 1]]), 1], [F32])
    yield Case('f32_two_batches', [tensor(F32, [2, 2, 3]), -1,
                                   numbers([[[0], [2]], [[1], [-1]]], I64, Input), 2], [F32])
    yield Case('f32_zero_sized', [tensor(F32, [2, 3]), 1, ints([0, 1]), 0], [F32], via=ZERO_SIZED)
    yield failing('index_too_large', [X, 1, numbers([0, 3], I64, Input), 0], [F32], [2, 2])
    yield failing('index_too_small', [X, 1, numbers([0, -4], I32, Input), 0], [F32], [2, 2])
    yield failing('batches_behind_the_axis', [X, 0, ints([[0], [1]]), 1], [F32], [2, 3])
    yield failing('batches_that_differ', [X, 1, ints([[0], [1], [2]]), 1], [F32], [3, 1])


@cases('GATHER_ND')
def gather_nd_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [2, 1, 3, 2, 2]), listed([[1, 0, 2], [0, -1, 0]]), 0], [kind])
    yield Case('f32_elements', [X, numbers([[1, 2], [0, 0], [-1, -1]], I32, Input), 0], [F32])
    yield Case('f32_batches', [tensor(F32, [2, 3, 4]), numbers([[[2], [0]], [[1], [1]]], I64, Input),
                               1], [F32])
    yield failing('index_too_large', [X, numbers([[1, 3]], I32, Input), 0], [F32], [1])
    yield failing('vectors_too_long', [X, ints([[0, 0, 0]]), 0], [F32], [1])


@cases('EMBEDDING_LOOKUP')
def embedding_lookup_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [listed([2, 0, 2]), tensor(kind, [3, 1, 2, 1, 2])], [kind])
    yield failing('index_too_large', [numbers([3], I64, Input), tensor(F32, [3, 2])], [F32], [1, 2])
    yield failing('negative_index', [numbers([-1], I32, Input), tensor(F32, [3, 2])], [F32], [1, 2])
    yield failing('rows_of_indices', [ints([[0], [1]]), tensor(F32, [3, 2])], [F32], [2, 2])


@cases('SCATTER_ND')
def scatter_nd_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [listed([[1, 0], [2, 1], [1, 0]]), tensor(kind, [3, 1, 1, 2]),
                          listed([3, 2, 1, 1, 2])], [kind])
    yield Case('f32_as_inputs', [numbers([[2], [-1], [0]], I64, Input), tensor(F32, [3, 2]),
                                 numbers([4, 2], I64, Input)], [F32])
    wrapped = KINDS['i8']
    yield Case('i8_wraps', [numbers([[0], [0]], I32, Input), numbers([100, 100], wrapped, Input),
                            ints([2])], [wrapped])
    yield failing('index_too_large', [numbers([[4]], I32, Input), tensor(F32, [1, 2]), ints([4, 2])],
                  [F32], [4, 2])
    yield failing('updates_of_another_shape', [ints([[0]]), tensor(F32, [1, 3]), ints([4, 2])],
                  [F32], [4, 2])


@cases('DYNAMIC_UPDATE_SLICE')
def dynamic_update_slice_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [tensor(kind, [2, 1, 3, 1, 4]), tensor(kind, [1, 1, 2, 1, 2]),
                          listed([1, 0, 1, 0, 1])], [kind])
    yield Case('f32_moved_back', [tensor(F32, [4, 3]), tensor(F32, [2, 2]),
                                  numbers([9, -1], I32, Input)], [F32])
    yield Case('f32_far_beyond', [tensor(F32, [4, 3]), tensor(F32, [2, 2]),
                                  numbers([2**40, -2**40], I64, Input)], [F32])
    yield failing('update_too_large', [X, tensor(F32, [3, 1]), ints([0, 0])], [F32], [2, 3])


@cases('SPARSE_TO_DENSE')
def sparse_to_dense_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [listed([[1, 0, 0, 0, 1], [0, 0, 1, 0, 0]]), listed([2, 1, 2, 1, 2]),
                          tensor(kind, [2]), tensor(kind, [1])], [kind])
    yield Case('f32_one_value', [numbers([3, 0], I32, Input), numbers([5], I32, Input),
                                 tensor(F32, [1]), tensor(F32, [1])], [F32])
    yield Case('f32_place_twice', [numbers([1, 1], I32, Input), ints([3]), tensor(F32, [2]),
                                   tensor(F32, [1])], [F32])
    yield failing('index_too_large', [numbers([5], I32, Input), ints([5]), tensor(F32, [1]),
                                      tensor(F32, [1])], [F32], [5])
    yield failing('values_of_another_count', [ints([1, 2]), ints([5]), tensor(F32, [3]),
                                              tensor(F32, [1])], [F32], [5])


@cases('ONE_HOT')
def one_hot_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [listed([[2, 0], [-1, 3]]), ints([3]), tensor(kind, [1]),
                          tensor(kind, [1]), -1], [kind])
    yield Case('f32_first_axis', [numbers([1, 0, 5], I64, Input), numbers([2], I32, Input),
                                  tensor(F32, [1]), tensor(F32, [1]), 0], [F32])
    yield failing('negative_depth', [ints([0]), ints([-1]), tensor(F32, [1]), tensor(F32, [1]), 0],
                  [F32], [1, 1])
    yield failing('axis_too_large', [ints([0]), ints([1]), tensor(F32, [1]), tensor(F32, [1]), 2],
                  [F32], [1, 1])


@cases('FILL')
def fill_cases(_):
    for word, kind, listed in with_ints():
        yield Case(word, [listed([2, 1, 1, 1, 3]), tensor(kind, [1])], [kind])
    yield Case('f32_as_input', [numbers([2, 2], I64, Input), tensor(F32, [1])], [F32])
    yield failing('negative_extent', [ints([2, -1]), tensor(F32, [1])], [F32], [2, 1])
    yield failing('two_values', [ints([2]), tensor(F32, [2])], [F32], [2])


@cases('RANGE')
def range_cases(_):
    def of(kind, *values):
        return [Input(kind, [1], [value]) for value in values]
    for word, kind in each('f32 f64 i32 i64'):
        yield Case(word, of(kind, 3, 18, 4), [kind])
        yield Case(f'{word}_down', of(kind, 3, -7, -2), [kind])
    yield Case('f32_fractions', of(F32, 0, 1, 0.1), [F32])
    yield failing('step_of_zero', of(I32, 1, 2, 0), [I32], [1])
    yield failing('float_step_of_zero', of(F32, 1, 2, 0), [F32], [1])


@cases('MATRIX_DIAG')
def matrix_diag_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [2, 1, 1, 1, 3])], [kind])
    yield Case('f32_vector', [tensor(F32, [3])], [F32])


@cases('MATRIX_SET_DIAG')
def matrix_set_diag_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [2, 1, 1, 3, 4]), tensor(kind, [2, 1, 1, 3])], [kind])
    yield Case('f32_high', [tensor(F32, [3, 2]), tensor(F32, [2])], [F32])
    yield failing('diagonal_too_long', [tensor(F32, [3, 2]), tensor(F32, [3])], [F32], [3, 2])


@cases('SHAPE')
def shape_cases(_):
    for word, kind in all_kinds():
        yield Case(word, [tensor(kind, [2, 1, 3])], [I32])
        yield Case(f'{word}_wide', [tensor(kind, [1, 2, 1, 2, 1, 1])], [I64])
    yield failing('of_another_rank', [X], [I32], [3])
