"""Operations of org.halyard.operations on signals: complex numbers are pairs of the last extent."""
import numpy as np

from .cases import Case, Input, failing, ints, vectors
from .evaluate import operation
from .kinds import EXTENSION, F32


@operation(EXTENSION + 'RFFT_2D', 3)
def rfft_2d(call):
    """By the definition, with matrices of exponentials."""
    rows, columns = call.ints(1)
    signal = call.real(0)[..., :rows, :columns]
    pad = [(0, 0)] * (signal.ndim - 2) + [(0, rows - signal.shape[-2]), (0, columns - signal.shape[-1])]
    signal = np.pad(signal, pad)

    def turns(count, kept):
        return np.exp(-2j * np.pi * np.outer(np.arange(kept), np.arange(count)) / count)
    out = turns(rows, rows) @ signal @ turns(columns, columns // 2 + 1).T
    return np.stack([out.real, out.imag], -1)


@vectors(EXTENSION + 'RFFT_2D')
def rfft_cases(_):
    for height, width in (1, 1), (1, 2), (4, 8), (1, 64), (3, 5), (6, 4), (2, 31):
        yield Case(f'{height}_{width}', [Input(F32, [2, height, width]), ints([height, width])], [F32])
    yield Case('more_than_there_is', [Input(F32, [3, 5]), ints([4, 8])], [F32])
    yield Case('less_than_there_is', [Input(F32, [1, 2, 1, 5, 9]), ints([2, 8])], [F32])
    yield failing('vector', [Input(F32, [8]), ints([1, 8])], [F32], [1, 5, 2])
    yield failing('length_of_0', [Input(F32, [2, 8]), ints([0, 8])], [F32], [1, 5, 2])
    yield failing('three_lengths', [Input(F32, [2, 8]), ints([1, 2, 8])], [F32], [1, 5, 2])


@operation(EXTENSION + 'COMPLEX_ABS', 3)
def complex_abs(call):
    return np.hypot(call.real(0)[..., 0], call.real(0)[..., 1])


@vectors(EXTENSION + 'COMPLEX_ABS')
def magnitude_cases(_):
    yield Case('rank_2', [Input(F32, [7, 2])], [F32])
    yield Case('rank_6', [Input(F32, [2, 1, 3, 1, 2, 2])], [F32])
    yield Case('large', [Input(F32, [2, 2], [[3e38, 1e38], [-1e-30, 2e-38]])], [F32])
    yield Case('no_number', [Input(F32, [3, 2])], [F32], via='zero_sized')
    yield failing('three_parts', [Input(F32, [4, 3])], [F32], [4])
    yield failing('vector', [Input(F32, [2])], [F32], [1])
