#!/usr/bin/python3
"""Writes networks of the size of MobileNet v1 as .tflite files, for measurements:

    make_networks.py FOLDER

makes FOLDER/mobilenet_v1_f32.tflite and FOLDER/mobilenet_v1_int8.tflite, in which an image of
224 x 224 goes through 28 layers with 4.2 million parameters to 1001 classes; and
FOLDER/dense_f32.tflite, with as many parameters in four layers that are fully connected, for devices
that have little else. The weights are noise from a fixed seed, in the ranges that training begins
with, so that activations neither vanish nor saturate; what comes out means nothing, but is the same
everywhere. Needs numpy.
"""

import struct
import sys

import numpy

SEED = 1
IMAGE = 224
CLASSES = 1001
# (stride, channels) of the 13 pairs of a depthwise and a pointwise convolution.
PAIRS = [(1, 64), (2, 128), (1, 128), (2, 256), (1, 256), (2, 512), (1, 512), (1, 512), (1, 512),
         (1, 512), (1, 512), (2, 1024), (1, 1024)]

# Of the schema of .tflite files.
FLOAT32, INT32, INT8 = 0, 2, 9
AVERAGE_POOL_2D, CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, RESHAPE, SOFTMAX = 1, 3, 4, 9, 22, 25
OPTIONS_OF = {CONV_2D: 1, DEPTHWISE_CONV_2D: 2, AVERAGE_POOL_2D: 5, FULLY_CONNECTED: 8, SOFTMAX: 9,
              RESHAPE: 17}
SAME, VALID = 0, 1
NO_ACTIVATION, RELU, RELU6 = 0, 1, 3


# ---- FlatBuffers: objects that know how to write themselves, each before what it refers to --------

def align(out, size, before=0):
    """Pads until what comes `before` bytes further is a multiple of `size`."""
    out.extend(bytes(-(len(out) + before) % size))


class Vector:
    """Numbers of one format of the module struct; `alignment` of the first one."""

    def __init__(self, fmt, values, alignment=4):
        raw = values if isinstance(values, bytes) else struct.pack(f"<{len(values)}{fmt}", *values)
        self.raw, self.alignment = raw, max(alignment, struct.calcsize(fmt))
        self.count = len(raw) // struct.calcsize(fmt)

    def write(self, out):
        align(out, self.alignment, 4)
        at = len(out)
        out += struct.pack("<I", self.count) + self.raw
        return at


class String(Vector):
    def __init__(self, text):
        super().__init__("B", text.encode())

    def write(self, out):
        at = super().write(out)
        out.append(0)
        return at


class List:
    """A vector of references."""

    def __init__(self, items):
        self.items = items

    def write(self, out):
        align(out, 4)
        at = len(out)
        out += struct.pack("<I", len(self.items)) + bytes(4 * len(self.items))
        for i, item in enumerate(self.items):
            refer(out, at + 4 + 4 * i, item)
        return at


class Table:
    """Fields by their number in the schema: (format, value), or something to refer to."""

    def __init__(self, fields):
        self.fields = {slot: field for slot, field in fields.items() if field is not None}

    def write(self, out):
        slots = sorted(self.fields, key=self.size, reverse=True)
        offsets, end = {}, 4
        for slot in slots:
            offsets[slot] = end
            end += self.size(slot)
        count = max(self.fields, default=-1) + 1
        align(out, 4, 4 + 2 * count)
        index = [offsets.get(slot, 0) for slot in range(count)]
        out += struct.pack(f"<{count + 2}H", 4 + 2 * count, end, *index)
        at = len(out)
        out += struct.pack("<i", 4 + 2 * count) + bytes(end - 4)
        for slot in slots:
            self.write_field(out, slot, at + offsets[slot])
        return at

    def size(self, slot):
        field = self.fields[slot]
        return struct.calcsize(field[0]) if isinstance(field, tuple) else 4

    def write_field(self, out, slot, at):
        field = self.fields[slot]
        if isinstance(field, tuple):
            struct.pack_into("<" + field[0], out, at, field[1])
        else:
            refer(out, at, field)


def refer(out, at, item):
    target = item.write(out)
    struct.pack_into("<I", out, at, target - at)


def flatbuffer(root, identifier):
    out = bytearray(4) + identifier
    refer(out, 0, root)
    return out


# ---- A model in the making ------------------------------------------------------------------------

class Network:
    def __init__(self, quantised):
        self.quantised = quantised
        self.random = numpy.random.Generator(numpy.random.PCG64(SEED))
        self.buffers = [Table({})]  # the first one is empty by custom
        self.tensors, self.operators, self.codes = [], [], []

    def tensor(self, name, shape, kind, scales=None, zero_point=0, axis=0, data=None):
        quantisation = None
        if scales is not None:
            quantisation = Table({2: Vector("f", scales), 3: Vector("q", [zero_point] * len(scales)),
                                  6: ("i", axis)})
        buffer = 0
        if data is not None:
            buffer = len(self.buffers)
            self.buffers.append(Table({0: Vector("B", data.tobytes(), 16)}))
        self.tensors.append(Table({0: Vector("i", shape), 1: ("b", kind), 2: ("I", buffer),
                                   3: String(name), 4: quantisation}))
        return len(self.tensors) - 1

    def activation(self, name, shape, scale, zero_point):
        """`scale` and `zero_point` count for the quantised network alone."""
        if self.quantised:
            return self.tensor(name, shape, INT8, [scale], zero_point)
        return self.tensor(name, shape, FLOAT32)

    def operator(self, code, inputs, output, options):
        if code not in self.codes:
            self.codes.append(code)
        self.operators.append(Table({0: ("I", self.codes.index(code)), 1: Vector("i", inputs),
                                     2: Vector("i", [output]), 3: ("B", OPTIONS_OF[code]),
                                     4: Table(options)}))
        return output

    def weights(self, name, shape, axis, fan_in, input_scale, gain=1):
        """A filter with its bias; `axis` is the one of the output channels."""
        deviation = gain * (2 / fan_in) ** 0.5
        filters = self.random.normal(0, deviation, shape).astype(numpy.float32)
        bias = self.random.normal(0, 0.1, shape[axis]).astype(numpy.float32)
        if not self.quantised:
            return [self.tensor(name + "/filter", shape, FLOAT32, data=filters),
                    self.tensor(name + "/bias", bias.shape, FLOAT32, data=bias)]
        others = tuple(i for i in range(len(shape)) if i != axis)
        scales = (numpy.abs(filters).max(axis=others) / 127).astype(numpy.float32)
        spread = scales.reshape([-1 if i == axis else 1 for i in range(len(shape))])
        filters = numpy.clip(numpy.rint(filters / spread), -127, 127).astype(numpy.int8)
        bias_scales = (scales * numpy.float32(input_scale)).astype(numpy.float32)
        bias = numpy.rint(bias / bias_scales).astype(numpy.int32)
        return [self.tensor(name + "/filter", shape, INT8, scales, axis=axis, data=filters),
                self.tensor(name + "/bias", bias.shape, INT32, bias_scales, data=bias)]

    def bytes(self, inputs, outputs, description):
        codes = [Table({0: ("b", code), 2: ("i", 1), 3: ("i", code)}) for code in self.codes]
        graph = Table({0: List(self.tensors), 1: Vector("i", inputs), 2: Vector("i", outputs),
                       3: List(self.operators), 4: String("main")})
        return flatbuffer(Table({0: ("I", 3), 1: List(codes), 2: List([graph]),
                                 3: String(description), 4: List(self.buffers)}), b"TFL3")


# ---- MobileNet v1 ---------------------------------------------------------------------------------

RELU6_SCALE, LOGIT_SCALE = 6 / 255, 0.1
CLASS_GAIN = 8  # so that some classes stand out


def make_mobilenet(quantised):
    net = Network(quantised)
    image = net.activation("image", [1, IMAGE, IMAGE, 3], 1 / 128, 0)
    size = IMAGE // 2
    depth = 32
    parts = net.weights("conv0", (depth, 3, 3, 3), 0, 27, 1 / 128)
    last = net.activation("conv0", [1, size, size, depth], RELU6_SCALE, -128)
    net.operator(CONV_2D, [image] + parts, last,
                 {0: ("b", SAME), 1: ("i", 2), 2: ("i", 2), 3: ("b", RELU6)})
    for i, (stride, channels) in enumerate(PAIRS, 1):
        size //= stride
        parts = net.weights(f"depthwise{i}", (1, 3, 3, depth), 3, 9, RELU6_SCALE)
        narrow = net.activation(f"depthwise{i}", [1, size, size, depth], RELU6_SCALE, -128)
        net.operator(DEPTHWISE_CONV_2D, [last] + parts, narrow,
                     {0: ("b", SAME), 1: ("i", stride), 2: ("i", stride), 3: ("i", 1),
                      4: ("b", RELU6)})
        parts = net.weights(f"pointwise{i}", (channels, 1, 1, depth), 0, depth, RELU6_SCALE)
        last = net.activation(f"pointwise{i}", [1, size, size, channels], RELU6_SCALE, -128)
        net.operator(CONV_2D, [narrow] + parts, last,
                     {0: ("b", SAME), 1: ("i", 1), 2: ("i", 1), 3: ("b", RELU6)})
        depth = channels
    pooled = net.activation("pool", [1, 1, 1, depth], RELU6_SCALE, -128)
    net.operator(AVERAGE_POOL_2D, [last], pooled,
                 {0: ("b", VALID), 1: ("i", size), 2: ("i", size), 3: ("i", size), 4: ("i", size)})
    parts = net.weights("classes", (CLASSES, 1, 1, depth), 0, depth, RELU6_SCALE, CLASS_GAIN)
    logits = net.activation("classes", [1, 1, 1, CLASSES], LOGIT_SCALE, 0)
    net.operator(CONV_2D, [pooled] + parts, logits,
                 {0: ("b", SAME), 1: ("i", 1), 2: ("i", 1), 3: ("b", NO_ACTIVATION)})
    flat = net.activation("flat", [1, CLASSES], LOGIT_SCALE, 0)
    shape = net.tensor("shape", [2], INT32, data=numpy.array([1, CLASSES], numpy.int32))
    net.operator(RESHAPE, [logits, shape], flat, {0: Vector("i", [1, CLASSES])})
    shares = net.activation("shares", [1, CLASSES], 1 / 256, -128)
    net.operator(SOFTMAX, [flat], shares, {0: ("f", 1.0)})
    return net.bytes([image], [shares], "noise in the shape of MobileNet v1")


# ---- Four layers ----------------------------------------------------------------------------------

WIDTH, LAYERS = 1024, 4


def make_dense():
    net = Network(False)
    values = last = net.tensor("values", [1, WIDTH], FLOAT32)
    for i in range(1, LAYERS + 1):
        parts = net.weights(f"dense{i}", (WIDTH, WIDTH), 0, WIDTH, 1)
        output = net.tensor(f"out{i}", [1, WIDTH], FLOAT32)
        last = net.operator(FULLY_CONNECTED, [last] + parts, output,
                            {0: ("b", RELU if i < LAYERS else NO_ACTIVATION)})
    return net.bytes([values], [last], "noise in four layers")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    networks = {"mobilenet_v1_f32": make_mobilenet(False), "mobilenet_v1_int8": make_mobilenet(True),
                "dense_f32": make_dense()}
    for name, network in networks.items():
        with open(f"{sys.argv[1]}/{name}.tflite", "wb") as file:
            file.write(network)


if __name__ == "__main__":
    main()
