"""The recurrent operations that are defined by their integer arithmetic."""
import math

import numpy as np

from .evaluate import Raw, operation
from .fixed_point import (high, inverse_square_root, logistic, multiplier, saturate, scaled,
                          shift_right, tanh, toward_zero)
from .kinds import EXTENSION, single


@operation('QUANTIZED_16BIT_LSTM', 3)
def quantized_16bit_lstm(call):
    """The concatenated row starts with the recurrent weights, what it meets with the input."""
    met = np.concatenate([call.raw(0), call.raw(14)], axis=1) - 128
    by = multiplier(4096 * call.kind(9).scale)
    gates = []
    for g in range(4):
        rows = np.concatenate([call.raw(5 + g), call.raw(1 + g)], axis=1) - call.kind(1).zero_point
        gates.append(saturate(scaled(call.raw(9 + g) + met @ rows.T, *by), 16))
    admit, forget, out = (logistic(gates[g]) for g in (0, 1, 3))
    cell = saturate(shift_right(high(admit, tanh(gates[2], 3)), 4) + high(forget, call.raw(13)), 16)
    y = high(out, tanh(saturate(cell * 2, 16), 3))
    return (Raw(cell.astype(np.int64)),
            Raw((128 + saturate(shift_right(y, 8), 8)).astype(np.int64)))


class Gate:
    """One gate of QUANTIZED_LSTM: 0 input, 1 forget, 2 cell, 3 output."""
    PEEPHOLES = {0: 9, 1: 10, 3: 11}

    def __init__(self, call, index, x, hidden):
        self.call, self.index = call, index
        self.x, self.hidden = x - call.kind(0).zero_point, hidden - call.kind(18).zero_point
        self.scale = call.number(26 + index)
        self.present = call.has(1 + index)

    def share(self, values, *scales):
        """Of the gate's sum, in its units."""
        factor = np.float32(1)
        for scale in scales:
            factor = factor * np.float32(scale)
        return scaled(values, *multiplier(float(factor / np.float32(self.scale))))

    def __call__(self, cell):
        call, g = self.call, self.index
        total = saturate(self.share(self.x @ call.raw(1 + g).T, call.kind(1 + g).scale,
                                    call.kind(0).scale), 16)
        total = saturate(total + self.share(self.hidden @ call.raw(5 + g).T, call.kind(5 + g).scale,
                                            call.kind(18).scale), 16)
        peephole = self.PEEPHOLES.get(g)
        if peephole and call.has(peephole):
            total = saturate(total + self.share(call.raw(peephole) * cell, call.kind(19).scale,
                                                call.kind(peephole).scale), 16)
        if not call.has(20 + g):
            return total
        return np.stack([self.normalised(row) for row in total])

    def normalised(self, row):
        call, g = self.call, self.index
        norm = call.kind(20 + g).scale
        mantissa, exponent = multiplier(norm)
        values = [int(v) for v in row]
        units = len(values)
        mean = int(toward_zero(1024 * sum(values), units))
        squares = sum(v * v for v in values) * (2**20 // units)
        variance = int(toward_zero(squares - mean * mean, 2**20))
        if variance < 1:
            variance = min(1, int(10000 * norm))
        centred = np.array([1024 * v - mean for v in values], object)
        r = scaled(centred, *inverse_square_root(variance))
        q = r * call.raw(20 + g) + call.raw(12 + g)
        q = toward_zero(np.where(q > 0, q + 512, q - 512), 1024)
        return saturate(scaled(q, mantissa, exponent + 12), 16)


@operation('QUANTIZED_LSTM', 4)
@operation(EXTENSION + 'LSTM', 3)
def quantized_lstm(call):
    output, cell = step(call, call.raw(0), call.raw(18), call.raw(19))
    return Raw(output), Raw(cell), Raw(output)


@operation(EXTENSION + 'UNIDIRECTIONAL_SEQUENCE_LSTM', 3)
def sequence_lstm(call):
    time = 0 if call.number(32) else 1
    output, cell, outputs = call.raw(18), call.raw(19), []
    for t in range(call.raw(0).shape[time]):
        output, cell = step(call, call.raw(0).take(t, time), output, cell)
        outputs.append(output)
    return Raw(np.stack(outputs, time)), Raw(output), Raw(cell)


def step(call, x, hidden, cell):
    """Output and cell state of a time step."""
    k = round(math.log2(call.kind(19).scale))
    x, hidden, cell = (values.astype(object) for values in (x, hidden, cell))
    admit, forget, update, out = (Gate(call, g, x, hidden) for g in range(4))
    f = logistic(forget(cell))
    z = tanh(update(cell), 3)
    i = logistic(admit(cell)) if admit.present else 32767 - f
    cell = saturate(shift_right(f * cell, 15) + shift_right(i * z, 30 + k), 16)
    clip = int(np.float32(call.number(24)) / np.float32(call.kind(19).scale))
    cell = np.clip(cell, -clip, clip) if clip > 0 else cell
    product = logistic(out(cell)) * tanh(cell, 15 + k)
    bits = 16 if call.kind(0).type.endswith('16_SYMM') else 8
    hidden = hidden_state(call, product, bits)
    output = projected(call, hidden, bits) if call.has(16) else hidden
    return output.astype(np.int64), cell.astype(np.int64)


def hidden_state(call, product, bits):
    """Minus the zero point, not plus."""
    factor = 2**-15 / call.number(31) * 2**-15
    return saturate(scaled(product, *multiplier(factor)) - call.number(30), bits)


def projected(call, hidden, bits):
    weights, out = call.kind(16), call.kind(18)
    total = (hidden + call.number(30)) @ call.raw(16).T
    if call.has(17):
        total = total + call.raw(17)
    factor = float(single(single(weights.scale * call.number(31)) / out.scale))
    output = saturate(scaled(total, *multiplier(factor)) + out.zero_point, bits)
    clip = min(call.number(25) / weights.scale, 2**(bits - 1) - 1)
    return np.clip(output, -clip, clip).astype(int) if clip > 0 else output


@operation(EXTENSION + 'SVDF', 3)
def integer_svdf(call):
    """The newest column joins the state before its use."""
    def factor(a, b, over):
        return multiplier(float(single(single(a.scale * b.scale) / single(over.scale))))
    filters, memory = call.raw(2).shape
    x = call.raw(0) - call.kind(0).zero_point
    state = call.raw(4).reshape(len(x), filters, memory)
    newest = saturate(scaled(wrap(x @ call.raw(1).T), *factor(call.kind(0), call.kind(1), call.kind(4))), 16)
    state = np.concatenate([state[..., 1:], newest[..., None]], axis=-1).astype(np.int64)
    sums = (state * call.raw(2)).sum(axis=-1).reshape(len(x), -1, call.number(5)).sum(axis=-1)
    if call.has(3):
        sums = sums + call.raw(3)
    out = call.outputs[1]
    steps = scaled(wrap(sums), *factor(call.kind(4), call.kind(2), out)) + out.zero_point
    return Raw(state.reshape(len(x), -1)), Raw(saturate(steps, 8).astype(np.int64))


def wrap(values):
    return (values + 2**31) % 2**32 - 2**31
