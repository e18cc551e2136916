"""Random numbers."""
import numpy as np

from .cases import Case, Ignored, Input, failing, ints, vectors
from .evaluate import Raw, operation
from .kinds import F32, I32, each


def philox(key, counter):
    """Four words of Philox4x32-10."""
    c, k = list(counter), list(key)
    for _ in range(10):
        left, right = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [right >> 32 ^ c[1] ^ k[0], right & 2**32 - 1, left >> 32 ^ c[3] ^ k[1],
             left & 2**32 - 1]
        k = [(k[0] + 0x9E3779B9) & 2**32 - 1, (k[1] + 0xBB67AE85) & 2**32 - 1]
    return c


def uniform(seeds):
    """Numbers from 0 to 1 without end."""
    key, high = ([seed & 2**32 - 1, seed >> 32 & 2**32 - 1] for seed in seeds)
    count = 0
    while True:
        words = philox(key, [count & 2**32 - 1, count >> 32, *high])
        for a, b in (words[:2], words[2:]):
            yield ((a & 0xFFFFF) << 32 | b) / 2**52
        count += 1


@operation('RANDOM_MULTINOMIAL', 3)
def random_multinomial(call):
    logits = call.real(0)
    numbers = uniform(call.ints(2))
    chosen = []
    for row in logits:
        sums = np.cumsum(np.exp(row - row.max()))
        targets = [next(numbers) * sums[-1] for _ in range(call.number(1))]
        chosen.append(np.searchsorted(sums, targets, side='right'))
    return Raw(np.stack(chosen))


# ---- Cases ---------------------------------------------------------------------------------------


@vectors('RANDOM_MULTINOMIAL')
def multinomial_cases(op):
    """Any generator may be right: only how often a class is chosen is compared."""
    frequency = {'expected_multinomial_distribution_tolerance': 0.0625}
    for word, kind in each('f32 f16'):
        yield Case(f'{word}_four_classes',
                   [Input(kind, [1, 4], [0.5, -1, 1.25, 0]), 1500, ints([37, 42])], [Ignored(I32)],
                   extra=frequency)
        yield Case(f'{word}_one_certain_class',
                   [Input(kind, [1, 3], [-40, 20, -40]), 50, ints([-7, 11])], [Ignored(I32)],
                   extra=frequency)
    x = Input(F32, [1, 3])
    yield failing('no_samples', [x, 0, ints([1, 2])], [I32], [1, 1])
    yield failing('three_seeds', [x, 4, ints([1, 2, 3])], [I32], [1, 4])
    yield failing('rank_1', [Input(F32, [3]), 4, ints([1, 2])], [I32], [4])
