"""Graphs as .tflite files, in floats, int8, or int16 with filters of int8: filters of convolutions per
channel, all else per tensor, as TensorFlow's converter has it."""

import numpy

from .tflite_model import (ACTIVATION, FLOAT32, INT16, INT32, INT64, INT8, SAME, VALID, Model,
                           Numbers)

# Code of the operation, and which kind of options it has.
OPERATION = {"add": (0, 11), "average": (1, 5), "join": (2, 10), "convolution": (3, 1),
             "depthwise": (4, 2), "dense": (9, 8), "logistic": (14, 0), "reshape": (22, 17),
             "softmax": (25, 9), "transpose": (39, 26), "lstm": (44, 71), "product": (126, 101)}


# ---- A graph ----------------------------------------------------------------------------------------

class Writer(Model):
    def __init__(self, graph, kind):
        """`kind`: "f32", "int8" or "int16"."""
        super().__init__()
        self.graph, self.kind = graph, kind
        self.numbers = {}  # of the tensors of values

    def value(self, value):
        if value not in self.numbers:
            if self.kind == "f32":
                number = self.tensor(value.name, value.shape, FLOAT32)
            else:
                scale, zero_point = self.quantisation(value)
                kind = INT16 if self.kind == "int16" else INT8
                number = self.tensor(value.name, value.shape, kind, [scale], zero_point)
            self.numbers[value] = number
        return self.numbers[value]

    def quantisation(self, value):
        return value.short_quantisation() if self.kind == "int16" else value.quantisation()

    def numbers_of(self, name, values):
        return self.tensor(name, [len(values)], INT32, data=numpy.array(values, numpy.int32))

    def floats(self, name, data):
        return self.tensor(name, data.shape, FLOAT32, data=data)

    def weights(self, layer, axis):
        """Filter and bias; `axis` is the one of the output channels, None: one scale for all."""
        names = layer.name + "/filter", layer.name + "/bias"
        if self.kind == "f32":
            return [self.floats(names[0], layer.filters), self.floats(names[1], layer.bias)]
        filters, scales = quantise_weights(layer.filters, axis)
        kind, numbers = (INT64, numpy.int64) if self.kind == "int16" else (INT32, numpy.int32)
        in_scale, _ = self.quantisation(layer.inputs[0])
        bias, bias_scales = quantise_bias(layer, scales * in_scale, numbers)
        return [self.tensor(names[0], filters.shape, INT8, scales, axis=axis or 0, data=filters),
                self.tensor(names[1], bias.shape, kind, bias_scales, data=bias)]

    def layer(self, layer):
        inputs = [self.value(x) for x in layer.inputs]
        more, options = ADD[layer.kind](self, layer)
        code, kind = OPERATION[layer.kind]
        self.operator(code, kind, inputs + more, [self.value(layer.output)], options)

    def bytes(self):
        for layer in self.graph.layers:
            self.layer(layer)
        inputs, outputs = ([self.value(x) for x in values]
                           for values in (self.graph.inputs, self.graph.outputs))
        return self.file(inputs, outputs, self.graph.description)


def quantise_weights(filters, axis):
    """int8 without a zero point, and the scales."""
    others = tuple(i for i in range(filters.ndim) if i != axis)
    largest = abs(filters).max(axis=others if axis is not None else None, keepdims=True)
    scales = (largest / 127).astype(numpy.float32)
    return numpy.clip(numpy.rint(filters / scales), -127, 127).astype(numpy.int8), scales.ravel()


def quantise_bias(layer, scales, numbers=numpy.int32):
    """In steps of the sums, whose scales are given."""
    scales = scales.astype(numpy.float32)
    return numpy.rint(layer.bias / scales).astype(numbers), scales


# ---- Layers: their further inputs and their options -------------------------------------------------

def add_convolution(out, layer):
    return out.weights(layer, 0), {0: ("b", SAME), 1: ("i", layer.stride), 2: ("i", layer.stride),
                                   3: ("b", ACTIVATION[layer.activation])}


def add_depthwise(out, layer):
    return out.weights(layer, 3), {0: ("b", SAME), 1: ("i", layer.stride), 2: ("i", layer.stride),
                                   3: ("i", 1), 4: ("b", ACTIVATION[layer.activation])}


def add_dense(out, layer):
    keeps_rank = len(layer.output.shape) > 2
    return out.weights(layer, None), {0: ("b", ACTIVATION[layer.activation]), 2: ("?", keeps_rank)}


def add_average(_, layer):
    _, height, width, _ = layer.inputs[0].shape
    return [], {0: ("b", VALID), 1: ("i", width), 2: ("i", height), 3: ("i", width),
                4: ("i", height)}


def add_reshape(out, layer):
    shape = layer.output.shape
    return [out.numbers_of(layer.name + "/shape", shape)], {0: Numbers("i4", shape)}


def add_transpose(out, layer):
    return [out.numbers_of(layer.name + "/order", layer.order)], {}


def add_lstm(out, layer):
    name, batch = layer.name, layer.inputs[0].shape[0]
    inputs = [out.floats(f"{name}/{part}{gate}", values[gate])
              for part, values in (("into", layer.into), ("again", layer.again)) for gate in range(4)]
    inputs += [-1] * 3 + [out.floats(f"{name}/bias{gate}", layer.bias[gate]) for gate in range(4)]
    inputs += [-1] * 2 + [out.tensor(f"{name}/{part}", (batch, layer.units), FLOAT32, keeps=True)
                          for part in ("state", "cell")]
    return inputs + [-1] * 4, {0: ("b", ACTIVATION["tanh"])}


ADD = {
    "convolution": add_convolution,
    "depthwise": add_depthwise,
    "dense": add_dense,
    "average": add_average,
    "reshape": add_reshape,
    "transpose": add_transpose,
    "lstm": add_lstm,
    "add": lambda out, layer: ([], {}),
    "join": lambda out, layer: ([], {0: ("i", layer.axis)}),
    "logistic": lambda out, layer: ([], {}),
    "product": lambda out, layer: ([], {}),
    "softmax": lambda out, layer: ([], {0: ("f", 1.0)}),
}
