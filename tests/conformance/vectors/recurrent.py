"""Recurrent networks in floating point: RNN and LSTM, alone and over sequences, and SVDF."""
from dataclasses import dataclass

import numpy as np

from .activations import sigmoid
from .evaluate import operation

FUNCTIONS = {0: lambda v: v, 1: lambda v: np.maximum(v, 0), 2: lambda v: np.clip(v, -1, 1),
             3: lambda v: np.clip(v, 0, 6), 4: np.tanh, 6: sigmoid}


# ---- RNN -----------------------------------------------------------------------------------------


def rnn_cell(call, at, activation):
    """The step of the weights at operands at, at + 1 and at + 2 (input, recurrent, bias)."""
    weights, recurrent, bias = (call.real(at + i) for i in range(3))

    def step(x, hidden, extra=0):
        return FUNCTIONS[activation](bias + x @ weights.T + hidden @ recurrent.T + extra)
    return step


def run(step, xs, state, extras=None, backwards=False):
    """Over the first dimension; returns the outputs in the order of the input, and the state."""
    times = range(len(xs))
    outputs = [None] * len(xs)
    for t in reversed(times) if backwards else times:
        state = step(xs[t], state, 0 if extras is None else extras[t])
        outputs[t] = state
    return np.stack(outputs), state


@operation('RNN', 1)
def rnn(call):
    hidden = rnn_cell(call, 1, call.number(5))(call.real(0), call.real(4))
    return hidden, hidden


@operation('UNIDIRECTIONAL_SEQUENCE_RNN', 3)
def unidirectional_sequence_rnn(call):
    time_major = call.number(6)
    x = call.real(0) if time_major else call.real(0).swapaxes(0, 1)
    outputs, hidden = run(rnn_cell(call, 1, call.number(5)), x, call.real(4))
    return (outputs if time_major else outputs.swapaxes(0, 1), hidden)[:len(call.outputs)]


@operation('BIDIRECTIONAL_SEQUENCE_RNN', 3)
def bidirectional_sequence_rnn(call):
    activation, time_major, merge = (call.number(i) for i in (12, 13, 14))
    x, aux, backward_x = sequences(call, 9, 10, time_major)
    results = []
    for at, weights, xs, backwards in ((1, 10, x, False), (5, 11, backward_x, True)):
        extras = aux @ call.real(weights).T if call.has(weights) else None
        results.append(run(rnn_cell(call, at, activation), xs, call.real(at + 3), extras,
                           backwards))
    (forward, forward_state), (backward, backward_state) = results
    return joined([forward, backward], [forward_state, backward_state], time_major, merge,
                  len(call.outputs))


def sequences(call, aux, aux_weights, time_major):
    """Input, auxiliary input and what the backward direction reads, by time."""
    x, other = (None if call.real(i) is None else
                call.real(i) if time_major else call.real(i).swapaxes(0, 1) for i in (0, aux))
    parallel = other is not None and not call.has(aux_weights)
    return x, other, other if parallel else x


def joined(outputs, states, time_major, merge, count):
    if not time_major:
        outputs = [output.swapaxes(0, 1) for output in outputs]
    if merge:
        outputs = [np.concatenate(outputs, axis=-1)]
    return tuple((outputs + states)[:count])


# ---- LSTM ----------------------------------------------------------------------------------------

GATES = ('input', 'forget', 'cell', 'output')


def of_gates(call, at):
    return dict(zip(GATES, (call.real(at + i) for i in range(4))))


@dataclass
class LstmCell:
    """One step of an LSTM. Dictionaries by gate; a weight that is not there is None."""
    weights: dict
    recurrent: dict
    peephole: dict
    bias: dict
    norm: dict
    aux: dict
    projection: object
    projection_bias: object
    activation: int
    cell_clip: float
    projection_clip: float

    @staticmethod
    def of(call, at, norm, activation, aux=None):
        """Weights at operands at .. at + 16, layer normalisation at norm .. norm + 3."""
        peephole = dict(zip(('input', 'forget', 'output'), (call.real(at + 8 + i)
                                                            for i in range(3))))
        return LstmCell(of_gates(call, at), of_gates(call, at + 4), peephole,
                        of_gates(call, at + 11), of_gates(call, norm),
                        of_gates(call, aux) if aux else {}, call.real(at + 15), call.real(at + 16),
                        call.number(activation), call.number(activation + 1),
                        call.number(activation + 2))

    def gate(self, name, x, hidden, aux, cell):
        """Before the activation function."""
        total = x @ self.weights[name].T + hidden @ self.recurrent[name].T
        if self.aux.get(name) is not None:
            total = total + aux @ self.aux[name].T
        if self.peephole.get(name) is not None:
            total = total + self.peephole[name] * cell
        if self.norm[name] is not None:
            mean, variance = (f(total, axis=-1, keepdims=True) for f in (np.mean, np.var))
            total = (total - mean) / np.sqrt(variance + 1e-8) * self.norm[name]
        return total + self.bias[name]

    def __call__(self, x, state, aux):
        hidden, cell = state
        function = FUNCTIONS[self.activation]
        forget = sigmoid(self.gate('forget', x, hidden, aux, cell))
        if self.weights['input'] is None:
            admit = 1 - forget
        else:
            admit = sigmoid(self.gate('input', x, hidden, aux, cell))
        cell = forget * cell + admit * function(self.gate('cell', x, hidden, aux, cell))
        cell = clipped(cell, self.cell_clip)
        out = sigmoid(self.gate('output', x, hidden, aux, cell)) * function(cell)
        if self.projection is not None:
            out = out @ self.projection.T
            if self.projection_bias is not None:
                out = out + self.projection_bias
            out = clipped(out, self.projection_clip)
        return out, cell


def clipped(values, limit):
    return np.clip(values, -limit, limit) if limit > 0 else values


def run_lstm(cell, xs, hidden, state, aux=None, backwards=False):
    times = range(len(xs))
    outputs = [None] * len(xs)
    for t in reversed(times) if backwards else times:
        hidden, state = cell(xs[t], (hidden, state), None if aux is None else aux[t])
        outputs[t] = hidden
    return np.stack(outputs), hidden, state


@operation('LSTM', 1)
def lstm(call):
    """What the scratch output holds is not said; zeros."""
    cell = LstmCell.of(call, 1, 23, 20)
    hidden, state = cell(call.real(0), (call.real(18), call.real(19)), None)
    gates = 4 if call.has(1) else 3
    return np.zeros((len(hidden), gates * state.shape[1])), hidden, state, hidden


@operation('UNIDIRECTIONAL_SEQUENCE_LSTM', 3)
def unidirectional_sequence_lstm(call):
    time_major = call.number(23)
    x = call.real(0) if time_major else call.real(0).swapaxes(0, 1)
    outputs, hidden, state = run_lstm(LstmCell.of(call, 1, 24, 20), x, call.real(18),
                                      call.real(19))
    outputs = outputs if time_major else outputs.swapaxes(0, 1)
    return (outputs, hidden, state)[:len(call.outputs)]


@operation('BIDIRECTIONAL_SEQUENCE_LSTM', 3)
def bidirectional_sequence_lstm(call):
    merge, time_major = call.number(51), call.number(52)
    x, aux, backward_x = sequences(call, 39, 41, time_major)
    outputs, states = [], []
    for at, hidden, aux_weights, norm, xs, backwards in ((1, 35, 40, 53, x, False),
                                                         (18, 37, 44, 57, backward_x, True)):
        cell = LstmCell.of(call, at, norm, 48, aux_weights)
        output, last, state = run_lstm(cell, xs, call.real(hidden), call.real(hidden + 1), aux,
                                       backwards)
        outputs.append(output)
        states += [last, state]
    return joined(outputs, states, time_major, merge, len(call.outputs))


# ---- SVDF ----------------------------------------------------------------------------------------


@operation('SVDF', 1)
def svdf(call):
    """The state is shifted after it was used; its newest slot is left zero."""
    x, features, times = (call.real(i) for i in range(3))
    filters, memory = times.shape
    state = call.real(4).reshape(-1, filters, memory).copy()
    state[..., -1] = x @ features.T
    sums = (state * times).sum(axis=-1).reshape(len(x), -1, call.number(5)).sum(axis=-1)
    if call.has(3):
        sums = sums + call.real(3)
    shifted = np.concatenate([state[..., 1:], np.zeros_like(state[..., :1])], axis=-1)
    return shifted.reshape(len(x), -1), FUNCTIONS[call.number(6)](sums)
