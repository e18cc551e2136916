"""Operations that run other models."""
from .cases import NONE, Branch, Case, Const, Input, Omitted, failing, vectors
from .evaluate import Raw, evaluate, operation
from .kinds import B8, F32, I32, each
from .model import Model


@operation('IF', 4)
def if_(call):
    branch = call.models[call.inputs[1 if call.raw(0).item() else 2]]
    return tuple(Raw(v.stored) for v in evaluate(branch, call.models, call.inputs[3:]))


@operation('WHILE', 4)
def while_(call):
    condition, body = (call.models[call.inputs[i]] for i in (0, 1))
    values = call.inputs[2:]
    while evaluate(condition, call.models, values)[0].stored.item():
        changed = evaluate(body, call.models, values)
        values = changed + values[len(changed):]
    return tuple(Raw(v.stored) for v in values[:len(call.outputs)])


# ---- Cases ---------------------------------------------------------------------------------------


class Part(Model):
    """A model that others refer to."""

    def __init__(self, *inputs):
        """`inputs` are (kind, dims)."""
        super().__init__(source=None)
        self.input_indexes = [self.operand(kind, dims, 'SUBGRAPH_INPUT') for kind, dims in inputs]

    def apply(self, op, inputs, kind, dims, output=True):
        """`inputs` are indexes, or items of a case in a tuple of one."""
        indexes = [self.add(i[0]) if isinstance(i, tuple) else i for i in inputs]
        lifetime = 'SUBGRAPH_OUTPUT' if output else 'TEMPORARY_VARIABLE'
        made = self.operand(kind, dims, lifetime)
        if output:
            self.output_indexes.append(made)
        self.run(op, indexes, [made])
        return made


def binary(op, kind, dims, out=None, activation=True):
    """A model of one operation on two tensors."""
    part = Part((kind, dims), (kind, dims))
    part.apply(op, [0, 1] + [(NONE,)] * activation, out or kind, dims)
    return part.as_object()


def chosen(condition, then, other):
    return [Input(B8, [1], [condition]), Branch(then), Branch(other)]


@vectors('IF')
def if_cases(op):
    for word, kind in each('f32 f16 i32 q8 q8s'):
        span = (-90, 90) if kind is I32 else (-1, 1)
        dims = [1, 3]
        pair = [Input(kind, dims, span=span), Input(kind, dims, span=span)]
        parts = [binary('ADD', kind, dims), binary('SUB', kind, dims)]
        yield Case(f'{word}_then', chosen(1, 0, 1) + pair, [kind], referenced=parts)
        yield Case(f'{word}_else', chosen(0, 0, 1) + pair, [kind], referenced=parts)
    dims = [2, 2]
    pair = [Input(F32, dims), Input(F32, dims)]
    parts = [binary('ADD', F32, dims), binary('MUL', F32, dims)]
    yield Case('constant_condition', [Const(B8, [1], [1]), Branch(0), Branch(1), *pair], [F32],
               referenced=parts)
    yield Case('constant_input', chosen(0, 0, 1) + [pair[0], Const(F32, dims)], [F32],
               referenced=parts)
    yield Case('same_branch_twice', chosen(1, 0, 0) + pair, [F32], referenced=parts[:1])
    yield Case('unknown_dimensions', chosen(0, 0, 1) + pair, [F32],
               referenced=[binary(name, F32, [0, 0]) for name in ('ADD', 'MUL')])
    yield Case('unknown_rank', chosen(1, 0, 1) + pair, [F32],
               referenced=[binary(name, F32, []) for name in ('ADD', 'MUL')])
    yield Case('two_outputs', chosen(1, 0, 1) + pair, [F32, F32],
               referenced=[both('ADD', 'SUB'), both('SUB', 'MUL')])
    yield Case('nested', chosen(1, 0, 1) + [Input(B8, [1], [0]), *pair], [F32],
               referenced=[nested(2, 3), nested(3, 2), *parts])
    yield Case('omitted_inside', chosen(0, 0, 1) + [Input(F32, [2, 3])], [F32],
               referenced=[transposed(), transposed()])
    yield failing('omitted_input', chosen(0, 0, 1) + [pair[0], Omitted()], [F32], dims,
                  referenced=parts)
    yield failing('condition_of_two', [Input(B8, [2], [1, 0]), Branch(0), Branch(1), *pair], [F32],
                  dims, referenced=parts)
    yield failing('too_few_inputs', chosen(1, 0, 1) + pair[:1], [F32], dims, referenced=parts)
    yield failing('input_of_another_type', chosen(1, 0, 1) + [pair[0], Input(I32, dims)], [F32],
                  dims, referenced=parts)
    yield failing('too_many_outputs', chosen(1, 0, 1) + pair, [F32, F32], dims, referenced=parts)


def both(first, second):
    part = Part((F32, [2, 2]), (F32, [2, 2]))
    for op in (first, second):
        part.apply(op, [0, 1, (NONE,)], F32, [2, 2])
    return part.as_object()


def nested(then, other):
    """An IF of its own on a second condition."""
    part = Part((B8, [1]), (F32, [2, 2]), (F32, [2, 2]))
    part.apply('IF', [0, (Branch(then),), (Branch(other),), 1, 2], F32, [2, 2])
    return part.as_object()


def transposed():
    part = Part((F32, [2, 3]))
    part.apply('TRANSPOSE', [0, (Omitted(I32),)], F32, [3, 2])
    return part.as_object()


# ---- WHILE ---------------------------------------------------------------------------------------

COUNTER = I32, [1]


def count_up(part, counter):
    part.apply('ADD', [counter, (Const(I32, [1], [1]),), (NONE,)], *COUNTER)


def below(*inputs, limit=None):
    """The condition: the first input is below the last, or below `limit`."""
    part = Part(*inputs)
    last = len(inputs) - 1 if limit is None else (Const(I32, [1], [limit]),)
    part.apply('LESS', [0, last], B8, [1])
    return part.as_object()


def summing(kind, dims, op='ADD'):
    """(counter, sum, added, limit): counts, and adds to the sum."""
    part = Part(COUNTER, (kind, dims), (kind, dims), COUNTER)
    count_up(part, 0)
    part.apply(op, [1, 2, (NONE,)], kind, dims)
    return part.as_object()


@vectors('WHILE')
def while_cases(op):
    for word, kind in each('f32 f16 i32 q8 q8s'):
        dims, span = [2, 2], (-9, 9) if kind is I32 else (-0.25, 0.25)
        types = COUNTER, (kind, dims), (kind, dims), COUNTER
        for times in (0, 1, 3) if word == 'f32' else (2,):
            state = [Input(I32, [1], [0]), Input(kind, dims, span=span),
                     Input(kind, dims, span=span), Input(I32, [1], [times])]
            yield Case(f'{word}_{times}_times', [Branch(0), Branch(1), *state], [I32, kind],
                       referenced=[below(*types), summing(kind, dims)])
    dims = [2, 2]
    types = COUNTER, (F32, dims), (F32, dims), COUNTER
    state = [Input(I32, [1], [0]), Input(F32, dims), Const(F32, dims), Const(I32, [1], [3])]
    yield Case('counter_only', [Branch(0), Branch(1), *state], [I32],
               referenced=[below(*types), summing(F32, dims)])
    yield Case('unknown_dimensions', [Branch(0), Branch(1), *state], [I32, F32],
               referenced=[below(COUNTER, (F32, [0, 0]), (F32, [0, 0]), COUNTER),
                           summing(F32, [0, 0])])
    yield Case('growing', [Branch(0), Branch(1), Input(I32, [1], [0]), Input(F32, [1, 2])],
               [I32, F32], referenced=[below(COUNTER, (F32, [0, 2]), limit=3), doubling()])
    yield Case('nested', [Branch(0), Branch(1), Input(I32, [1], [0]), Input(F32, dims),
                          Input(F32, dims)], [I32, F32],
               referenced=[below(COUNTER, (F32, dims), (F32, dims), limit=2), outer(dims),
                           below(*types), summing(F32, dims)])
    yield failing('without_end', [Branch(0), Branch(1), Input(I32, [1], [0])], [I32], [1],
                  referenced=[below(COUNTER, limit=1), standing_still()])


def doubling():
    """The second state tensor is joined to itself."""
    part = Part(COUNTER, (F32, [0, 2]))
    count_up(part, 0)
    part.apply('CONCATENATION', [1, 1, (0,)], F32, [0, 2])
    return part.as_object()


def outer(dims):
    """Runs a loop of two rounds in each of its rounds."""
    part = Part(COUNTER, (F32, dims), (F32, dims))
    count_up(part, 0)
    inner = part.operand(I32, [1], 'TEMPORARY_VARIABLE')
    total = part.operand(F32, dims, 'SUBGRAPH_OUTPUT')
    part.output_indexes.append(total)
    start, limit = part.add(Const(I32, [1], [0])), part.add(Const(I32, [1], [2]))
    part.run('WHILE', [part.add(Branch(2)), part.add(Branch(3)), start, 1, 2, limit],
             [inner, total])
    return part.as_object()


def standing_still():
    part = Part(COUNTER)
    part.apply('MUL', [0, (Const(I32, [1], [1]),), (NONE,)], *COUNTER)
    return part.as_object()
