"""Models of one operator each, on [1, 64, 64, 32] unless the operator wants another shape: in floats, in
uint8 and in int8, where TensorFlow Lite has it. Constants are seeded noise."""

import math

import numpy

from .tflite_model import FLOAT32, INT8, INT32, SAME, UINT8, VALID, Model, Numbers

IMAGE = (1, 64, 64, 32)
TYPES = {"f32": FLOAT32, "u8": UINT8, "i8": INT8}
FLOATS, BYTES, ALL = ("f32",), ("u8", "i8"), ("f32", "u8", "i8")

MAKERS = {}  # (name, type): a function that adds the operator to an OperatorModel


def operator(name, types=ALL):
    def add(maker):
        for kind in types:
            MAKERS[name, kind] = maker
        return maker
    return add


class OperatorModel(Model):
    def __init__(self, kind):
        super().__init__()
        self.kind, self.type = kind, TYPES[kind]
        self.random = numpy.random.default_rng(1)
        self.inputs, self.outputs = [], []

    def is_float(self):
        return self.type == FLOAT32

    def values(self, shape, scale=0.05, zero=-5):
        """`zero` of int8; that of uint8 lies 128 above."""
        if self.is_float():
            return self.tensor(f"t{len(self.tensors)}", shape, FLOAT32)
        zero += 128 if self.type == UINT8 else 0
        return self.tensor(f"t{len(self.tensors)}", shape, self.type, [scale], zero)

    def input(self, shape=IMAGE):
        self.inputs.append(self.values(shape))
        return self.inputs[-1]

    def ints(self, values):
        data = numpy.array(values, numpy.int32)
        return self.tensor(f"t{len(self.tensors)}", data.shape, INT32, data=data)

    def weights(self, shape, axis=0):
        """A filter and its bias. int8 has a scale for each slice of `axis`, as converters make them;
        None: one for all."""
        name, channels = f"t{len(self.tensors)}", shape[axis or 0]
        if self.is_float():
            filters = self.random.normal(0, 0.1, shape).astype(numpy.float32)
            bias = self.random.normal(0, 0.1, channels).astype(numpy.float32)
            return [self.tensor(name, shape, FLOAT32, data=filters),
                    self.tensor(name + "/bias", (channels,), FLOAT32, data=bias)]
        bias = self.random.integers(-1000, 1000, channels, numpy.int32)
        if self.type == UINT8:
            filters, scales, zero = self.random.integers(0, 256, shape, numpy.uint8), [0.01], 128
        else:
            filters, zero = self.random.integers(-127, 128, shape, numpy.int8), 0
            scales = [0.01] * (1 if axis is None else channels)
        return [self.tensor(name, shape, self.type, scales, zero, axis or 0, filters),
                self.tensor(name + "/bias", (channels,), INT32,
                            [0.05 * scale for scale in scales], data=bias)]

    def sums(self, shape):
        """What products with weights add up to."""
        return self.values(shape, scale=0.2, zero=0)

    def end(self, code, kind, inputs, output, options=None):
        """The operator itself, `code`, with options of `kind`; `output` may be a list."""
        self.outputs = output if isinstance(output, list) else [output]
        self.operator(code, kind, inputs, self.outputs, options or {})


# ---- Element by element -----------------------------------------------------------------------------

def unary(name, code, types=FLOATS, kind=0, scale=0.05, zero=-5):
    @operator(name, types)
    def make(model):
        model.end(code, kind, [model.input()], model.values(IMAGE, scale, zero))


def binary(name, code, kind, types=ALL, second=IMAGE):
    @operator(name, types)
    def make(model):
        model.end(code, kind, [model.input(), model.input(second)], model.values(IMAGE, 0.1, 0))


unary("abs", 101)
unary("neg", 59)
unary("floor", 8)
unary("round", 116)
unary("sqrt", 75)
unary("rsqrt", 76)
unary("square", 92)
unary("exp", 47)
unary("log", 73)
unary("sin", 66)
unary("elu", 111)
unary("tanh", 28, ALL, scale=1 / 128, zero=0)
unary("logistic", 14, ALL, scale=1 / 256, zero=-128)
unary("hard_swish", 117, ALL)
unary("relu", 19, ALL)
unary("relu6", 21, ALL)
unary("leaky_relu", 98, ALL, kind=75)
binary("add", 0, 11)
binary("sub", 41, 28)
binary("mul", 18, 21)
binary("div", 42, 29, FLOATS)
binary("maximum", 55, 39)
binary("minimum", 57, 39)
binary("pow", 78, 56, FLOATS)
binary("squared_difference", 99, 76, FLOATS)
binary("add_channels", 0, 11, second=(1, 1, 1, 32))
binary("mul_channels", 18, 21, second=(1, 1, 1, 32))
binary("mul_pixels", 18, 21, second=(1, 64, 64, 1))


@operator("prelu")
def prelu(model):
    model.end(54, 0, [model.input(), model.weights((32,), None)[0]], model.values(IMAGE))


@operator("quantize", BYTES)
def quantize(model):
    model.inputs.append(model.tensor("floats", IMAGE, FLOAT32))
    model.end(114, 0, model.inputs, model.values(IMAGE))


@operator("dequantize", BYTES)
def dequantize(model):
    model.end(6, 0, [model.input()], model.tensor("floats", IMAGE, FLOAT32))


# ---- Along dimensions -------------------------------------------------------------------------------

def reduction(name, code, axes, types=ALL):
    @operator(name, types)
    def make(model):
        left = [extent for axis, extent in enumerate(IMAGE) if axis not in axes]
        model.end(code, 27, [model.input(), model.ints(axes)], model.values(left))


reduction("mean_pixels", 40, (1, 2))
reduction("mean_channels", 40, (3,))
reduction("sum_pixels", 74, (1, 2), FLOATS)
reduction("reduce_max_pixels", 82, (1, 2))


@operator("softmax")
def softmax(model):
    model.end(25, 9, [model.input()], model.values(IMAGE, 1 / 256, -128), {0: ("f", 1.0)})


@operator("log_softmax", FLOATS)
def log_softmax(model):
    model.end(50, 0, [model.input()], model.values(IMAGE))


@operator("l2_normalization", ALL)
def l2_normalization(model):
    model.end(11, 12, [model.input()], model.values(IMAGE, 1 / 128, 0))


@operator("argmax")
def argmax(model):
    model.end(56, 40, [model.input(), model.ints(3)], model.tensor("places", IMAGE[:3], INT32),
              {0: ("b", INT32)})


# ---- Movement ---------------------------------------------------------------------------------------

def movement(name, code, kind, shape, more=(), options=None):
    @operator(name)
    def make(model):
        inputs = [model.input()] + [model.ints(values) for values in more]
        model.end(code, kind, inputs, model.values(shape), options)


movement("pad", 34, 22, (1, 66, 66, 32), [[[0, 0], [1, 1], [1, 1], [0, 0]]])
movement("mirror_pad", 100, 77, (1, 66, 66, 32), [[[0, 0], [1, 1], [1, 1], [0, 0]]])
movement("transpose", 39, 26, (1, 32, 64, 64), [[0, 3, 1, 2]])
movement("depth_to_space", 5, 94, (1, 128, 128, 8), options={0: ("i", 2)})
movement("space_to_depth", 26, 19, (1, 32, 32, 128), options={0: ("i", 2)})
movement("slice", 65, 48, (1, 32, 32, 32), [[0, 16, 16, 0], [1, 32, 32, 32]])
movement("strided_slice", 45, 32, (1, 32, 32, 32),
         [[0, 0, 0, 0], [1, 64, 64, 32], [1, 2, 2, 1]])
movement("tile", 69, 0, (1, 64, 128, 32), [[1, 1, 2, 1]])
movement("gather", 36, 23, (1, 32, 64, 32), [list(range(0, 64, 2))], {0: ("i", 1)})
movement("resize_nearest", 97, 74, (1, 128, 128, 32), [[128, 128]])
movement("resize_bilinear", 23, 15, (1, 128, 128, 32), [[128, 128]], {3: ("?", True)})


@operator("concatenation")
def concatenation(model):
    model.end(2, 10, [model.input(), model.input()], model.values((1, 64, 64, 64)),
              {0: ("i", 3)})


@operator("split")
def split(model):
    model.end(49, 35, [model.ints(3), model.input()],
              [model.values((1, 64, 64, 16)) for _ in range(2)], {0: ("i", 2)})


# ---- Windows and matrices ---------------------------------------------------------------------------

def pool(name, code, window, stride, padding):
    side = 64 // stride if padding == SAME else (64 - window) // stride + 1

    @operator(name)
    def make(model):
        model.end(code, 5, [model.input()], model.values((1, side, side, 32)),
                  {0: ("b", padding), 1: ("i", stride), 2: ("i", stride), 3: ("i", window),
                   4: ("i", window)})


pool("average_pool_3x3", 1, 3, 1, SAME)
pool("average_pool_all", 1, 64, 64, VALID)
pool("max_pool_2x2", 17, 2, 2, SAME)
pool("max_pool_3x3", 17, 3, 1, SAME)


def convolution(name, window, stride, shape=IMAGE, channels=32):
    @operator(name)
    def make(model):
        height, width = (math.ceil(extent / stride) for extent in shape[1:3])
        model.end(3, 1, [model.input(shape)] + model.weights((channels, window, window, shape[3])),
                  model.sums((1, height, width, channels)),
                  {0: ("b", SAME), 1: ("i", stride), 2: ("i", stride)})


convolution("conv_1x1", 1, 1)
convolution("conv_3x3", 3, 1)
convolution("conv_5x5", 5, 1)
convolution("conv_3x3_stride_2", 3, 2)
convolution("conv_3x3_of_colours", 3, 2, (1, 224, 224, 3), 16)
convolution("conv_1x1_of_a_pixel", 1, 1, (1, 1, 1, 960), 240)


def depthwise(name, window, stride=1, multiplier=1, dilation=1):
    @operator(name)
    def make(model):
        channels = 32 * multiplier
        model.end(4, 2, [model.input()] + model.weights((1, window, window, channels), 3),
                  model.sums((1, 64 // stride, 64 // stride, channels)),
                  {0: ("b", SAME), 1: ("i", stride), 2: ("i", stride), 3: ("i", multiplier),
                   5: ("i", dilation), 6: ("i", dilation)})


depthwise("depthwise_3x3", 3)
depthwise("depthwise_3x3_stride_2", 3, 2)
depthwise("depthwise_5x5", 5)
depthwise("depthwise_5x5_stride_2", 5, 2)
depthwise("depthwise_3x3_multiplier_2", 3, multiplier=2)
depthwise("depthwise_3x3_dilation_4", 3, dilation=4)


def transposed(name, window):
    @operator(name)
    def make(model):
        filters = model.weights((16, window, window, 32))[0]
        model.end(67, 49, [model.ints([1, 64, 64, 16]), filters, model.input((1, 32, 32, 32))],
                  model.sums((1, 64, 64, 16)), {0: ("b", SAME), 1: ("i", 2), 2: ("i", 2)})


transposed("transpose_conv_2x2", 2)
transposed("transpose_conv_3x3", 3)


@operator("fully_connected")
def fully_connected(model):
    model.end(9, 8, [model.input((64, 256))] + model.weights((256, 256), None),
              model.sums((64, 256)))


@operator("fully_connected_of_a_row")
def fully_connected_of_a_row(model):
    model.end(9, 8, [model.input((1, 1024))] + model.weights((1024, 1024), None),
              model.sums((1, 1024)))


@operator("batch_matmul", ("f32", "i8"))
def batch_matmul(model):
    shape = (8, 64, 64)
    model.end(126, 101, [model.input(shape), model.input(shape)], model.sums(shape))


def make(name, kind):
    """The bytes of the file."""
    model = OperatorModel(kind)
    MAKERS[name, kind](model)
    return model.file(model.inputs, model.outputs, f"one operator: {name}")
