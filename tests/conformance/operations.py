"""The operations in float64, straight from their definitions. Tensors are flat lists, NHWC."""
import math


def activate(value, activation):
    """NONE, RELU, RELU1 (-1 to 1), RELU6, by their codes."""
    low, high = [(-math.inf, math.inf), (0, math.inf), (-1, 1), (0, 6)][activation]
    return min(max(value, low), high)


def strides(dims):
    steps = [1] * len(dims)
    for i in range(len(dims) - 2, -1, -1):
        steps[i] = steps[i + 1] * dims[i + 1]
    return steps


def positions(dims):
    if not dims:
        yield ()
        return
    for first in range(dims[0]):
        for rest in positions(dims[1:]):
            yield (first,) + rest


def at(values, dims, position):
    return values[sum(p * s for p, s in zip(position, strides(dims)))]


def add(a, a_dims, b, b_dims, activation):
    """With broadcasting: dimensions are matched from the right, 1 stretches."""
    rank = max(len(a_dims), len(b_dims))
    wide_a = [1] * (rank - len(a_dims)) + a_dims
    wide_b = [1] * (rank - len(b_dims)) + b_dims
    out_dims = [max(x, y) for x, y in zip(wide_a, wide_b)]

    def pick(values, dims, position):
        return at(values, dims, [0 if d == 1 else p for p, d in zip(position, dims)])

    out = [activate(pick(a, wide_a, p) + pick(b, wide_b, p), activation)
           for p in positions(out_dims)]
    return out, out_dims


def same_padding(size, window, stride, dilation=1):
    """(before, after) so that the output has ceil(size / stride) elements."""
    reach = (window - 1) * dilation + 1
    total = max((math.ceil(size / stride) - 1) * stride + reach - size, 0)
    return total // 2, total - total // 2


def output_size(size, padding, window, stride, dilation=1):
    return (size + sum(padding) - (window - 1) * dilation - 1) // stride + 1


def window_of(place, padding, window, stride, dilation, size):
    """(index in the window, index in the input) of what lies inside the input."""
    for k in range(window):
        i = place * stride - padding[0] + k * dilation
        if 0 <= i < size:
            yield k, i


def average_pool(x, dims, window, stride, pad_h, pad_w, activation):
    n, h, w, c = dims
    out_dims = [n, output_size(h, pad_h, window[0], stride[0]),
                output_size(w, pad_w, window[1], stride[1]), c]
    out = []
    for b, oy, ox, ch in positions(out_dims):
        seen = [at(x, dims, (b, iy, ix, ch))
                for _, iy in window_of(oy, pad_h, window[0], stride[0], 1, h)
                for _, ix in window_of(ox, pad_w, window[1], stride[1], 1, w)]
        out.append(activate(sum(seen) / len(seen), activation))
    return out, out_dims


def convolve(x, dims, f, f_dims, bias, stride, pad_h, pad_w, dilation, activation, multiplier=0):
    """CONV_2D with filter [out, h, w, in]; DEPTHWISE_CONV_2D with [1, h, w, out] and multiplier."""
    n, h, w, depth = dims
    fh, fw = f_dims[1:3]
    channels = f_dims[3] if multiplier else f_dims[0]
    out_dims = [n, output_size(h, pad_h, fh, stride[0], dilation[0]),
                output_size(w, pad_w, fw, stride[1], dilation[1]), channels]
    out = []
    for b, oy, ox, ch in positions(out_dims):
        total = bias[ch]
        for ky, iy in window_of(oy, pad_h, fh, stride[0], dilation[0], h):
            for kx, ix in window_of(ox, pad_w, fw, stride[1], dilation[1], w):
                if multiplier:
                    total += (at(x, dims, (b, iy, ix, ch // multiplier)) *
                              at(f, f_dims, (0, ky, kx, ch)))
                    continue
                total += sum(at(x, dims, (b, iy, ix, i)) * at(f, f_dims, (ch, ky, kx, i))
                             for i in range(depth))
        out.append(activate(total, activation))
    return out, out_dims


def fully_connected(x, weights, w_dims, bias, activation):
    units, depth = w_dims
    batches = len(x) // depth
    out = [activate(bias[u] + sum(x[b * depth + i] * weights[u * depth + i] for i in range(depth)),
                    activation)
           for b in range(batches) for u in range(units)]
    return out, [batches, units]


def softmax(x, dims, beta, axis):
    out = []
    for p in positions(dims):
        row = [at(x, dims, p[:axis] + (i,) + p[axis + 1:]) for i in range(dims[axis])]
        top = max(row)
        out.append(math.exp(beta * (at(x, dims, p) - top)) /
                   sum(math.exp(beta * (v - top)) for v in row))
    return out


def to_nchw(values, dims):
    n, h, w, c = dims
    out = [at(values, dims, (b, y, x, ch))
           for b in range(n) for ch in range(c) for y in range(h) for x in range(w)]
    return out, [n, c, h, w]
