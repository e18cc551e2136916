"""The network: its graph, and its arithmetic forwards and backwards.

Values inside are [channels, height, width, batch], so that every loop numpy runs is long and
contiguous. Weights are kept as TensorFlow Lite stores them: CONV_2D [out, kh, kw, in],
DEPTHWISE_CONV_2D [1, kh, kw, channels], FULLY_CONNECTED [out, in].
The functions named `linear_*` also carry the integer network: float64 holds its sums exactly.
"""

from dataclasses import dataclass

import numpy as np

CLASSES = 10
INPUT_SHAPE = (1, 28, 28)  # channels, height, width


@dataclass(frozen=True)
class Node:
    op: str
    inputs: tuple = ()  # values read: 0 is the image, node i makes value i + 1
    channels: int = 0  # of the result; 0: as the input
    kernel: int = 1
    stride: int = 1
    padding: str = "SAME"
    activation: str = "NONE"


GRAPH = (
    Node("CONV_2D", (0,), channels=8, kernel=3, stride=2, activation="RELU"),
    Node("DEPTHWISE_CONV_2D", (1,), kernel=3, activation="RELU6"),
    Node("CONV_2D", (2,), channels=16, activation="RELU6"),
    Node("DEPTHWISE_CONV_2D", (3,), kernel=3, stride=2, activation="RELU6"),
    Node("CONV_2D", (4,), channels=32, activation="RELU6"),
    Node("DEPTHWISE_CONV_2D", (5,), kernel=3, activation="RELU6"),
    Node("CONV_2D", (6,), channels=32),
    Node("ADD", (5, 7), activation="RELU"),
    Node("AVERAGE_POOL_2D", (8,), kernel=3, stride=2, padding="VALID"),
    Node("RESHAPE", (9,)),
    Node("FULLY_CONNECTED", (10,), channels=CLASSES),
    Node("SOFTMAX", (11,)),
)
TRAINED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
CEILING = {"NONE": np.inf, "RELU": np.inf, "RELU6": 6.0}


def result_shape(node, shapes):
    """Shape of the node's result, without the batch."""
    shape = shapes[node.inputs[0]]
    if node.op == "RESHAPE":
        return (int(np.prod(shape)),)
    if node.op == "FULLY_CONNECTED":
        return (node.channels,)
    if node.op in ("ADD", "SOFTMAX"):
        return shape
    lost = node.kernel - 1 if node.padding == "VALID" else 0
    return (node.channels or shape[0],) + tuple(-(-(n - lost) // node.stride) for n in shape[1:])


def all_shapes():
    shapes = [INPUT_SHAPE]
    for node in GRAPH:
        shapes.append(result_shape(node, shapes))
    return shapes


def weight_shape(node, shapes):
    source = shapes[node.inputs[0]]
    return {
        "CONV_2D": (node.channels, node.kernel, node.kernel, source[0]),
        "DEPTHWISE_CONV_2D": (1, node.kernel, node.kernel, source[0]),
        "FULLY_CONNECTED": (node.channels, source[0]),
    }[node.op]


def initial_parameters(rng):
    """He's initialisation; a list with [weights, bias] or None per node."""
    shapes, parameters = all_shapes(), []
    for index, node in enumerate(GRAPH):
        if node.op not in TRAINED:
            parameters.append(None)
            continue
        shape = weight_shape(node, shapes)
        fan_in = int(np.prod(shape[1:3] if node.op == "DEPTHWISE_CONV_2D" else shape[1:]))
        weights = rng.normal(0, (2 / fan_in) ** 0.5, shape).astype(np.float32)
        parameters.append([weights, np.zeros(shapes[index + 1][0], np.float32)])
    return parameters


# Windows


def margins(node, size, out):
    """Padding before and after one axis; SAME puts the odd one after."""
    total = max((out - 1) * node.stride + node.kernel - size, 0) if node.padding == "SAME" else 0
    return total // 2, total - total // 2


def pad(node, x):
    out = result_shape(node, {node.inputs[0]: x.shape[:3]})
    edges = [(0, 0), margins(node, x.shape[1], out[1]), margins(node, x.shape[2], out[2]), (0, 0)]
    return np.pad(x, edges) if node.kernel > 1 else x


def taps(node, padded):
    """For every kernel position (row, column): the view of the elements that it meets."""
    rows, columns = ((n - node.kernel) // node.stride + 1 for n in padded.shape[1:3])
    for i in range(node.kernel):
        for j in range(node.kernel):
            i_end, j_end = i + (rows - 1) * node.stride + 1, j + (columns - 1) * node.stride + 1
            yield i, j, padded[:, i : i_end : node.stride, j : j_end : node.stride]


def columns(node, padded):
    """The input as a matrix: kernel position and channel down, output position and batch across."""
    patches = np.stack([view for _, _, view in taps(node, padded)])
    return patches.reshape(-1, int(np.prod(patches.shape[2:])))


# Forwards


def per_channel(bias, y):
    """One number per channel, in a shape that numpy spreads over y."""
    return bias.reshape(-1, *(1,) * (y.ndim - 1))


def linear_conv_2d(node, x, weights):
    padded = pad(node, x)
    shape = result_shape(node, {node.inputs[0]: x.shape[:3]})
    return (weights.reshape(node.channels, -1) @ columns(node, padded)).reshape(*shape, -1)


def linear_depthwise(node, x, weights):
    padded = pad(node, x)
    return sum(view * per_channel(weights[0, i, j], view) for i, j, view in taps(node, padded))


def linear_pool_sum(node, x):
    return sum(view for _, _, view in taps(node, pad(node, x)))


def flatten(x):
    """RESHAPE of [N, H, W, C] to [N, H * W * C], in our order of axes."""
    return np.ascontiguousarray(x.transpose(1, 2, 0, 3)).reshape(-1, x.shape[3])


def linear(node, values, weights):
    """The node without bias, rounding and activation."""
    x = values[node.inputs[0]]
    if node.op == "CONV_2D":
        return linear_conv_2d(node, x, weights)
    if node.op == "DEPTHWISE_CONV_2D":
        return linear_depthwise(node, x, weights)
    if node.op == "FULLY_CONNECTED":
        return weights @ x
    if node.op == "AVERAGE_POOL_2D":
        return linear_pool_sum(node, x)
    if node.op == "ADD":
        return x + values[node.inputs[1]]
    return flatten(x) if node.op == "RESHAPE" else x


def softmax(x):
    e = np.exp(x - x.max(0))
    return e / e.sum(0)


def forward(parameters, images):
    """All values, the image first; `images` are uint8 [batch, 28, 28]."""
    values = [(images.transpose(1, 2, 0)[None] / np.float32(255)).astype(np.float32)]
    for node, own in zip(GRAPH, parameters):
        y = linear(node, values, own[0] if own else None)
        if own:
            y = y + per_channel(own[1], y)
        if node.op == "AVERAGE_POOL_2D":
            y = y / np.float32(node.kernel**2)
        if node.activation != "NONE":
            y = np.clip(y, 0, np.float32(CEILING[node.activation]))
        values.append(softmax(y) if node.op == "SOFTMAX" else y)
    return values


# Backwards


def scatter(node, x, pieces):
    """Add what each kernel position sends back to the elements that it met."""
    padded = np.zeros_like(pad(node, x))
    for (_, _, view), piece in zip(taps(node, padded), pieces):
        view += piece
    top, left = ((a - b) // 2 for a, b in zip(padded.shape[1:3], x.shape[1:3]))
    return padded[:, top : top + x.shape[1], left : left + x.shape[2]]


def conv_2d_back(node, x, weights, dy):
    flat, matrix = dy.reshape(node.channels, -1), weights.reshape(node.channels, -1)
    d_weights = (flat @ columns(node, pad(node, x)).T).reshape(weights.shape)
    if node.inputs[0] == 0:
        return None, d_weights  # nobody asks how the image should change
    pieces = (matrix.T @ flat).reshape(node.kernel**2, x.shape[0], *dy.shape[1:])
    return (pieces[0] if node.kernel == 1 else scatter(node, x, pieces)), d_weights


def depthwise_back(node, x, weights, dy):
    d_weights = np.empty_like(weights)
    for i, j, view in taps(node, pad(node, x)):
        d_weights[0, i, j] = (view * dy).reshape(len(dy), -1).sum(1)
    pieces = (dy * per_channel(w, dy) for w in weights.reshape(-1, len(dy)))
    return scatter(node, x, pieces), d_weights


def node_back(node, x, weights, dy):
    """Gradients of the node's first input and of its weights."""
    if node.op == "CONV_2D":
        return conv_2d_back(node, x, weights, dy)
    if node.op == "DEPTHWISE_CONV_2D":
        return depthwise_back(node, x, weights, dy)
    if node.op == "FULLY_CONNECTED":
        return weights.T @ dy, dy @ x.T
    if node.op == "AVERAGE_POOL_2D":
        return scatter(node, x, [dy / np.float32(node.kernel**2)] * node.kernel**2), None
    if node.op == "RESHAPE":
        return dy.reshape(*x.shape[1:3], x.shape[0], -1).transpose(2, 0, 1, 3), None
    return dy, None  # ADD; SOFTMAX is folded into the loss


def backward(parameters, values, labels):
    """Gradients of the mean cross-entropy: [weights, bias] or None per node."""
    batch = len(labels)
    error = values[-1].copy()
    error[labels, np.arange(batch)] -= 1
    slopes = [0] * len(values)
    slopes[-1] = error / np.float32(batch)
    gradients = [None] * len(GRAPH)
    for index in reversed(range(len(GRAPH))):
        node, own, y, dy = GRAPH[index], parameters[index], values[index + 1], slopes[index + 1]
        if node.activation != "NONE":
            dy = dy * ((y > 0) & (y < CEILING[node.activation]))
        dx, d_weights = node_back(node, values[node.inputs[0]], own and own[0], dy)
        for source in node.inputs:
            slopes[source] = slopes[source] if dx is None else slopes[source] + dx
        if own:
            gradients[index] = [d_weights, dy.reshape(len(own[1]), -1).sum(1)]
    return gradients


def classify(parameters, images, batch=250):
    """Probabilities, float32 [count, CLASSES]."""
    parts = [forward(parameters, images[i : i + batch])[-1].T for i in range(0, len(images), batch)]
    return np.concatenate(parts)
