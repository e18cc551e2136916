"""Graphs as .tflite files, in floats or int8: filters of convolutions per channel, all else per tensor,
as TensorFlow's converter has it. Numbers of fields and codes are those of the format's schema."""

import flatbuffers
import numpy

FLOAT32, INT32, INT8 = 0, 2, 9
SAME, VALID = 0, 1
ACTIVATION = {"none": 0, "relu": 1, "relu6": 3, "tanh": 4}
ALIGNMENT = 16  # of constants

# Code of the operation, and which kind of options it has.
OPERATION = {"add": (0, 11), "average": (1, 5), "join": (2, 10), "convolution": (3, 1),
             "depthwise": (4, 2), "dense": (9, 8), "logistic": (14, 0), "reshape": (22, 17),
             "softmax": (25, 9), "transpose": (39, 26), "lstm": (44, 71), "product": (126, 101)}


# ---- Objects of the format, before they are bytes ---------------------------------------------------

class Table:
    """Fields by their number: (format of the module struct, value), or something to refer to."""

    def __init__(self, fields):
        self.fields = {slot: field for slot, field in fields.items() if field is not None}

    def build(self, out):
        at = {slot: field.build(out) for slot, field in self.fields.items()
              if not isinstance(field, tuple)}
        out.StartObject(max(self.fields, default=-1) + 1)
        for slot, field in self.fields.items():
            if slot in at:
                out.PrependUOffsetTRelativeSlot(slot, at[slot], 0)
            else:
                PREPEND[field[0]](out, slot, field[1], None)
        return out.EndObject()


PREPEND = {"b": flatbuffers.Builder.PrependInt8Slot, "B": flatbuffers.Builder.PrependUint8Slot,
           "?": flatbuffers.Builder.PrependBoolSlot, "i": flatbuffers.Builder.PrependInt32Slot,
           "I": flatbuffers.Builder.PrependUint32Slot, "f": flatbuffers.Builder.PrependFloat32Slot}


class Numbers:
    def __init__(self, kind, values, alignment=0):
        self.values = numpy.asarray(values, kind)
        self.alignment = alignment

    def build(self, out):
        raw = self.values.tobytes()
        out.StartVector(self.values.itemsize, self.values.size,
                        max(self.alignment, self.values.itemsize))
        head = out.head - len(raw)
        out.Bytes[head:out.head] = raw
        out.head = head
        return out.EndVector()


class Text:
    def __init__(self, text):
        self.text = text

    def build(self, out):
        return out.CreateString(self.text)


class List:
    def __init__(self, items):
        self.items = items

    def build(self, out):
        at = [item.build(out) for item in self.items]
        out.StartVector(4, len(at), 4)
        for offset in reversed(at):
            out.PrependUOffsetTRelative(offset)
        return out.EndVector()


# ---- A graph ----------------------------------------------------------------------------------------

class Writer:
    def __init__(self, graph, quantised):
        self.graph, self.quantised = graph, quantised
        self.buffers = [Table({})]  # the first one is empty by custom
        self.tensors, self.operators, self.codes = [], [], []
        self.numbers = {}  # of the tensors of values

    def tensor(self, name, shape, kind, scales=None, zero_point=0, axis=0, data=None, keeps=False):
        quantisation = None
        if scales is not None:
            quantisation = Table({2: Numbers("f4", scales),
                                  3: Numbers("i8", [zero_point] * len(scales)), 6: ("i", axis)})
        buffer = 0
        if data is not None:
            buffer = len(self.buffers)
            raw = numpy.frombuffer(numpy.ascontiguousarray(data).tobytes(), "u1")
            self.buffers.append(Table({0: Numbers("u1", raw, ALIGNMENT)}))
        self.tensors.append(Table({0: Numbers("i4", shape), 1: ("b", kind), 2: ("I", buffer),
                                   3: Text(name), 4: quantisation,
                                   5: ("?", True) if keeps else None}))
        return len(self.tensors) - 1

    def value(self, value):
        if value not in self.numbers:
            if self.quantised:
                scale, zero_point = value.quantisation()
                number = self.tensor(value.name, value.shape, INT8, [scale], zero_point)
            else:
                number = self.tensor(value.name, value.shape, FLOAT32)
            self.numbers[value] = number
        return self.numbers[value]

    def numbers_of(self, name, values):
        return self.tensor(name, [len(values)], INT32, data=numpy.array(values, numpy.int32))

    def floats(self, name, data):
        return self.tensor(name, data.shape, FLOAT32, data=data)

    def weights(self, layer, axis):
        """Filter and bias; `axis` is the one of the output channels, None: one scale for all."""
        names = layer.name + "/filter", layer.name + "/bias"
        if not self.quantised:
            return [self.floats(names[0], layer.filters), self.floats(names[1], layer.bias)]
        filters, scales = quantise_weights(layer.filters, axis)
        bias, bias_scales = quantise_bias(layer, scales)
        return [self.tensor(names[0], filters.shape, INT8, scales, axis=axis or 0, data=filters),
                self.tensor(names[1], bias.shape, INT32, bias_scales, data=bias)]

    def operator(self, layer, inputs, options):
        code, kind = OPERATION[layer.kind]
        if code not in self.codes:
            self.codes.append(code)
        fields = {0: ("I", self.codes.index(code)), 1: Numbers("i4", inputs),
                  2: Numbers("i4", [self.value(layer.output)])}
        if kind:
            fields |= {3: ("B", kind), 4: Table(options)}
        self.operators.append(Table(fields))

    def layer(self, layer):
        inputs = [self.value(x) for x in layer.inputs]
        more, options = ADD[layer.kind](self, layer)
        self.operator(layer, inputs + more, options)

    def bytes(self):
        for layer in self.graph.layers:
            self.layer(layer)
        ends = [Numbers("i4", [self.value(x) for x in values])
                for values in (self.graph.inputs, self.graph.outputs)]
        codes = [Table({0: ("b", code), 2: ("i", 1), 3: ("i", code)}) for code in self.codes]
        graph = Table({0: List(self.tensors), 1: ends[0], 2: ends[1], 3: List(self.operators),
                       4: Text("main")})
        root = Table({0: ("I", 3), 1: List(codes), 2: List([graph]),
                      3: Text(self.graph.description), 4: List(self.buffers)})
        out = flatbuffers.Builder(1 << 20)
        out.Finish(root.build(out), b"TFL3")
        return out.Output()


def quantise_weights(filters, axis):
    """int8 without a zero point, and the scales."""
    others = tuple(i for i in range(filters.ndim) if i != axis)
    largest = abs(filters).max(axis=others if axis is not None else None, keepdims=True)
    scales = (largest / 127).astype(numpy.float32)
    return numpy.clip(numpy.rint(filters / scales), -127, 127).astype(numpy.int8), scales.ravel()


def quantise_bias(layer, scales):
    bias_scales = (scales * layer.inputs[0].quantisation()[0]).astype(numpy.float32)
    return numpy.rint(layer.bias / bias_scales).astype(numpy.int32), bias_scales


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
