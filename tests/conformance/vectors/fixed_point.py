"""Exact integer arithmetic of the quantised LSTM operations, on arrays of int64."""
import math

import numpy as np


def saturate(values, bits):
    return np.clip(values, -2**(bits - 1), 2**(bits - 1) - 1)


def multiply_high(a, b, bits=32):
    """The rounded upper half of 2ab."""
    product = np.asarray(a, object) * b
    nudge = np.where(product >= 0, 2**(bits - 2), 1 - 2**(bits - 2))
    return saturate(toward_zero(product + nudge, 2**(bits - 1)), bits)


def toward_zero(a, b):
    """Integer division as in C."""
    a = np.asarray(a, object)
    return np.where(a >= 0, a // b, -(-a // b))


def shift_right(values, count):
    """To nearest, ties away from zero."""
    values = np.asarray(values, object)
    if count == 0:
        return values
    low = values & (1 << count) - 1
    limit = ((1 << count) - 1 >> 1) + (values < 0)
    return (values >> count) + (low > limit)


def multiplier(real):
    """(M, e): real = M * 2^(e - 31)."""
    if real == 0:
        return 0, 0
    fraction, exponent = math.frexp(real)
    mantissa = math.floor(fraction * 2**31 + 0.5)
    if mantissa == 2**31:
        mantissa, exponent = 2**30, exponent + 1
    return (0, 0) if exponent < -31 else (mantissa, exponent)


def scaled(values, mantissa, exponent):
    """values * M * 2^(e - 31), rounded twice."""
    shifted = saturate(np.asarray(values, object) * 2**max(exponent, 0), 32)
    return shift_right(multiply_high(shifted, mantissa), max(-exponent, 0))


def rescale(values, by, bits=16):
    """To `by` more integer bits; fewer if negative."""
    return shift_right(values, by) if by >= 0 else saturate(values * 2**-by, bits)


# ---- Functions of 16-bit fixed point -------------------------------------------------------------

ONE = 2**15 - 1  # in Q0.15


def constant(raw):
    """Constants are given with 31 fraction bits."""
    return int(shift_right(raw, 16))


EXP_MINUS_EIGHTH = constant(1895147668)
THIRD = constant(715827883)
FACTORS = {-2: 1672461947, -1: 1302514674, 0: 790015084, 1: 290630308, 2: 39332535, 3: 720401,
           4: 242}


def high(a, b):
    return multiply_high(a, b, 16)


def exp_negative(a, whole):
    """exp(a) in Q0.15 of a <= 0 with `whole` integer bits."""
    a = np.asarray(a, object)
    fraction = 15 - whole
    quarter = 1 << fraction - 2
    r = a % quarter - quarter
    rest = r - a
    x = rescale(r, -whole) + 2**12
    x2 = high(x, x)
    x3, x4 = high(x2, x), high(x2, x2)
    t = shift_right(high(shift_right(x4, 2) + x3, THIRD) + x2, 1)
    y = saturate(EXP_MINUS_EIGHTH + high(EXP_MINUS_EIGHTH, x + t), 16)
    for k, factor in FACTORS.items():
        if whole > k:
            y = np.where(rest >> fraction + k & 1, high(y, constant(factor)), y)
    y = np.where(a == 0, ONE, y)
    return np.where(a < -(32 << fraction), 0, y) if whole > 5 else y


def reciprocal(a):
    """2 / (1 + a) in Q2.13 of a from 0 to 1 in Q0.15."""
    total = np.asarray(a, object) + ONE
    d = toward_zero(np.where(total >= 0, total + 1, total - 1), 2)
    x = constant(1515870810) + high(constant(-1010580540), d)
    for _ in range(3):
        error = 2**13 - high(d, x)
        x = saturate(x + rescale(high(x, error), -2), 16)
    return x


def tanh(a, whole):
    a = np.asarray(a, object)
    e = exp_negative(-np.abs(a), whole + 1)
    t = saturate((reciprocal(e) - 2**13) * 4, 16)
    return np.where(a == 0, 0, np.where(a > 0, t, -t))


def logistic(a, whole=3):
    a = np.asarray(a, object)
    positive = saturate(reciprocal(exp_negative(-np.abs(a), whole)) * 2, 16)
    return np.where(a == 0, 2**14, np.where(a > 0, positive, ONE - positive))


def inverse_square_root(value):
    """(raw, shift) for scaled(), of one integer."""
    if value <= 1:
        return 2**31 - 1, 0
    shift = 11
    while value >= 2**29:
        value //= 4
        shift += 1
    up = (32 - value.bit_length() - 1) // 2 - 1
    shift -= up
    value <<= 2 * up
    half = int(shift_right(value >> 1, 1))
    x = 2**28
    for _ in range(5):
        cube = rescale(multiply_high(multiply_high(x, x), x), -6, 32)
        product = multiply_high(half, cube)
        x = int(rescale(multiply_high(2**28 + 2**27, x) - product, -3, 32))
    raw = int(multiply_high(x, 1518500250))
    if shift < 0:
        raw, shift = raw << -shift, 0
    return raw, -shift
