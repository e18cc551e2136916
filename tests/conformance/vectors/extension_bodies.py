"""Operations of org.halyard.operations in the models that IF and WHILE run."""
from .cases import NONE, Branch, Case, Const, Input, vectors
from .control_flow import Part, binary, chosen
from .kinds import B8, EXTENSION, F32, I32, KINDS, each

I64 = KINDS['i64']


@vectors('IF')
def if_cases(op):
    dims = [2, 3]
    for word, kind in each('i64 f64 bf16 n8'):
        span = (0, 9) if word == 'n8' else (-9, 9)
        pair = [Input(kind, dims, span=span), Input(kind, [3], span=span)]
        parts = [binary_of(name, kind, dims, [3]) for name in ('ADD', 'MUL')]
        yield Case(f'extension_{word}_then', chosen(1, 0, 1) + pair, [kind], referenced=parts)
        yield Case(f'extension_{word}_else', chosen(0, 0, 1) + pair, [kind], referenced=parts)
    pair = [Input(F32, [2, 2]), Input(F32, [2, 2])]
    yield Case('extension_or_not', chosen(1, 0, 1) + pair, [F32],
               referenced=[binary(EXTENSION + 'SUB', F32, [2, 2]), binary('SUB', F32, [2, 2])])
    for word, held in ('some', [1, 0, 0, 1, 1]), ('none', [0, 0, 0, 0, 0]):
        for branch, choice in ('then', 1), ('else', 0):
            yield Case(f'extension_found_{word}_{branch}',
                       chosen(choice, 0, 1) + [Input(B8, [5], held)], [I64],
                       referenced=[found(False), found(True)])


def binary_of(name, kind, dims, other):
    part = Part((kind, dims), (kind, other))
    part.apply(EXTENSION + name, [0, 1, (NONE,)], kind, dims)
    return part.as_object()


def found(inverted):
    """Where the input holds, or where it does not: an output whose shape a run tells."""
    part = Part((B8, [5]))
    held = part.apply(EXTENSION + 'LOGICAL_NOT', [0], B8, [5], output=False) if inverted else 0
    part.apply(EXTENSION + 'WHERE', [held], I64, [0, 1])
    return part.as_object()


@vectors('WHILE')
def while_cases(op):
    for word, kind in each('i64 f64'):
        for times in (0, 3):
            state = [Input(I64, [1], [0]), Input(kind, [2, 2]), Input(kind, [2, 2]),
                     Input(I64, [1], [times])]
            yield Case(f'extension_{word}_{times}_times', [Branch(0), Branch(1), *state],
                       [I64, kind], referenced=[below(kind), summing(kind)])
    for left in (2, 0):
        state = [Input(I32, [1], [3]), Input(I64, [3 + left], span=(-9, 9))]
        yield Case(f'extension_shrinking_to_{left}', [Branch(0), Branch(1), *state], [I32, I64],
                   referenced=[above_nothing(), shrinking()])


def types(kind):
    """(counter, sum, added, limit)."""
    return (I64, [1]), (kind, [2, 2]), (kind, [2, 2]), (I64, [1])


def below(kind):
    part = Part(*types(kind))
    part.apply(EXTENSION + 'LESS', [0, 3], B8, [1])
    return part.as_object()


def summing(kind):
    part = Part(*types(kind))
    part.apply(EXTENSION + 'ADD', [0, (Const(I64, [1], [1]),), (NONE,)], I64, [1])
    part.apply(EXTENSION + 'ADD', [1, 2, (NONE,)], kind, [2, 2])
    return part.as_object()


def above_nothing():
    part = Part((I32, [1]), (I64, [0]))
    part.apply(EXTENSION + 'GREATER', [0, (Const(I32, [1], [0]),)], B8, [1])
    return part.as_object()


def shrinking():
    """Counts down, and leaves the first number of the others out."""
    part = Part((I32, [1]), (I64, [0]))
    part.apply('SUB', [0, (Const(I32, [1], [1]),), (NONE,)], I32, [1])
    start, rest = Const(I32, [1], [1]), Const(I32, [1], [-1])
    part.apply(EXTENSION + 'SLICE', [1, (start,), (rest,)], I64, [0])
    return part.as_object()
