"""Pooling with places, and landmarks, of org.halyard.operations."""
import numpy as np

from .cases import NONE, RELU, RELU1, RELU6, SAME, VALID, Case, Const, Input, failing, ints, vectors
from .convolutions import Geometry, taps
from .elementwise import activate
from .evaluate import operation
from .kinds import EXTENSION, F32


class Windows:
    """Strides and sizes of windows, as (vertical, horizontal), from operand `at` on."""

    def __init__(self, call, at):
        self.stride = call.number(at + 1), call.number(at)
        self.size = call.number(at + 3), call.number(at + 2)


@operation(EXTENSION + 'MAX_POOL_WITH_ARGMAX_2D', 3)
def max_pool_with_argmax_2d(call):
    explicit = len(call.inputs) == 10
    geometry = Geometry(call, 1, explicit, extra=2)
    size = Windows(call, 5 if explicit else 2).size
    geometry.nchw, geometry.dilation = False, (1, 1)
    cells = list(taps(call.real(0), size, geometry, outside=-np.inf))
    seen = np.stack([x for _, _, x in cells])
    places = np.array([i * size[1] + j for i, j, _ in cells])[seen.argmax(0)]
    return activate(seen.max(0), geometry.activation), places + float(np.float32(0.1))


@operation(EXTENSION + 'MAX_UNPOOL_2D', 3)
def max_unpool_2d(call):
    x, places, windows = call.real(0), call.real(1), Windows(call, 2)
    height, width = (n * w for n, w in zip(x.shape[1:3], windows.size))
    heads = [max((n - 1) * s + w - n * w, 0) // 2
             for n, s, w in zip(x.shape[1:3], windows.stride, windows.size)]
    out = np.zeros((x.shape[0], height, width, x.shape[3]))
    for n, i, j, c in np.ndindex(x.shape):
        place = int(places[n, i, j, c])
        row = i * windows.stride[0] - heads[0] + place // windows.size[1]
        column = j * windows.stride[1] - heads[1] + place % windows.size[1]
        if 0 <= place < windows.size[0] * windows.size[1] and 0 <= row < height and \
                0 <= column < width:
            out[n, row, column, c] = x[n, i, j, c]
    return out


@operation(EXTENSION + 'TRANSFORM_TENSOR_BILINEAR', 3)
def transform_tensor_bilinear(call):
    x, matrix = call.real(0), call.real(1).reshape(4, 4)
    width, height = call.number(2), call.number(3)
    half = 0.5 if call.number(4) else 0.0
    out = np.zeros((x.shape[0], height, width, x.shape[3]))
    for i, j in np.ndindex(height, width):
        column, row, _, _ = matrix @ [j + half, i + half, 0, 1] - half
        if not (0 <= column <= x.shape[2] - 1 and 0 <= row <= x.shape[1] - 1):
            continue
        top, left = int(row), int(column)
        for dy, dx, part in [(0, 0, (1 - row + top) * (1 - column + left)),
                             (0, 1, (1 - row + top) * (column - left)),
                             (1, 0, (row - top) * (1 - column + left)),
                             (1, 1, (row - top) * (column - left))]:
            if part:
                out[:, i, j] += part * x[:, top + dy, left + dx]
    return out


def moved(x, y):
    return np.array([[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, 0], [0, 0, 0, 1]])


def turned(angle):
    sine, cosine = np.sin(angle), np.cos(angle)
    return np.array([[cosine, -sine, 0, 0], [sine, cosine, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


@operation(EXTENSION + 'LANDMARKS_TO_TRANSFORM_MATRIX', 3)
def landmarks_to_transform_matrix(call):
    points = call.real(0).reshape(-1, 3)[:, :2]
    left, right = points[call.number(2)], points[call.number(3)]
    angle = call.number(4) - np.arctan2(*(right - left)[::-1])
    chosen = points[call.ints(1)] @ turned(angle)[:2, :2].T
    low, high = chosen.min(0), chosen.max(0)
    size = np.array([call.number(5), call.number(6)])
    scale = (high - low) * [call.number(7), call.number(8)] / size
    middle = turned(-angle)[:2, :2] @ ((low + high) / 2)
    matrix = moved(*middle) @ turned(-angle) @ np.diag([*scale, 1, 1]) @ moved(*-size / 2)
    return matrix[None]


@operation(EXTENSION + 'TRANSFORM_LANDMARKS', 3)
def transform_landmarks(call):
    matrix = call.real(1).reshape(4, 4)
    points = call.real(0).reshape(-1, call.number(2)).copy()
    points[:, :2] = points[:, :2] @ matrix[:2, :2].T + matrix[:2, 3] * call.number(3)
    return points.reshape(call.real(0).shape)


# ---- Cases ---------------------------------------------------------------------------------------


@vectors(EXTENSION + 'MAX_POOL_WITH_ARGMAX_2D')
def max_pool_with_argmax_2d_cases(_):
    image = Input(F32, [2, 4, 5, 3])
    yield Case('f32_valid', [image, VALID, 2, 2, 2, 2, NONE], [F32, F32])
    yield Case('f32_same_relu', [image, SAME, 2, 1, 3, 2, RELU], [F32, F32])
    yield Case('f32_explicit_relu1', [image, 1, 0, 1, 2, 2, 1, 2, 3, RELU1], [F32, F32])
    yield Case('f32_explicit_relu6', [image, 0, 0, 0, 0, 1, 1, 4, 4, RELU6], [F32, F32])
    yield Case('f32_equal_elements', [Input(F32, [1, 4, 4, 1], [1] * 16), SAME, 2, 2, 3, 3, NONE],
               [F32, F32])
    yield failing('rank_3', [Input(F32, [4, 5, 3]), VALID, 2, 2, 2, 2, NONE], [F32, F32],
                  [2, 2, 3])
    yield failing('stride_of_zero', [image, VALID, 0, 2, 2, 2, NONE], [F32, F32], [2, 2, 2, 3])


@vectors(EXTENSION + 'MAX_UNPOOL_2D')
def max_unpool_2d_cases(_):
    dims = [2, 2, 3, 2]
    image, count = Input(F32, dims), 24

    def places(values):
        return Input(F32, dims, [v + 0.125 for v in values])
    yield Case('f32_places', [image, places([i * 5 % 4 for i in range(count)]), 2, 2, 2, 2], [F32])
    yield Case('f32_overlapping', [image, places([i * 5 % 9 for i in range(count)]), 3, 4, 3, 3],
               [F32])
    yield Case('f32_windows_apart', [image, places([i * 5 % 6 for i in range(count)]), 1, 3, 2, 3],
               [F32])
    yield Case('f32_no_places', [image, places([-1.5, 4, 400, 2**30] + [3] * 20), 2, 2, 2, 2],
               [F32])
    yield failing('places_of_another_shape', [image, Input(F32, [2, 2, 3, 1]), 2, 2, 2, 2], [F32],
                  [2, 4, 6, 2])
    yield failing('window_of_zero', [image, Input(F32, dims), 2, 2, 0, 2], [F32], [2, 4, 6, 2])


TURNED = [0.75, -0.5, 0, 1.25, 0.5, 0.75, 0, -0.375, 0, 0, 1, 0, 0, 0, 0, 1]


@vectors(EXTENSION + 'TRANSFORM_TENSOR_BILINEAR')
def transform_tensor_bilinear_cases(_):
    image = Input(F32, [2, 4, 5, 3])

    def matrix(values, dims=(1, 4, 4)):
        return Input(F32, list(dims), values)
    same = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    yield Case('f32_turned', [image, matrix(TURNED), 6, 5, False], [F32])
    yield Case('f32_turned_half_pixel', [image, matrix(TURNED, (4, 4)), 6, 5, True], [F32])
    yield Case('f32_the_same_and_more', [image, matrix(same, (16,)), 7, 6, False], [F32])
    yield Case('f32_one_pixel', [Input(F32, [1, 1, 1, 2]), matrix(same), 2, 2, False], [F32])
    yield failing('matrix_of_9', [image, Input(F32, [1, 3, 3]), 6, 5, False], [F32], [2, 5, 6, 3])
    yield failing('width_of_zero', [image, matrix(same), 0, 5, False], [F32], [2, 5, 1, 3])
    yield failing('rank_3', [Input(F32, [4, 5, 3]), matrix(same), 6, 5, False], [F32], [5, 6, 3])


@vectors(EXTENSION + 'LANDMARKS_TO_TRANSFORM_MATRIX')
def landmarks_to_transform_matrix_cases(_):
    points = Input(F32, [1, 10, 3], span=(0, 20))

    def rest(left=2, right=7, subset=(0, 3, 5, 9)):
        return [ints(list(subset)), left, right]
    yield Case('f32_upright', [points, *rest(), 0.0, 16, 16, 1.5, 1.5], [F32])
    yield Case('f32_turned', [points, *rest(9, 1, range(10)), 1.25, 8, 24, 1.0, 2.0], [F32])
    yield Case('f32_one_landmark', [points, *rest(0, 1, [4]), -0.5, 8, 8, 1.0, 1.0], [F32])
    yield Case('f32_left_is_right', [points, *rest(3, 3), 0.0, 8, 8, 1.0, 1.0], [F32])
    yield failing('no_such_landmark', [points, *rest(10), 0.0, 8, 8, 1.0, 1.0], [F32], [1, 4, 4])
    yield failing('negative_landmark', [points, *rest(subset=[-1]), 0.0, 8, 8, 1.0, 1.0], [F32],
                  [1, 4, 4])
    yield failing('width_of_zero', [points, *rest(), 0.0, 0, 8, 1.0, 1.0], [F32], [1, 4, 4])
    yield failing('landmarks_of_2', [Input(F32, [1, 10, 2]), *rest(), 0.0, 8, 8, 1.0, 1.0], [F32],
                  [1, 4, 4])


@vectors(EXTENSION + 'TRANSFORM_LANDMARKS')
def transform_landmarks_cases(_):
    matrix = Const(F32, [1, 4, 4], TURNED)
    yield Case('f32_of_3', [Input(F32, [1, 7, 3]), matrix, 3, 1.0], [F32])
    yield Case('f32_of_2', [Input(F32, [1, 7, 2]), matrix, 2, 1.0], [F32])
    yield Case('f32_in_a_row', [Input(F32, [1, 1, 1, 12]), matrix, 3, 16.0], [F32])
    yield Case('f32_rank_5', [Input(F32, [1, 2, 1, 3, 4]), matrix, 2, -0.5], [F32])
    yield failing('numbers_left', [Input(F32, [1, 7, 4]), matrix, 3, 1.0], [F32], [1, 7, 4])
    yield failing('landmarks_of_1', [Input(F32, [1, 7, 3]), matrix, 1, 1.0], [F32], [1, 7, 3])
    yield failing('matrix_of_9', [Input(F32, [1, 7, 3]), Const(F32, [3, 3]), 3, 1.0], [F32],
                  [1, 7, 3])
