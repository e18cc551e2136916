"""A network in the making: layers with weights, which numpy can run, in the layout of .tflite files
(images are NHWC). Writers turn it into files."""

import numpy

SEED = 1


class Value:
    """What a layer makes, or an input. `low` and `high`, known after Graph.calibrate, are the range
    that int8 has to cover."""

    def __init__(self, name, shape, layer=None):
        self.name, self.shape, self.layer = name, tuple(shape), layer
        self.low = self.high = None
        self.data = None

    def quantisation(self):
        """Scale and zero point of int8."""
        low, high = min(self.low, 0.0), max(self.high, 0.0)
        scale = numpy.float32(max(high - low, 1e-6) / 255)
        return scale, int(numpy.clip(round(-128 - low / scale), -128, 127))


    def short_quantisation(self):
        """The same of int16, which has no zero point; softmax and logistic have one scale there."""
        if self.layer and self.layer.kind in ("softmax", "logistic"):
            return numpy.float32(1 / 32768), 0
        return numpy.float32(max(-self.low, self.high, 1e-6) / 32767), 0


class Layer:
    def __init__(self, kind, name, inputs, **facts):
        self.kind, self.name, self.inputs, self.facts = kind, name, inputs, facts
        self.output = None

    def __getattr__(self, fact):
        try:
            return self.__dict__["facts"][fact]
        except KeyError:
            raise AttributeError(fact) from None


def same_padding(size, kernel, stride):
    """(output size, zeros before, zeros behind) of SAME."""
    out = -(-size // stride)
    pad = max((out - 1) * stride + kernel - size, 0)
    return out, pad // 2, pad - pad // 2


class Graph:
    def __init__(self, name, description):
        self.name, self.description = name, description
        self.random = numpy.random.Generator(numpy.random.PCG64(SEED))
        self.inputs, self.outputs, self.layers = [], [], []

    # ---- Layers: each gives its Value -------------------------------------------------------------

    def input(self, name, shape, low, high):
        value = Value(name, shape)
        value.low, value.high = low, high
        self.inputs.append(value)
        return value

    def layer(self, kind, name, inputs, shape, **facts):
        layer = Layer(kind, name, inputs, **facts)
        layer.output = Value(name, shape, layer)
        self.layers.append(layer)
        return layer.output

    def weights(self, shape, fan_in, gain=1):
        return self.random.normal(0, gain * (2 / fan_in) ** 0.5, shape).astype(numpy.float32)

    def bias(self, count):
        return self.random.normal(0, 0.1, count).astype(numpy.float32)

    def convolution(self, name, x, channels, kernel, stride=1, activation="relu6", gain=1):
        n, height, width, depth = x.shape
        filters = self.weights((channels, kernel, kernel, depth), kernel * kernel * depth, gain)
        shape = (n, -(-height // stride), -(-width // stride), channels)
        return self.layer("convolution", name, [x], shape, filters=filters,
                          bias=self.bias(channels), stride=stride, activation=activation)

    def depthwise(self, name, x, kernel=3, stride=1, activation="relu6"):
        n, height, width, depth = x.shape
        filters = self.weights((1, kernel, kernel, depth), kernel * kernel)
        shape = (n, -(-height // stride), -(-width // stride), depth)
        return self.layer("depthwise", name, [x], shape, filters=filters, bias=self.bias(depth),
                          stride=stride, activation=activation)

    def dense(self, name, x, units, activation="none", gain=1):
        """Over the last axis."""
        filters = self.weights((units, x.shape[-1]), x.shape[-1], gain)
        return self.layer("dense", name, [x], (*x.shape[:-1], units), filters=filters,
                          bias=self.bias(units), activation=activation)

    def add(self, name, a, b):
        return self.layer("add", name, [a, b], a.shape)

    def average(self, name, x):
        """Of each channel."""
        return self.layer("average", name, [x], (x.shape[0], 1, 1, x.shape[3]))

    def join(self, name, values, axis):
        shape = list(values[0].shape)
        shape[axis] = sum(value.shape[axis] for value in values)
        return self.layer("join", name, values, shape, axis=axis)

    def reshape(self, name, x, shape):
        return self.layer("reshape", name, [x], shape)

    def transpose(self, name, x, order):
        return self.layer("transpose", name, [x], [x.shape[i] for i in order], order=order)

    def product(self, name, a, b):
        """Of matrices: the last two axes."""
        return self.layer("product", name, [a, b], (*a.shape[:-1], b.shape[-1]))

    def softmax(self, name, x):
        return self.layer("softmax", name, [x], x.shape)

    def logistic(self, name, x):
        return self.layer("logistic", name, [x], x.shape)

    def lstm(self, name, x, units):
        """Over [batch, time, features]."""
        features = x.shape[-1]
        return self.layer("lstm", name, [x], (*x.shape[:-1], units), units=units,
                          into=self.weights((4, units, features), 2 * features),
                          again=self.weights((4, units, units), 2 * units),
                          bias=self.random.normal(0, 0.1, (4, units)).astype(numpy.float32))

    # ---- Ranges -----------------------------------------------------------------------------------

    def calibrate(self):
        """Finds the ranges with noise."""
        noise = numpy.random.Generator(numpy.random.PCG64(SEED + 1))
        for value in self.inputs:
            value.data = noise.uniform(value.low, value.high, value.shape).astype(numpy.float32)
        for layer in self.layers:
            value = layer.output
            value.data = RUN[layer.kind](layer, *(x.data for x in layer.inputs))
            assert value.data.shape == value.shape, (layer.name, value.data.shape, value.shape)
            value.low, value.high = float(value.data.min()), float(value.data.max())
            if layer.kind in ("convolution", "depthwise", "dense") and layer.activation == "relu6":
                value.low, value.high = 0.0, 6.0
            if layer.kind in ("softmax", "logistic"):  # the only range that is allowed
                value.low, value.high = 0.0, 255 / 256
        self.share_ranges()
        for value in self.inputs + [layer.output for layer in self.layers]:
            value.data = None

    def share_ranges(self):
        """Layers that only move elements, or join them, keep their quantisation."""
        keeping = [layer for layer in self.layers
                   if layer.kind in ("reshape", "transpose", "average", "join")]
        for layer in reversed(keeping):
            for x in layer.inputs:
                x.low, x.high = min(x.low, layer.output.low), max(x.high, layer.output.high)
        for layer in keeping:
            layer.output.low, layer.output.high = layer.inputs[0].low, layer.inputs[0].high


# ---- What layers compute ----------------------------------------------------------------------------

def activate(values, activation):
    if activation == "relu6":
        return numpy.clip(values, 0, 6)
    return numpy.maximum(values, 0) if activation == "relu" else values


def windows(x, kernel, stride):
    """[n, rows, columns, kernel, kernel, channels]"""
    _, top, bottom = same_padding(x.shape[1], kernel, stride)
    _, left, right = same_padding(x.shape[2], kernel, stride)
    x = numpy.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)))
    view = numpy.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (1, 2))
    return view[:, ::stride, ::stride].transpose(0, 1, 2, 4, 5, 3)


def run_convolution(layer, x):
    channels, kernel = layer.filters.shape[:2]
    patches = windows(x, kernel, layer.stride)
    flat = numpy.ascontiguousarray(patches).reshape(*patches.shape[:3], -1)
    return activate(flat @ layer.filters.reshape(channels, -1).T + layer.bias, layer.activation)


def run_depthwise(layer, x):
    patches = windows(x, layer.filters.shape[1], layer.stride)
    sums = numpy.einsum("nhwabc,abc->nhwc", patches, layer.filters[0])
    return activate(sums + layer.bias, layer.activation)


def run_dense(layer, x):
    return activate(x @ layer.filters.T + layer.bias, layer.activation)


def run_softmax(_, x):
    powers = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def run_lstm(layer, x):
    """Gates in the order input, forget, cell, output."""
    state = numpy.zeros((x.shape[0], layer.units), numpy.float32)
    cell, rows = state.copy(), []
    for step in range(x.shape[1]):
        sums = [x[:, step] @ layer.into[g].T + state @ layer.again[g].T + layer.bias[g]
                for g in range(4)]
        cell = sigmoid(sums[1]) * cell + sigmoid(sums[0]) * numpy.tanh(sums[2])
        state = sigmoid(sums[3]) * numpy.tanh(cell)
        rows.append(state)
    return numpy.stack(rows, axis=1)


RUN = {
    "convolution": run_convolution,
    "depthwise": run_depthwise,
    "dense": run_dense,
    "add": lambda layer, a, b: a + b,
    "average": lambda layer, x: x.mean(axis=(1, 2), keepdims=True),
    "join": lambda layer, *values: numpy.concatenate(values, axis=layer.axis),
    "reshape": lambda layer, x: x.reshape(layer.output.shape),
    "transpose": lambda layer, x: x.transpose(layer.order),
    "product": lambda layer, a, b: a @ b,
    "softmax": run_softmax,
    "logistic": lambda layer, x: sigmoid(x),
    "lstm": run_lstm,
}
