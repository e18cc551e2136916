"""A model of the vector format while it is put together."""
from .cases import INTERNAL, NONE, Branch, Half, Ignored, Input, Omitted, OmittedInput, ints
from .kinds import F16, F32, Kind


class Model:
    """Operands are added by what cases say of them; `source` gives their random numbers."""

    def __init__(self, source):
        self.source = source
        self.operands, self.operations = [], []
        self.input_indexes, self.output_indexes, self.given = [], [], []

    def operand(self, kind, dims, lifetime, **more):
        entry = {'type': kind.type, 'dims': [int(d) for d in dims], 'lifetime': lifetime}
        if kind.scale:
            entry['scale'] = kind.scale
        if kind.zero_point:
            entry['zero_point'] = kind.zero_point
        if kind.scales:
            entry['channel_quant'] = {'scales': list(kind.scales), 'channel_dim': kind.channel_dim}
        self.operands.append(entry | more)
        return len(self.operands) - 1

    def add(self, item):
        """One input of an operation; returns its index."""
        if isinstance(item, Omitted):
            return self.operand(item.kind, [0] if 'TENSOR' in item.kind.type else [],
                                'NO_VALUE', value=None)
        if isinstance(item, OmittedInput):
            self.given.append(None)
            self.input_indexes.append(self.operand(item.kind, item.dims, 'SUBGRAPH_INPUT'))
            return self.input_indexes[-1]
        if isinstance(item, Branch):
            return self.operand(Kind('MODEL'), [], 'SUBGRAPH', value=[item.index])
        if isinstance(item, Input):
            return self.add_tensor(item)
        return self.add_scalar(item)

    def add_tensor(self, item):
        numbers = item.kind.listed(item.numbers(self.source))
        if item.lifetime != 'SUBGRAPH_INPUT':
            return self.operand(item.kind, item.dims, item.lifetime, value=numbers)
        self.given.append(numbers)
        self.input_indexes.append(self.operand(item.kind, item.dims, item.lifetime))
        return self.input_indexes[-1]

    def add_scalar(self, item):
        if isinstance(item, Half):
            number = float(F16.store(item.value))
            return self.operand(Kind('FLOAT16'), [], 'CONSTANT_COPY', value=[number])
        if isinstance(item, bool):
            return self.operand(Kind('BOOL'), [], 'CONSTANT_COPY', value=[int(item)])
        if isinstance(item, int):
            return self.operand(Kind('INT32'), [], 'CONSTANT_COPY', value=[item])
        number = float(F32.store(item))
        return self.operand(Kind('FLOAT32'), [], 'CONSTANT_COPY', value=[number])

    def run(self, op, inputs, outputs):
        self.operations.append({'op': op, 'inputs': inputs, 'outputs': outputs})

    def add_via(self, item, via):
        """An input of the operation under test that another operation makes."""
        source = self.add(item)
        if via == INTERNAL:
            zero = self.operand(item.kind, [1], 'CONSTANT_COPY', value=[item.kind.zero_point])
            made = self.operand(item.kind, item.dims, 'TEMPORARY_VARIABLE')
            self.run('ADD', [source, zero, self.add(NONE)], [made])
            return made
        begin = self.add(ints([0] * len(item.dims)))
        size = self.add(ints([0] + [-1] * (len(item.dims) - 1)))
        made = self.operand(item.kind, [0] + item.dims[1:], 'TEMPORARY_VARIABLE')
        self.run('SLICE', [source, begin, size], [made])
        return made

    def add_output(self, kind, dims):
        more = {'ignored': True} if isinstance(kind, Ignored) else {}
        kind = kind.kind if isinstance(kind, Ignored) else kind
        self.output_indexes.append(self.operand(kind, dims, 'SUBGRAPH_OUTPUT', **more))
        return self.output_indexes[-1]

    def as_object(self):
        return {'operands': self.operands, 'operations': self.operations,
                'input_indexes': self.input_indexes, 'output_indexes': self.output_indexes}
