"""Graphs as .onnx files, in floats or int8, with the weights of the .tflite files. Images are NCHW
here, and int8 is as ONNX Runtime is quickest at: QLinearConv and its kin, those that the standard
lacks from com.microsoft, with weights of int8 and values of uint8, which are those of int8 and 128."""

import numpy
from onnx import TensorProto, helper, numpy_helper

from .graph import same_padding
from .tflite_writer import quantise_bias, quantise_weights

OPSET, MICROSOFT = 13, "com.microsoft"


class Writer:
    def __init__(self, graph, quantised):
        self.graph, self.quantised = graph, quantised
        self.nodes, self.constants = [], []
        self.images = set()  # values that lie channel by channel
        self.channels_last = {}  # of those, the names of their other form

    # ---- Words ------------------------------------------------------------------------------------

    def constant(self, name, data):
        self.constants.append(numpy_helper.from_array(numpy.array(data, order="C"), name))
        return name

    def node(self, kind, inputs, output, domain=None, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], output, domain=domain,
                                           **attributes))
        return output

    def scale_of(self, value):
        """Names of its scale and its zero point."""
        names = value.name + "/scale", value.name + "/zero"
        if not any(constant.name == names[0] for constant in self.constants):
            scale, zero_point = value.quantisation()
            self.constant(names[0], numpy.float32(scale))
            self.constant(names[1], numpy.uint8(zero_point + 128))
        return list(names)

    def parts(self, value):
        return [value.name] + self.scale_of(value)

    def plain(self, value):
        """Its name in the order of .tflite files."""
        if value not in self.images or value.shape[1:3] == (1, 1):
            return value.name
        if value not in self.channels_last:
            self.channels_last[value] = self.node("Transpose", [value.name], value.name + "/last",
                                                  perm=[0, 2, 3, 1])
        return self.channels_last[value]

    def activated(self, name, layer):
        """What an activation follows makes `name`; int8 cuts off by its range."""
        return name + "/sums" if layer.activation != "none" and not self.quantised else name

    def activate(self, layer):
        name = layer.output.name
        if self.quantised or layer.activation == "none":
            return
        if layer.activation == "relu":
            self.node("Relu", [name + "/sums"], name)
            return
        ends = [self.constant(f"{name}/{end}", numpy.float32(end)) for end in (0, 6)]
        self.node("Clip", [name + "/sums"] + ends, name)

    # ---- Layers -----------------------------------------------------------------------------------

    def convolve(self, layer, filters, group):
        x, y = layer.inputs[0], layer.output
        kernel = filters.shape[2]
        _, top, bottom = same_padding(x.shape[1], kernel, layer.stride)
        _, left, right = same_padding(x.shape[2], kernel, layer.stride)
        facts = {"kernel_shape": [kernel] * 2, "strides": [layer.stride] * 2, "group": group,
                 "pads": [top, left, bottom, right]}
        self.images.add(y)
        names = layer.name + "/filter", layer.name + "/bias"
        if not self.quantised:
            self.node("Conv", [x.name, self.constant(names[0], filters),
                               self.constant(names[1], layer.bias)],
                      self.activated(y.name, layer), **facts)
            self.activate(layer)
            return
        filters, scales = quantise_weights(filters, 0)
        bias, _ = quantise_bias(layer, scales * layer.inputs[0].quantisation()[0])
        self.node("QLinearConv",
                  self.parts(x) + [self.constant(names[0], filters),
                                   self.constant(names[0] + "/scale", scales),
                                   self.constant(names[0] + "/zero",
                                                 numpy.zeros(len(scales), numpy.int8))]
                  + self.scale_of(y) + [self.constant(names[1], bias)], y.name, **facts)

    def convolution(self, layer):
        self.convolve(layer, layer.filters.transpose(0, 3, 1, 2), 1)

    def depthwise(self, layer):
        self.convolve(layer, layer.filters.transpose(3, 0, 1, 2), layer.filters.shape[3])

    def dense(self, layer):
        x, y, name = layer.inputs[0], layer.output, layer.name
        if not self.quantised:
            product = self.node("MatMul", [self.plain(x), self.constant(name + "/filter",
                                                                        layer.filters.T)],
                                name + "/product")
            self.node("Add", [product, self.constant(name + "/bias", layer.bias)],
                      self.activated(y.name, layer))
            self.activate(layer)
            return
        filters, scales = quantise_weights(layer.filters, None)
        bias, _ = quantise_bias(layer, scales * layer.inputs[0].quantisation()[0])
        rows = int(numpy.prod(x.shape[:-1]))
        flat = self.reshaped(self.plain(x), name + "/in", (rows, x.shape[-1]))
        out = y.name if len(y.shape) == 2 else y.name + "/out"
        self.node("QGemm", [flat] + self.scale_of(x)
                  + [self.constant(name + "/filter", filters.T),
                     self.constant(name + "/filter/scale", numpy.float32(scales[0])),
                     self.constant(name + "/filter/zero", numpy.int8(0)),
                     self.constant(name + "/bias", bias)] + self.scale_of(y), out, MICROSOFT)
        if out != y.name:
            self.reshaped(out, y.name, y.shape)

    def reshaped(self, name, output, shape):
        numbers = self.constant(output + "/shape", numpy.array(shape, numpy.int64))
        return self.node("Reshape", [name, numbers], output)

    def add(self, layer):
        (a, b), y = layer.inputs, layer.output
        if a in self.images:
            self.images.add(y)
        if self.quantised:
            self.node("QLinearAdd", self.parts(a) + self.parts(b) + self.scale_of(y), y.name,
                      MICROSOFT)
        else:
            self.node("Add", [a.name, b.name], y.name)

    def average(self, layer):
        x, y = layer.inputs[0], layer.output
        self.images.add(y)
        if self.quantised:
            self.node("QLinearGlobalAveragePool", self.parts(x) + self.scale_of(y), y.name,
                      MICROSOFT, channels_last=0)
        else:
            self.node("GlobalAveragePool", [x.name], y.name)

    def join(self, layer):
        y = layer.output
        if not self.quantised:
            self.node("Concat", [x.name for x in layer.inputs], y.name, axis=layer.axis)
            return
        parts = [part for x in layer.inputs for part in self.parts(x)]
        self.node("QLinearConcat", self.scale_of(y) + parts, y.name, MICROSOFT, axis=layer.axis)

    def reshape(self, layer):
        self.reshaped(self.plain(layer.inputs[0]), layer.output.name, layer.output.shape)

    def transpose(self, layer):
        self.node("Transpose", [self.plain(layer.inputs[0])], layer.output.name,
                  perm=list(layer.order))

    def product(self, layer):
        (a, b), y = layer.inputs, layer.output
        if self.quantised:
            self.node("QLinearMatMul", self.parts(a) + self.parts(b) + self.scale_of(y), y.name)
        else:
            self.node("MatMul", [a.name, b.name], y.name)

    def softmax(self, layer):
        x, y = layer.inputs[0], layer.output
        if self.quantised:
            self.node("QLinearSoftmax", self.parts(x) + self.scale_of(y), y.name, MICROSOFT,
                      axis=-1, opset=OPSET)
        else:
            self.node("Softmax", [self.plain(x)], y.name, axis=-1)

    def logistic(self, layer):
        x, y = layer.inputs[0], layer.output
        if self.quantised:
            self.node("QLinearSigmoid", self.parts(x) + self.scale_of(y), y.name, MICROSOFT)
        else:
            self.node("Sigmoid", [self.plain(x)], y.name)

    def lstm(self, layer):
        """Gates here come as input, output, forget, cell; time comes first."""
        x, y, name = layer.inputs[0], layer.output, layer.name
        order, steps, batch = [0, 3, 1, 2], x.shape[1], x.shape[0]
        turned = self.node("Transpose", [x.name], name + "/turned", perm=[1, 0, 2])
        weights = [self.constant(f"{name}/{part}", values[order].reshape(1, -1, values.shape[2]))
                   for part, values in (("into", layer.into), ("again", layer.again))]
        bias = numpy.concatenate([layer.bias[order].ravel(), numpy.zeros(4 * layer.units)])
        bias = self.constant(name + "/bias", bias.astype(numpy.float32).reshape(1, -1))
        self.node("LSTM", [turned] + weights + [bias], name + "/steps", hidden_size=layer.units)
        rows = self.reshaped(name + "/steps", name + "/rows", (steps, batch, layer.units))
        self.node("Transpose", [rows], y.name, perm=[1, 0, 2])

    # ---- The file ---------------------------------------------------------------------------------

    def ends(self, values):
        kind = TensorProto.UINT8 if self.quantised else TensorProto.FLOAT
        ends = []
        for value in values:
            n, *rest = value.shape
            shape = [n, rest[2], rest[0], rest[1]] if value in self.images else value.shape
            ends.append(helper.make_tensor_value_info(value.name, kind, shape))
        return ends

    def bytes(self):
        self.images |= {value for value in self.graph.inputs if len(value.shape) == 4}
        for layer in self.graph.layers:
            getattr(self, layer.kind)(layer)
        graph = helper.make_graph(self.nodes, self.graph.name, self.ends(self.graph.inputs),
                                  self.ends(self.graph.outputs), self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET),
                                                        helper.make_opsetid(MICROSOFT, 1)])
        model.ir_version, model.doc_string = 7, self.graph.description
        return model.SerializeToString()
