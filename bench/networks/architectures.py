"""The networks: well-known shapes with weights of noise, in the ranges that training begins with, so
that activations neither vanish nor saturate. What comes out means nothing, but is the same
everywhere."""

from .graph import Graph

IMAGE, CLASSES = 224, 1001
CLASS_GAIN = 8  # so that some classes stand out

# (stride, channels) of the 13 pairs of a depthwise and a pointwise convolution.
PAIRS = [(1, 64), (2, 128), (1, 128), (2, 256), (1, 256), (2, 512), (1, 512), (1, 512), (1, 512),
         (1, 512), (1, 512), (2, 1024), (1, 1024)]

# (expansion, channels, repeats, first stride, kernel) of the blocks that widen, filter and narrow.
MOBILENET_V2 = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 32, 3, 2, 3), (6, 64, 4, 2, 3),
                (6, 96, 3, 1, 3), (6, 160, 3, 2, 3), (6, 320, 1, 1, 3)]
EFFICIENT = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3),
             (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]


def image(net, size=IMAGE, depth=3):
    return net.input("image", (1, size, size, depth), -1.0, 127 / 128)


def classify(net, x):
    pooled = net.average("pool", x)
    flat = net.reshape("flat", pooled, (1, pooled.shape[3]))
    logits = net.dense("classes", flat, CLASSES, gain=CLASS_GAIN)
    net.outputs = [net.softmax("shares", logits)]
    return net


def pair(net, x, number, stride, channels):
    x = net.depthwise(f"depthwise{number}", x, stride=stride)
    return net.convolution(f"pointwise{number}", x, channels, 1)


def mobilenet_v1():
    net = Graph("mobilenet_v1", "noise in the shape of MobileNet v1")
    x = net.convolution("conv0", image(net), 32, 3, stride=2)
    for i, (stride, channels) in enumerate(PAIRS, 1):
        x = pair(net, x, i, stride, channels)
    return classify(net, x)


def inverted(net, x, rows):
    """Blocks of MobileNet v2: widen, filter each channel, narrow; a sum where the shape allows."""
    for row, (expansion, channels, repeats, first, kernel) in enumerate(rows, 1):
        for repeat in range(repeats):
            stride, name, start = (first if repeat == 0 else 1), f"block{row}_{repeat}", x
            if expansion > 1:
                x = net.convolution(name + "/widen", x, expansion * x.shape[3], 1)
            x = net.depthwise(name + "/filter", x, kernel, stride)
            x = net.convolution(name + "/narrow", x, channels, 1, activation="none", gain=0.5)
            if x.shape == start.shape:
                x = net.add(name + "/sum", start, x)
    return x


def mobilenet_v2():
    net = Graph("mobilenet_v2", "noise in the shape of MobileNet v2")
    x = net.convolution("conv0", image(net), 32, 3, stride=2)
    x = net.convolution("last", inverted(net, x, MOBILENET_V2), 1280, 1)
    return classify(net, x)


def efficientnet_lite():
    net = Graph("efficientnet_lite", "noise in the shape of EfficientNet-Lite 0")
    x = net.convolution("conv0", image(net), 32, 3, stride=2)
    x = net.convolution("last", inverted(net, x, EFFICIENT), 1280, 1)
    return classify(net, x)


def ssd():
    """Boxes and classes from four sizes of image, as detectors join them."""
    net = Graph("ssd", "noise in the shape of a single-shot detector")
    x = net.convolution("conv0", image(net, 160), 16, 3, stride=2)
    for i, (stride, channels) in enumerate([(2, 32), (2, 64), (2, 128)], 1):
        x = pair(net, x, i, stride, channels)
    boxes, classes = [], []
    for level in range(4):
        if level:
            x = pair(net, x, level + 3, 2, 128)
        cells = x.shape[1] * x.shape[2] * 3
        box = net.convolution(f"box{level}", x, 3 * 4, 3, activation="none")
        kind = net.convolution(f"class{level}", x, 3 * 21, 3, activation="none")
        boxes.append(net.reshape(f"boxes{level}", box, (1, cells, 4)))
        classes.append(net.reshape(f"classes{level}", kind, (1, cells, 21)))
    net.outputs = [net.join("boxes", boxes, 1),
                   net.logistic("scores", net.join("classes", classes, 1))]
    return net


def lstm():
    net = Graph("lstm", "noise in two layers of LSTM")
    x = net.input("sound", (1, 50, 40), -1.0, 127 / 128)
    x = net.lstm("second", net.lstm("first", x, 128), 128)
    net.outputs = [net.softmax("shares", net.dense("classes", x, 29))]
    return net


def transformer():
    """One block over 64 words: attention in 4 heads, then two dense layers, each with a sum."""
    words, width, heads = 64, 256, 4
    net = Graph("transformer", "noise in a block of a transformer")
    x = net.input("words", (1, words, width), -1.0, 127 / 128)

    def split(name, order):
        parts = net.dense(name, x, width, gain=0.7)
        parts = net.reshape(name + "/heads", parts, (1, words, heads, width // heads))
        return net.transpose(name + "/turned", parts, order)

    scores = net.product("scores", split("queries", (0, 2, 1, 3)), split("keys", (0, 2, 3, 1)))
    shares = net.softmax("attention", scores)
    mixed = net.product("mixed", shares, split("values", (0, 2, 1, 3)))
    mixed = net.reshape("joined", net.transpose("together", mixed, (0, 2, 1, 3)), (1, words, width))
    y = net.add("sum1", x, net.dense("out", mixed, width, gain=0.7))
    inner = net.dense("inner", y, 4 * width, activation="relu")
    net.outputs = [net.add("sum2", y, net.dense("outer", inner, width, gain=0.7))]
    return net


def convolution():
    net = Graph("conv_3x3", "noise in one convolution, 3x3, 56x56, 64 to 64 channels")
    net.outputs = [net.convolution("conv", image(net, 56, 64), 64, 3)]
    return net


def dense():
    """As many parameters as MobileNet v1 in four layers, for devices that have little else."""
    net = Graph("dense", "noise in four layers")
    x = net.input("values", (1, 1024), -1.0, 127 / 128)
    for i in range(1, 5):
        x = net.dense(f"dense{i}", x, 1024, activation="relu" if i < 4 else "none")
    net.outputs = [x]
    return net


def chain():
    """10,000 operators with little to compute, for what a network costs before it runs."""
    net = Graph("chain", "noise in a chain of convolutions and sums")
    x = net.input("image", (1, 4, 4, 8), -1.0, 127 / 128)
    for i in range(5000):
        y = net.convolution(f"conv{i}", x, 8, 1, activation="none", gain=0.1)
        x = net.add(f"sum{i}", x, y)
    net.outputs = [x]
    return net


ALL = [mobilenet_v1, mobilenet_v2, efficientnet_lite, ssd, lstm, transformer, convolution, dense, chain]
