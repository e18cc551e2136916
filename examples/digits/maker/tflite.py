"""The .tflite file: the part of TensorFlow Lite's schema (version 3) that the network needs."""

from dataclasses import dataclass

import numpy as np

from . import network, quantise
from .flatbuffer import References, Table, Vector, finish

TENSOR_TYPE = {"float32": 0, "int32": 2, "int8": 9}
PADDING = {"SAME": 0, "VALID": 1}
ACTIVATION = {"NONE": 0, "RELU": 1, "RELU6": 3}
# Code; version of its float form and of its int8 form; number of its options in their union.
OPERATOR = {
    "ADD": (0, 1, 2, 11),
    "AVERAGE_POOL_2D": (1, 1, 2, 5),
    "CONV_2D": (3, 1, 3, 1),
    "DEPTHWISE_CONV_2D": (4, 1, 3, 2),
    "FULLY_CONNECTED": (9, 1, 4, 8),
    "RESHAPE": (22, 1, 1, 17),
    "SOFTMAX": (25, 1, 2, 9),
}


@dataclass
class Tensor:
    name: str
    shape: tuple
    type: str
    data: np.ndarray = None  # None: computed when the network runs
    scales: np.ndarray = None  # None: not quantised
    zero: int = 0
    axis: int = 0  # which the scales go along, if there are several


def ints(numbers):
    return Vector(np.asarray(numbers, "<i4").tobytes(), 4)


def file_shape(shape):
    """Ours is channels, height, width; the file's is batch, height, width, channels."""
    return (1, *shape[1:], shape[0])


# What the two networks consist of


def value_names():
    inner = [f"{node.op.lower()}_{i}" for i, node in enumerate(network.GRAPH[:-1])]
    return ["image", *inner, "scores"]


def reshape_target(index):
    shape = file_shape(network.all_shapes()[index + 1])
    return [Tensor(f"shape_{index}", (len(shape),), "int32", np.array(shape, "<i4"))]


def float_tensors(parameters):
    """(values, constants per node)"""
    named = zip(value_names(), network.all_shapes())
    values = [Tensor(name, file_shape(shape), "float32") for name, shape in named]
    constants = []
    for index, (node, own) in enumerate(zip(network.GRAPH, parameters)):
        named = zip((f"weights_{index}", f"bias_{index}"), own or ())
        found = [Tensor(name, data.shape, "float32", data.astype("<f4")) for name, data in named]
        constants.append(reshape_target(index) if node.op == "RESHAPE" else found)
    return values, constants


def layer_tensors(index, node, layer):
    weights, bias = layer.weights, layer.bias.astype("<i4")
    axis = 3 if node.op == "DEPTHWISE_CONV_2D" else 0
    return [
        Tensor(f"weights_{index}", weights.shape, "int8", weights, layer.scales, axis=axis),
        Tensor(f"bias_{index}", bias.shape, "int32", bias, layer.bias_scales),
    ]


def int8_tensors(net):
    """(values, constants per node)"""
    values = []
    for name, shape, quant in zip(value_names(), network.all_shapes(), net.quants):
        scales = np.array([quant.scale])
        values.append(Tensor(name, file_shape(shape), "int8", None, scales, quant.zero))
    constants = []
    for index, (node, layer) in enumerate(zip(network.GRAPH, net.layers)):
        found = layer_tensors(index, node, layer) if layer.weights is not None else []
        constants.append(reshape_target(index) if node.op == "RESHAPE" else found)
    return values, constants


# Tables of the schema


def quantization_table(tensor):
    if tensor.scales is None:
        return None
    zeros = np.full(len(tensor.scales), tensor.zero, "<i8")
    scales = Vector(tensor.scales.astype("<f4").tobytes(), 4)
    return Table({2: scales, 3: Vector(zeros.tobytes(), 8), 6: ("i", tensor.axis)})


def tensor_table(tensor, buffer):
    return Table({
        0: ints(tensor.shape),
        1: ("b", TENSOR_TYPE[tensor.type]),
        2: ("I", buffer),
        3: tensor.name,
        4: quantization_table(tensor),
    })


def options_table(index, node):
    padding, activation = ("b", PADDING[node.padding]), ("b", ACTIVATION[node.activation])
    stride, kernel, one = ("i", node.stride), ("i", node.kernel), ("i", 1)
    window = {0: padding, 1: stride, 2: stride}
    return Table({
        "ADD": {0: activation},
        "AVERAGE_POOL_2D": {**window, 3: kernel, 4: kernel, 5: activation},
        "CONV_2D": {**window, 3: activation, 4: one, 5: one},
        "DEPTHWISE_CONV_2D": {**window, 3: one, 4: activation, 5: one, 6: one},
        "FULLY_CONNECTED": {0: activation},
        "RESHAPE": {0: ints(file_shape(network.all_shapes()[index + 1]))},
        "SOFTMAX": {0: ("f", 1.0)},
    }[node.op])


def operator_table(index, node, operators, constants):
    return Table({
        0: ("I", operators.index(node.op)),
        1: ints([*node.inputs, *constants]),
        2: ints([index + 1]),
        3: ("B", OPERATOR[node.op][3]),
        4: options_table(index, node),
    })


def code_table(operator, quantised):
    code, float_version, int8_version, _ = OPERATOR[operator]
    version = int8_version if quantised else float_version
    return Table({0: ("b", code), 2: ("i", version), 3: ("i", code)})


def subgraph_table(values, constants, operators):
    tensors = [tensor_table(tensor, 0) for tensor in values]
    nodes = []
    for index, (node, own) in enumerate(zip(network.GRAPH, constants)):
        numbers = range(len(tensors), len(tensors) + len(own))
        for number, tensor in zip(numbers, own):
            tensors.append(tensor_table(tensor, number - len(values) + 1))
        nodes.append(operator_table(index, node, operators, numbers))
    return Table({
        0: References(tensors),
        1: ints([0]),
        2: ints([len(values) - 1]),
        3: References(nodes),
        4: "main",
    })


def model(values, constants, description):
    """The bytes of the file. Buffer 0 is empty, as the schema wants; each constant has its own."""
    operators = sorted({node.op for node in network.GRAPH})
    data = [tensor.data.tobytes() for own in constants for tensor in own]
    buffers = [Table({})] + [Table({0: Vector(d, 1, alignment=16)}) for d in data]
    quantised = values[0].type == "int8"
    return finish(Table({
        0: ("I", 3),
        1: References(code_table(operator, quantised) for operator in operators),
        2: References([subgraph_table(values, constants, operators)]),
        3: description,
        4: References(buffers),
    }), b"TFL3")


def float_model(parameters, description):
    return model(*float_tensors(parameters), description)


def int8_model(net: quantise.Network, description):
    return model(*int8_tensors(net), description)
