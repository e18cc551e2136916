"""The conformance format: a test as operands, operations and one example; numbers by type."""
import json
import math
import struct


class Kind:
    """How real numbers are stored in an operand: its type, scale and zero point."""

    def __init__(self, name, scale=0.0, zero_point=0, scales=None, channel_dim=0):
        self.name = name
        self.scale = scale and narrow('f', scale)
        self.zero_point = zero_point
        self.scales = scales and [narrow('f', s) for s in scales]
        self.channel_dim = channel_dim

    LIMITS = {'TENSOR_QUANT8_ASYMM': (0, 255), 'TENSOR_QUANT8_ASYMM_SIGNED': (-128, 127),
              'TENSOR_QUANT8_SYMM_PER_CHANNEL': (-127, 127), 'TENSOR_QUANT8_SYMM': (-128, 127),
              'TENSOR_INT32': (-2**31, 2**31 - 1)}

    def scale_of(self, index, dims):
        if not self.scales:
            return self.scale or 1.0
        return self.scales[index // math.prod(dims[self.channel_dim + 1:]) % dims[self.channel_dim]]

    def store(self, values, dims):
        if self.name in ('TENSOR_FLOAT32', 'FLOAT32'):
            return [narrow('f', v) for v in values]
        if self.name == 'TENSOR_FLOAT16':
            return [narrow('e', v) for v in values]
        low, high = self.LIMITS[self.name]
        return [min(max(math.floor(v / self.scale_of(i, dims) + 0.5) + self.zero_point, low), high)
                for i, v in enumerate(values)]

    def load(self, stored, dims):
        if 'FLOAT' in self.name:
            return stored
        return [(q - self.zero_point) * self.scale_of(i, dims) for i, q in enumerate(stored)]


def narrow(code, value):
    """The nearest float32 ('f') or float16 ('e')."""
    return struct.unpack('<' + code, struct.pack('<' + code, value))[0]


def shortest(value):
    """The shortest decimal that gives the same float32 back."""
    for digits in range(1, 18):
        text = f'{value:.{digits}g}'
        if narrow('f', float(text)) == value:
            return text
    return repr(value)


class Test:
    def __init__(self, name, op, level):
        self.name, self.op, self.level = name, op, level
        self.operands, self.inputs, self.output = [], [], None
        self.given, self.given_at = [], []

    def operand(self, kind, dims, lifetime):
        entry = {'type': kind.name, 'dims': list(dims), 'lifetime': lifetime}
        if kind.scale:
            entry['scale'] = kind.scale
        if kind.zero_point:
            entry['zero_point'] = kind.zero_point
        if kind.scales:
            entry['channel_quant'] = {'scales': kind.scales, 'channel_dim': kind.channel_dim}
        self.operands.append(entry)
        return len(self.operands) - 1

    def input(self, kind, dims, reals):
        """A model input. Returns what its stored elements stand for."""
        stored = kind.store(reals, dims)
        index = self.operand(kind, dims, 'SUBGRAPH_INPUT')
        self.inputs.append(index)
        self.given_at.append(index)
        self.given.append(stored)
        return kind.load(stored, dims)

    def constant(self, kind, dims, reals):
        stored = kind.store(reals, dims)
        index = self.operand(kind, dims, 'CONSTANT_COPY')
        self.inputs.append(index)
        self.operands[index]['value'] = stored
        return kind.load(stored, dims)

    def scalars(self, *values, name='INT32'):
        for value in values:
            kind = 'BOOL' if isinstance(value, bool) else name
            self.inputs.append(self.operand(Kind(kind), [], 'CONSTANT_COPY'))
            self.operands[-1]['value'] = [int(value) if kind != 'FLOAT32' else value]

    def result(self, kind, dims, reals):
        self.output = self.operand(kind, dims, 'SUBGRAPH_OUTPUT')
        self.expected = kind.store(reals, dims)
        return self

    def as_object(self):
        main = {
            'operands': self.operands,
            'operations': [{'op': self.op, 'inputs': self.inputs, 'outputs': [self.output]}],
            'input_indexes': self.given_at,
            'output_indexes': [self.output],
        }
        return {
            'name': self.name, 'feature_level': self.level, 'hal_version': None,
            'is_relaxed': False, 'expect_failure': False, 'main': main, 'referenced': [],
            'examples': [{'inputs': self.given, 'outputs': [self.expected]}],
        }


def as_text(value):
    """JSON without spaces, floats in their shortest form."""
    if isinstance(value, dict):
        return '{' + ','.join(f'{json.dumps(k)}:{as_text(v)}' for k, v in value.items()) + '}'
    if isinstance(value, list):
        return '[' + ','.join(map(as_text, value)) + ']'
    if isinstance(value, float):
        return shortest(value)
    return json.dumps(value)


def write(path, spec, tests):
    lines = ',\n'.join(as_text(test.as_object()) for test in tests)
    with open(path, 'w', encoding='ascii', newline='\n') as file:
        file.write(f'{{"spec":"{spec}","version":"halyard","tests":[\n{lines}\n]}}\n')
