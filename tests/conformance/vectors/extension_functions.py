"""Operations of org.halyard.operations on single elements."""
import numpy as np

from .cases import Case, Input, vectors
from .evaluate import operation
from .kinds import EXTENSION, each


@operation(EXTENSION + 'CEIL', 3)
def ceil(call):
    return np.ceil(call.real(0))


@vectors(EXTENSION + 'CEIL')
def reals(_):
    for word, kind in each('f32 f16 f64 bf16'):
        yield Case(word, [Input(kind, [2, 3, 1, 2, 5], span=(-9, 9))], [kind])
