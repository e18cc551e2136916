"""How numbers are stored in an operand: its type, and for quantised types scale and zero point."""
import math
import struct
from dataclasses import dataclass

import numpy as np

LIMITS = {
    'TENSOR_QUANT8_ASYMM': (0, 255),
    'TENSOR_QUANT8_ASYMM_SIGNED': (-128, 127),
    'TENSOR_QUANT8_SYMM': (-128, 127),
    'TENSOR_QUANT8_SYMM_PER_CHANNEL': (-127, 127),
    'TENSOR_QUANT16_ASYMM': (0, 65535),
    'TENSOR_QUANT16_SYMM': (-32768, 32767),
    'TENSOR_INT32': (-2**31, 2**31 - 1),
    'INT32': (-2**31, 2**31 - 1),
    'TENSOR_BOOL8': (0, 1),
    'BOOL': (0, 1),
    'org.halyard.operations.TENSOR_INT8': (-128, 127),
    'org.halyard.operations.TENSOR_INT16': (-2**15, 2**15 - 1),
    'org.halyard.operations.TENSOR_INT64': (-2**63, 2**63 - 1),
    'org.halyard.operations.TENSOR_UINT8': (0, 255),
    'org.halyard.operations.TENSOR_UINT16': (0, 2**16 - 1),
    'org.halyard.operations.TENSOR_UINT32': (0, 2**32 - 1),
    'org.halyard.operations.TENSOR_UINT64': (0, 2**64 - 1),
}

# The feature level at which a type appeared, where it is not the first.
LEVELS = {
    'TENSOR_FLOAT16': 3, 'FLOAT16': 3, 'BOOL': 3, 'TENSOR_BOOL8': 3, 'TENSOR_QUANT16_SYMM': 3,
    'TENSOR_QUANT16_ASYMM': 3, 'TENSOR_QUANT8_SYMM': 3, 'TENSOR_QUANT8_SYMM_PER_CHANNEL': 3,
    'TENSOR_QUANT8_ASYMM_SIGNED': 4, 'MODEL': 4,
}


def single(values):
    """The nearest float32, as float64."""
    return np.asarray(values, np.float64).astype(np.float32).astype(np.float64)


def half(values):
    """The nearest float16, as float64."""
    return np.asarray(values, np.float64).astype(np.float16).astype(np.float64)


def bfloat(values):
    """The nearest bfloat16, as float64."""
    bits = np.asarray(values, np.float64).astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16
    wide = rounded.astype(np.uint32).view(np.float32).astype(np.float64)
    return np.where(np.isnan(values), np.nan, wide)


def round_half_away(values):
    return np.copysign(np.floor(np.abs(values) + 0.5), values)


@dataclass(frozen=True)
class Kind:
    type: str
    scale: float = 0.0
    zero_point: int = 0
    scales: tuple = ()
    channel_dim: int = 0

    @staticmethod
    def of(operand):
        """Of an operand of the vector format."""
        channels = operand.get('channel_quant', {})
        return Kind(operand['type'], operand.get('scale', 0.0), operand.get('zero_point', 0),
                    tuple(channels.get('scales', ())), channels.get('channel_dim', 0))

    @property
    def is_half(self):
        return self.type.endswith('FLOAT16') and not self.is_bfloat

    @property
    def is_bfloat(self):
        return self.type.endswith('BFLOAT16')

    @property
    def is_wide(self):
        return self.type.endswith('FLOAT64')

    @property
    def is_float(self):
        return 'FLOAT' in self.type

    @property
    def is_quantised(self):
        return 'QUANT' in self.type

    @property
    def limits(self):
        return LIMITS[self.type]

    def steps(self, shape):
        """What one unit is worth, in a form that broadcasts to the tensor."""
        if not self.scales:
            return self.scale or 1.0
        wide = [1] * len(shape)
        wide[self.channel_dim] = -1
        return np.array(self.scales).reshape(wide)

    def nearest(self, reals):
        """The nearest floats of the type, as float64."""
        if self.is_wide:
            return np.asarray(reals, np.float64)
        return (half if self.is_half else bfloat if self.is_bfloat else single)(reals)

    def store(self, reals):
        """Real numbers as the stored ones: rounded once, half away from zero, and clamped."""
        reals = np.asarray(reals, np.float64)
        if self.is_float:
            return self.nearest(reals)
        low, high = self.limits
        steps = self.steps(reals.shape)
        return np.clip(round_half_away(reals / steps) + self.zero_point, low, high).astype(np.int64)

    def listed(self, stored):
        """Stored numbers as a flat list."""
        numbers = stored.ravel().tolist()
        return [Wide(number) for number in numbers] if self.is_wide else numbers

    def load(self, stored):
        """Stored numbers as the real ones that they stand for."""
        if self.is_float:
            return stored.astype(np.float64)
        return (stored - self.zero_point) * self.steps(stored.shape)


F32 = Kind('TENSOR_FLOAT32')
F16 = Kind('TENSOR_FLOAT16')
I32 = Kind('TENSOR_INT32')
B8 = Kind('TENSOR_BOOL8')
EXTENSION = 'org.halyard.operations.'


def q8(scale, zero_point):
    return Kind('TENSOR_QUANT8_ASYMM', float(single(scale)), zero_point)


def q8s(scale, zero_point):
    return Kind('TENSOR_QUANT8_ASYMM_SIGNED', float(single(scale)), zero_point)


def q8_symm(scale):
    return Kind('TENSOR_QUANT8_SYMM', float(single(scale)))


def q16_symm(scale):
    return Kind('TENSOR_QUANT16_SYMM', float(single(scale)))


def q16_asymm(scale, zero_point=0):
    return Kind('TENSOR_QUANT16_ASYMM', float(single(scale)), zero_point)


def per_channel(scales, channel_dim):
    scales = tuple(float(single(s)) for s in scales)
    return Kind('TENSOR_QUANT8_SYMM_PER_CHANNEL', scales=scales, channel_dim=channel_dim)


# The usual ones of the cases, by the word for them in the names of tests.
KINDS = {
    'f32': F32, 'f16': F16, 'i32': I32, 'bool': B8,
    'q8': q8(0.02, 121), 'q8s': q8s(0.02, -9), 'q16': q16_symm(0.001),
    'f64': Kind(EXTENSION + 'TENSOR_FLOAT64'), 'bf16': Kind(EXTENSION + 'TENSOR_BFLOAT16'),
    'i8': Kind(EXTENSION + 'TENSOR_INT8'), 'i16': Kind(EXTENSION + 'TENSOR_INT16'),
    'i64': Kind(EXTENSION + 'TENSOR_INT64'), 'n8': Kind(EXTENSION + 'TENSOR_UINT8'),
    'n16': Kind(EXTENSION + 'TENSOR_UINT16'), 'n32': Kind(EXTENSION + 'TENSOR_UINT32'),
    'n64': Kind(EXTENSION + 'TENSOR_UINT64'),
}


def each(words):
    """(word, kind) of the usual kinds: each('f32 q8')."""
    return [(word, KINDS[word]) for word in words.split()]


class Wide(float):
    """A float64, whose decimal gives all of its bits back."""


def as_float32(value):
    """The nearest float32; infinity beyond the largest."""
    try:
        return struct.unpack('<f', struct.pack('<f', value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def shortest(value):
    """The shortest decimal that gives the same float32 back, or the same float64 of another one."""
    if isinstance(value, Wide) or value != as_float32(value):
        return repr(value)
    for digits in range(1, 18):
        text = f'{value:.{digits}g}'
        if as_float32(float(text)) == value:
            return '-0.0' if text == '-0' else text
    raise ValueError(f'{value} is no float32' if math.isfinite(value) else f'{value} is not finite')
