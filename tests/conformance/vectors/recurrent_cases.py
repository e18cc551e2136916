"""Cases of the recurrent operations."""
from .cases import (Case, Const, Ignored, Input, Omitted, OmittedInput, failing, real, vectors)
from .kinds import EXTENSION, F32, Kind, each, q16_symm, q8, q8_symm, q8s, single

TANH, SIGMOID, RELU = 4, 6, 1
BATCH, TIMES, SIZE, UNITS = 2, 3, 2, 3


def state(kind, dims):
    return Input(kind, dims, span=(-1, 1))


def weight(kind, dims):
    return Const(kind, dims, span=(-0.75, 0.75))


# ---- RNN and SVDF --------------------------------------------------------------------------------


def rnn_weights(kind, units, size, hidden=None):
    """Input and recurrent weights, bias, hidden state."""
    return [weight(kind, [units, size]), weight(kind, [units, units]), weight(kind, [units]),
            hidden or state(kind, [BATCH, units])]


@vectors('RNN')
def rnn_cases(op):
    for word, kind in each('f32 f16'):
        inputs = [Input(kind, [BATCH, SIZE]), *rnn_weights(kind, UNITS, SIZE)]
        for name, activation in [('none', 0), ('tanh', TANH), ('relu', RELU), ('relu6', 3),
                                 ('sigmoid', SIGMOID)]:
            yield Case(f'{word}_{name}', inputs + [activation], [kind, kind])
    inputs = [Input(F32, [BATCH, SIZE]), *rnn_weights(F32, UNITS, SIZE)]
    yield Case('f32_relaxed', inputs + [TANH], [F32, F32], relaxed=True)
    yield Case('f32_weights_as_inputs',
               [Input(i.kind, i.dims, span=i.span) for i in inputs] + [TANH], [F32, F32])
    dims = [BATCH, UNITS]
    yield failing('weights_of_another_size',
                  [Input(F32, [BATCH, SIZE + 1]), *inputs[1:], TANH], [F32, F32], dims)
    yield failing('state_of_another_batch',
                  [*inputs[:4], Input(F32, [BATCH + 1, UNITS]), TANH], [F32, F32], dims)
    yield failing('rank_3', [Input(F32, [1, BATCH, SIZE]), *inputs[1:], TANH], [F32, F32], dims)


@vectors('UNIDIRECTIONAL_SEQUENCE_RNN')
def sequence_rnn_cases(op):
    for word, kind in each('f32 f16'):
        weights = rnn_weights(kind, UNITS, SIZE)
        batch_major = Input(kind, [BATCH, TIMES, SIZE])
        time_major = Input(kind, [TIMES, BATCH, SIZE])
        yield Case(f'{word}_batch_major', [batch_major, *weights, TANH, 0], [kind])
        yield Case(f'{word}_time_major', [time_major, *weights, RELU, 1], [kind])
        yield Case(f'{word}_with_state', [time_major, *weights, TANH, 1], [kind] * 2, level=4)
        yield Case(f'{word}_batch_major_with_state', [batch_major, *weights, TANH, 0], [kind] * 2,
                   level=4)
    weights = rnn_weights(F32, UNITS, SIZE)
    yield Case('f32_relaxed', [Input(F32, [BATCH, TIMES, SIZE]), *weights, TANH, 0], [F32],
               relaxed=True)
    yield failing('rank_2', [Input(F32, [BATCH, SIZE]), *weights, TANH, 0], [F32],
                  [BATCH, TIMES, UNITS])
    yield failing('unknown_order', [Input(F32, [BATCH, TIMES, SIZE]), *weights, TANH, 2], [F32],
                  [BATCH, TIMES, UNITS])


@vectors('BIDIRECTIONAL_SEQUENCE_RNN')
def bidirectional_rnn_cases(op):
    back_units = 2
    for word, kind in each('f32 f16'):
        omitted = Omitted(kind)
        cells = rnn_weights(kind, UNITS, SIZE) + rnn_weights(kind, back_units, SIZE)
        aux_weights = [weight(kind, [units, SIZE]) for units in (UNITS, back_units)]
        for order, dims, time_major in [('batch_major', [BATCH, TIMES, SIZE], False),
                                        ('time_major', [TIMES, BATCH, SIZE], True)]:
            x, aux = Input(kind, dims), Input(kind, dims)
            plain = [x, *cells, omitted, omitted, omitted, TANH, time_major]
            cross = [x, *cells, aux, *aux_weights, TANH, time_major]
            parallel = [x, *cells, aux, omitted, omitted, TANH, time_major]
            if time_major:
                yield Case(f'{word}_{order}_plain', plain + [False], [kind] * 2)
                yield Case(f'{word}_{order}_states', cross + [False], [kind] * 4, level=4)
                yield Case(f'{word}_{order}_merged', cross + [True], [kind])
                continue
            yield Case(f'{word}_{order}_cross', cross + [False], [kind] * 2)
            yield Case(f'{word}_{order}_parallel', parallel + [False], [kind] * 2, level=4)
            yield Case(f'{word}_{order}_merged', plain + [True], [kind])
            yield Case(f'{word}_{order}_merged_states', plain + [True], [kind] * 3, level=4)
    x = Input(F32, [BATCH, TIMES, SIZE])
    cells = rnn_weights(F32, UNITS, SIZE) + rnn_weights(F32, back_units, SIZE)
    yield failing('one_of_the_aux_weights',
                  [x, *cells, x, weight(F32, [UNITS, SIZE]), Omitted(F32), TANH, False, False],
                  [F32] * 2, [BATCH, TIMES, UNITS])


@vectors('SVDF')
def svdf_cases(op):
    filters, memory = 4, 3
    for word, kind in each('f32 f16'):
        def inputs(rank, bias, kind=kind):
            return [Input(kind, [BATCH, SIZE]), weight(kind, [filters, SIZE]),
                    weight(kind, [filters, memory]), bias, state(kind, [BATCH, filters * memory]),
                    rank, 0]
        yield Case(f'{word}_rank_1', inputs(1, Omitted(kind)), [kind] * 2)
        yield Case(f'{word}_rank_2', inputs(2, Omitted(kind)), [kind] * 2)
        yield Case(f'{word}_bias', inputs(2, weight(kind, [filters // 2])), [kind] * 2)
        yield Case(f'{word}_bias_omitted_at_execution', inputs(1, OmittedInput(kind, [filters])),
                   [kind] * 2)
        yield Case(f'{word}_relu', inputs(1, weight(kind, [filters]))[:6] + [RELU], [kind] * 2)
    yield Case('f32_relaxed', svdf_inputs(2), [F32] * 2, relaxed=True)
    yield failing('rank_that_does_not_divide', svdf_inputs(3), [F32] * 2, [BATCH, 1])
    yield failing('rank_of_zero', svdf_inputs(0), [F32] * 2, [BATCH, 4])


def svdf_inputs(rank):
    return [Input(F32, [BATCH, SIZE]), weight(F32, [4, SIZE]), weight(F32, [4, 3]), Omitted(F32),
            state(F32, [BATCH, 12]), rank, 0]


# ---- LSTM ----------------------------------------------------------------------------------------

# Name, and what the cell has: C coupled input and forget gates, H peepholes, P projection,
# B projection bias, N layer normalisation.
LSTM_FORMS = [('plain', ''), ('peephole', 'H'), ('cifg_peephole', 'CH'), ('projection_bias', 'PB'),
              ('cifg_norm', 'CN'), ('everything', 'HPBN')]


class LstmOperands:
    """The operands of one direction, in the order of LSTM's 1 to 17 and 23 to 26."""

    def __init__(self, kind, has, size=SIZE, units=UNITS):
        self.kind, self.has, self.units = kind, has, units
        self.out = 2 if 'P' in has else units
        gates = ['C' not in has, True, True, True]
        self.weights = (
            [self.maybe(g, units, size) for g in gates]
            + [self.maybe(g, units, self.out) for g in gates]
            + [self.maybe('H' in has and g, units) for g in (gates[0], True, True)]
            + [self.maybe(g, units) for g in gates]
            + [self.maybe('P' in has, self.out, units), self.maybe('B' in has, self.out)])
        self.norm = [self.maybe('N' in has and g, units) for g in gates]
        self.aux = [self.maybe(g, units, size) for g in gates]
        self.states = [state(kind, [BATCH, self.out]), state(kind, [BATCH, units])]

    def maybe(self, present, *dims):
        return weight(self.kind, list(dims)) if present else Omitted(self.kind)

    def clips(self, cell=0.0, projection=0.0, activation=TANH):
        return [activation, real(self.kind, cell), real(self.kind, projection)]


@vectors('LSTM')
def lstm_cases(op):
    for word, kind in each('f32 f16'):
        x, outputs = Input(kind, [BATCH, SIZE]), [Ignored(kind), kind, kind, kind]
        for name, has in LSTM_FORMS:
            o = LstmOperands(kind, has)
            inputs = [x, *o.weights, *o.states, *o.clips()]
            if 'N' in has:
                yield Case(f'{word}_{name}', inputs + o.norm, outputs, level=3)
            else:
                yield Case(f'{word}_{name}', inputs, outputs)
        o = LstmOperands(kind, 'P')
        yield Case(f'{word}_clipped', [x, *o.weights, *o.states, *o.clips(0.25, 0.125)], outputs)
        o = LstmOperands(kind, '')
        yield Case(f'{word}_norm_omitted', [x, *o.weights, *o.states, *o.clips(), *o.norm], outputs,
                   level=3)
    x, o = Input(F32, [1, 1]), LstmOperands(F32, '', 1, 1)
    o.states = [state(F32, [1, 1]), state(F32, [1, 1])]
    outputs, dims = [Ignored(F32), F32, F32, F32], [1, 1]
    inputs = [x, *o.weights, *o.states, *o.clips()]
    yield Case('f32_relaxed_relu', inputs[:20] + o.clips(activation=RELU), outputs, relaxed=True)
    yield failing('negative_clip', inputs[:20] + o.clips(-1.0), outputs, dims)
    yield failing('forget_weights_omitted', [*inputs[:2], Omitted(F32), *inputs[3:]], outputs, dims)
    yield failing('half_of_the_coupling', [x, Omitted(F32), *inputs[2:]], outputs, dims)
    yield failing('state_of_another_size',
                  inputs[:19] + [state(F32, [1, 2]), *inputs[20:]], outputs, dims)


@vectors('UNIDIRECTIONAL_SEQUENCE_LSTM')
def sequence_lstm_cases(op):
    for word, kind in each('f32 f16'):
        for name, has in LSTM_FORMS:
            if name not in ('plain', 'cifg_peephole', 'everything'):
                continue
            o = LstmOperands(kind, has)
            yield Case(f'{word}_{name}', [Input(kind, [TIMES, BATCH, SIZE]), *o.weights, *o.states,
                                          *o.clips(), True, *o.norm], [kind])
        o = LstmOperands(kind, 'P')
        inputs = [Input(kind, [BATCH, TIMES, SIZE]), *o.weights, *o.states, *o.clips(0.5, 0.25),
                  False, *o.norm]
        yield Case(f'{word}_batch_major_clipped', inputs, [kind])
        yield Case(f'{word}_states', inputs, [kind] * 3, level=4)
    o = LstmOperands(F32, '')
    rest = [*o.weights, *o.states, *o.clips(), False, *o.norm]
    yield Case('f32_relaxed', [Input(F32, [BATCH, TIMES, SIZE]), *rest], [F32], relaxed=True)
    yield failing('rank_2', [Input(F32, [BATCH, SIZE]), *rest], [F32], [BATCH, TIMES, UNITS])


def bidirectional_lstm(kind, has='', aux=False, cross=False, merge=False, time_major=True, units=2,
                       clips=(0.0, 0.0)):
    """The 61 operands, of which those from 39 on are for an auxiliary input."""
    forward, backward = LstmOperands(kind, has, 2, 2), LstmOperands(kind, has, 2, units)
    dims = [2, BATCH, 2] if time_major else [BATCH, 2, 2]
    aux_weights = forward.aux + backward.aux if cross else [Omitted(kind)] * 8
    return [Input(kind, dims), *forward.weights, *backward.weights, *forward.states,
            *backward.states, Input(kind, dims) if aux else Omitted(kind), *aux_weights,
            *forward.clips(*clips), merge, time_major, *forward.norm, *backward.norm]


@vectors('BIDIRECTIONAL_SEQUENCE_LSTM')
def bidirectional_lstm_cases(op):
    for word, kind in each('f32 f16'):
        yield Case(f'{word}_plain', bidirectional_lstm(kind, units=1), [kind] * 2)
        yield Case(f'{word}_merged', bidirectional_lstm(kind, merge=True), [kind])
        yield Case(f'{word}_states', bidirectional_lstm(kind, has='PB'), [kind] * 6, level=4)
        yield Case(f'{word}_merged_states', bidirectional_lstm(kind, 'C', merge=True), [kind] * 5,
                   level=4)
    yield Case('f32_parallel_batch_major', bidirectional_lstm(F32, aux=True, time_major=False),
               [F32] * 2, level=4)
    yield Case('f32_cross', bidirectional_lstm(F32, 'CH', aux=True, cross=True), [F32] * 2)
    yield Case('f32_everything_batch_major',
               bidirectional_lstm(F32, 'HPBN', time_major=False, clips=(0.5, 0.25)), [F32] * 2)


# ---- LSTM in integers ----------------------------------------------------------------------------


@vectors('QUANTIZED_16BIT_LSTM')
def quantized_16bit_lstm_cases(op):
    activations, cells = q8(1 / 128, 128), q16_symm(1 / 2048)
    weights = q8(1 / 240, 109)
    biases = Kind('TENSOR_INT32', float(single(weights.scale / 128)))

    def inputs(batch, size, out, make=Const):
        return [Input(activations, [batch, size], span=(-1, 0.99)),
                *[make(weights, [out, size], span=(-0.4, 0.5)) for _ in range(4)],
                *[make(weights, [out, out], span=(-0.4, 0.5)) for _ in range(4)],
                *[make(biases, [out], span=(-9000, 9000), stored=True) for _ in range(4)],
                Input(cells, [batch, out]), Input(activations, [batch, out], span=(-1, 0.99))]
    yield Case('one_row', inputs(1, 2, 4), [cells, activations])
    yield Case('three_rows', inputs(3, 3, 2), [cells, activations])
    yield Case('larger_input', inputs(1, 5, 3), [cells, activations])
    yield Case('weights_as_inputs', inputs(2, 2, 4, Input), [cells, activations])
    wrong = inputs(1, 2, 4)
    yield failing('cell_scale', wrong[:13] + [Input(q16_symm(1 / 1024), [1, 4]), wrong[14]],
                  [cells, activations], [1, 4])
    yield failing('weights_that_differ_in_scale',
                  [wrong[0], Const(q8(1 / 128, 109), [4, 2], span=(-0.4, 0.5)), *wrong[2:]],
                  [cells, activations], [1, 4])


def quantized_lstm(has='', clips=(0.0, 0.0), hidden_zero_point=0, batch=2, short=False,
                   unnamed=Kind('TENSOR_INT32'), steps=()):
    """
    The 32 operands; `has` as in LSTM_FORMS. Without N all biases are zero. Data is of 16 bits where
    it is short, and has `steps` (in front of the batch or behind it) where there are some.
    """
    x, output, cells = q8s(1 / 128, 3), q8s(1 / 120, -4), q16_symm(1 / 2048)
    hidden_scale = 0.0076
    if short:
        x, output, hidden_scale = q16_symm(1 / 32768), q16_symm(1 / 32000), 1 / 32768
    size, units = SIZE, UNITS
    out = 2 if 'P' in has else units
    gates = ['C' not in has, True, True, True]

    def maybe(present, kind, *dims, **how):
        return Const(kind, list(dims), **how) if present else Omitted(kind)
    norm = q16_symm(1 / 32768)
    biases = (-99999, 99999) if 'N' in has else (0, 0)
    return [
        Input(x, [*(steps or [batch]), size], span=(-0.9, 0.9)),
        *[maybe(g, q8_symm(0.0079), units, size, span=(-0.9, 0.9)) for g in gates],
        *[maybe(g, q8_symm(0.0077), units, out, span=(-0.9, 0.9)) for g in gates],
        *[maybe('H' in has and g, q16_symm(1 / 16384), units, span=(-0.5, 0.5))
          for g in (gates[0], True, True)],
        *[maybe(g, unnamed, units, span=biases, stored=True) for g in gates],
        maybe('P' in has, q8_symm(0.0075), out, units, span=(-0.9, 0.9)),
        maybe('B' in has, unnamed, out, span=(-900, 900), stored=True),
        Input(output, [batch, out], span=(-0.9, 0.9)), Input(cells, [batch, units]),
        *[maybe('N' in has and g, norm, units, span=(0.25, 0.75)) for g in gates],
        *[float(clip) for clip in clips],
        *[0.00025 if 'N' not in has else 0.007] * 4, hidden_zero_point, hidden_scale], \
        [output, cells, output]


@vectors('QUANTIZED_LSTM')
def quantized_lstm_cases(op):
    for name, options in [
            ('norm', dict(has='N')), ('cifg_norm', dict(has='CNPB', batch=1)),
            ('norm_peephole', dict(has='NH')),
            ('clipped', dict(has='NPB', clips=(0.5, 0.25))),
            ('hidden_zero_point', dict(has='CN', hidden_zero_point=7)),
            ('one_row_without_norm', dict(batch=1))]:
        yield Case(name, *quantized_lstm(**options))


INTEGER_FORMS = [
    ('plain', dict()), ('norm', dict(has='N')), ('cifg_norm', dict(has='CNPB', batch=1)),
    ('norm_peephole', dict(has='NH')), ('peephole_cifg', dict(has='CH')),
    ('clipped', dict(has='NPB', clips=(0.5, 0.25))), ('projection', dict(has='P'))]


@vectors(EXTENSION + 'LSTM')
def integer_lstm_cases(_):
    for word, bias in each('i64 i32'):
        for name, options in INTEGER_FORMS:
            yield Case(f'short_{word}_{name}', *quantized_lstm(short=True, unnamed=bias, **options))
    yield Case('bytes', *quantized_lstm(has='N', hidden_zero_point=7))
    for form, options in ('bytes', dict(hidden_zero_point=128)), ('short', dict(short=True, hidden_zero_point=1)):
        yield failing(f'{form}_hidden_zero_point', *quantized_lstm(**options), [[2, 3]] * 3)


@vectors(EXTENSION + 'UNIDIRECTIONAL_SEQUENCE_LSTM')
def integer_sequence_cases(_):
    def case(name, time_major, steps, **options):
        inputs, (output, cells, _) = quantized_lstm(steps=steps, **options)
        return Case(name, inputs + [time_major], [output, output, cells])
    for word, bias in each('i64 i32'):
        for name, options in INTEGER_FORMS:
            batch = options.get('batch', 2)
            yield case(f'short_{word}_{name}', False, [batch, 3], short=True, unnamed=bias, **options)
    yield case('short_time_major', True, [4, 2], short=True)
    for name, options in INTEGER_FORMS:
        yield case(f'bytes_{name}', True, [5, options.get('batch', 2)], **options)
    yield case('bytes_batch_major', False, [2, 4], hidden_zero_point=7)
    yield case('bytes_one_step', False, [2, 1])
    inputs, outputs = quantized_lstm()
    yield failing('rank_2', inputs + [False], [outputs[0], outputs[0], outputs[1]], [2, 4])
    inputs, outputs = quantized_lstm(steps=[3, 2])
    yield failing('batch_that_differs', inputs + [False], [outputs[0], outputs[0], outputs[1]],
                  [[3, 2, 4], [3, 4], [3, 4]])


@vectors(EXTENSION + 'SVDF')
def integer_svdf_cases(_):
    x, out, cells = q8s(1 / 128, 3), q8s(1 / 16, -4), q16_symm(1 / 2048)
    filters, memory = 4, 3

    def inputs(rank, bias=Omitted(Kind('TENSOR_INT32')), features=q8_symm(0.0079), size=SIZE):
        return [Input(x, [BATCH, size], span=(-0.9, 0.9)),
                Const(features, [filters, size], span=(-0.9, 0.9)),
                Const(q16_symm(1 / 16384), [filters, memory], span=(-1.5, 1.5)), bias,
                Input(cells, [BATCH, filters * memory], span=(-9, 9)), rank]
    bias = Const(Kind('TENSOR_INT32'), [2], span=(-9999999, 9999999))
    yield Case('rank_1', inputs(1), [cells, out])
    yield Case('rank_2_bias', inputs(2, bias), [cells, out])
    yield Case('saturated', inputs(4, features=q8_symm(100)), [cells, q8s(1 / 1024, 100)])
    yield Case('many_features', inputs(2, bias, size=70), [cells, out])
    yield failing('rank_that_does_not_divide', inputs(3), [cells, out], [[BATCH, 12], [BATCH, 1]])
