"""The integer network: int8 tensors, by the quantisation rules of TensorFlow Lite.

Activations have one scale and zero point per tensor; weights are symmetric, with a scale per output
channel (one for all in FULLY_CONNECTED); biases are int32 in units of input scale x weight scale.
`run` computes what TensorFlow Lite's built-in kernels compute, to the bit, but that SOFTMAX, which
they do in float32, may differ by 1.
"""

from dataclasses import dataclass

import numpy as np

from . import network

LOW, HIGH = -128, 127
KEEPS_QUANT = ("AVERAGE_POOL_2D", "RESHAPE")  # operations whose result has the input's quantisation
# The axes of the weights that share a scale.
SHARES_SCALE = {"CONV_2D": (1, 2, 3), "DEPTHWISE_CONV_2D": (0, 1, 2), "FULLY_CONNECTED": (0, 1)}
ADD_SHIFT = 20  # ADD raises its inputs by this many bits before it scales them


@dataclass(frozen=True)
class Quant:
    scale: np.float32
    zero: int


IMAGE_QUANT = Quant(np.float32(1 / 255), LOW)  # grey level g is the int8 g - 128
SCORE_QUANT = Quant(np.float32(1 / 256), LOW)


@dataclass
class Layer:
    """One node's constants; all None where the node has none."""

    weights: np.ndarray = None  # int8, in the layout of network.py
    scales: np.ndarray = None  # float32, one per output channel, or one
    bias: np.ndarray = None  # int32
    bias_scales: np.ndarray = None


@dataclass
class Network:
    quants: list  # per value
    layers: list  # per node


def range_quant(low, high):
    """The quantisation of reals from low to high; zero is always exact."""
    low, high = min(float(low), 0.0), max(float(high), 0.0)
    scale = np.float32((high - low) / 255)
    return Quant(scale, int(np.clip(np.rint(LOW - low / float(scale)), LOW, HIGH)))


def calibrate(parameters, images):
    """A quantisation for every value, from what the float network computes for `images`."""
    values = network.forward(parameters, images)
    quants = [IMAGE_QUANT]
    for node, value in zip(network.GRAPH, values[1:]):
        if node.op in KEEPS_QUANT:
            quants.append(quants[node.inputs[0]])
        elif node.op == "SOFTMAX":
            quants.append(SCORE_QUANT)
        else:
            quants.append(range_quant(value.min(), value.max()))
    return quants


def quantise_layer(node, weights, bias, source):
    largest = np.abs(weights).max(SHARES_SCALE[node.op], keepdims=True)
    scales = (np.where(largest > 0, largest, 1) / np.float32(HIGH)).astype(np.float32)
    bias_scales = np.float32(source.scale) * scales.reshape(-1)
    whole_bias = np.rint(bias.astype(np.float64) / bias_scales)
    if np.abs(whole_bias).max() >= 2**31:
        raise ValueError(f"{node.op}: a bias does not fit into int32")
    whole = np.clip(np.rint(weights / scales), -HIGH, HIGH).astype(np.int8)
    return Layer(whole, scales.reshape(-1), whole_bias.astype(np.int32), bias_scales)


def quantise(parameters, images):
    quants = calibrate(parameters, images)
    layers = []
    for node, own in zip(network.GRAPH, parameters):
        layers.append(quantise_layer(node, *own, quants[node.inputs[0]]) if own else Layer())
    return Network(quants, layers)


# Fixed-point arithmetic


def fixed_point(real):
    """(m, e) per element: real = m * 2^(e - 31), m from 2^30 to 2^31 - 1."""
    fraction, exponent = np.frexp(np.asarray(real, np.float64))
    m = np.rint(fraction * 2**31).astype(np.int64)
    full = m == 2**31
    return np.where(full, m // 2, m), np.where(full, exponent + 1, exponent).astype(np.int64)


def times(acc, real, ties_away):
    """acc * real, rounded in two steps as the kernels do; `real` is one per channel, or one."""
    m, e = (network.per_channel(part, acc) for part in fixed_point(np.atleast_1d(real)))
    left, right = np.maximum(e, 0), np.maximum(-e, 0)
    high = ((acc << left) * m + 2**30) >> 31
    half = np.where(right > 0, np.left_shift(1, np.maximum(right - 1, 0)), 0)
    if ties_away:
        half = half - ((high < 0) & (right > 0))
    return (high + half) >> right


def multiplier(node, source, layer, result):
    """Input scale x weight scale / output scale; FULLY_CONNECTED's first product is float32."""
    if node.op == "FULLY_CONNECTED":
        return np.float64(source.scale * layer.scales) / np.float64(result.scale)
    return np.float64(source.scale) * layer.scales.astype(np.float64) / np.float64(result.scale)


def rounded_mean(total, count):
    """total / count, ties away from zero."""
    magnitude = (np.abs(total) + count // 2) // count
    return np.where(total < 0, -magnitude, magnitude)


def add(a, b, a_quant, b_quant, result):
    """ADD's integers before the zero point; a and b without theirs."""
    twice = 2 * max(np.float64(a_quant.scale), np.float64(b_quant.scale))
    total = times(a << ADD_SHIFT, np.float64(a_quant.scale) / twice, ties_away=True)
    total = total + times(b << ADD_SHIFT, np.float64(b_quant.scale) / twice, ties_away=True)
    return times(total, twice / ((1 << ADD_SHIFT) * np.float64(result.scale)), ties_away=True)


def softmax(logits, quant):
    shares = network.softmax(logits * np.float64(quant.scale))
    return np.rint(shares / np.float64(SCORE_QUANT.scale)).astype(np.int64)


def clamp(node, y, quant):
    low = quant.zero if node.activation != "NONE" else LOW
    steps = min(network.CEILING[node.activation] / np.float64(quant.scale), HIGH - LOW)
    return np.clip(y, low, min(quant.zero + int(np.rint(steps)), HIGH))


def run_node(node, layer, values, quants, result):
    """The node's result without its zero point. `values` come without theirs, as int64."""
    source = quants[node.inputs[0]]
    x = values[node.inputs[0]]
    if node.op == "ADD":
        return add(x, values[node.inputs[1]], source, quants[node.inputs[1]], result)
    if node.op == "SOFTMAX":
        return softmax(x, source)
    exact = {i: values[i].astype(np.float64) for i in node.inputs}
    weights = None if layer.weights is None else layer.weights.astype(np.float64)
    acc = network.linear(node, exact, weights).astype(np.int64)
    if node.op == "RESHAPE":
        return acc
    if node.op == "AVERAGE_POOL_2D":  # the mean is of the elements as they are stored
        count = node.kernel**2
        return rounded_mean(acc + count * source.zero, count) - source.zero
    acc = acc + network.per_channel(layer.bias.astype(np.int64), acc)
    return times(acc, multiplier(node, source, layer, result), node.op == "DEPTHWISE_CONV_2D")


def run(net, images):
    """Output bytes, int8 [count, CLASSES], for uint8 images [count, 28, 28]."""
    values = [images.astype(np.int64).transpose(1, 2, 0)[None]]
    for index, (node, layer) in enumerate(zip(network.GRAPH, net.layers)):
        quant = net.quants[index + 1]
        y = run_node(node, layer, values, net.quants, quant) + quant.zero
        values.append(clamp(node, y, quant) - quant.zero)
    return (values[-1] + SCORE_QUANT.zero).T.astype(np.int8)
