"""Fingerprint64 of FarmHash, as published by Google; written from a description of it."""

MASK = 2**64 - 1
K0, K1, K2 = 0xc3a5c85c97cb3127, 0xb492b66fbe98f273, 0x9ae16a3b2f90404f


def rotate(value, count):
    value &= MASK
    return (value >> count | value << (64 - count)) & MASK


def mix(value):
    value &= MASK
    return value ^ value >> 47


def combine(u, v, m):
    a = mix((u ^ v) * m)
    return mix((v ^ a) * m) * m & MASK


class Words:
    """Little-endian loads of 4 and 8 bytes; a negative offset counts from the end."""

    def __init__(self, data):
        self.data = data

    def load(self, offset, size):
        offset = offset if offset >= 0 else len(self.data) + offset
        return int.from_bytes(self.data[offset:offset + size], 'little')

    def four(self, offset):
        return self.load(offset, 4)

    def eight(self, offset):
        return self.load(offset, 8)


def fingerprint64(data):
    words, n = Words(data), len(data)
    if n <= 16:
        return up_to_16(data, words, n)
    if n <= 32:
        return up_to_32(words, n)
    return up_to_64(words, n) if n <= 64 else long(words, n)


def up_to_16(data, words, n):
    m = K2 + 2 * n
    if n >= 8:
        a, b = words.eight(0) + K2, words.eight(-8)
        return combine((rotate(b, 37) * m + a) & MASK, (rotate(a, 25) + b) * m & MASK, m)
    if n >= 4:
        return combine(n + (words.four(0) << 3), words.four(-4), m)
    if n == 0:
        return K2
    y = data[0] + (data[n // 2] << 8)
    z = n + (data[-1] << 2)
    return mix(y * K2 ^ z * K0) * K2 & MASK


def up_to_32(words, n):
    m = K2 + 2 * n
    a, b, c, d = words.eight(0) * K1, words.eight(8), words.eight(-8) * m, words.eight(-16) * K2
    return combine((rotate(a + b, 43) + rotate(c, 30) + d) & MASK,
                   (a + rotate(b + K2, 18) + c) & MASK, m)


def up_to_64(words, n):
    m = K2 + 2 * n
    a, b, c, d = words.eight(0) * K2, words.eight(8), words.eight(-8) * m, words.eight(-16) * K2
    y = (rotate(a + b, 43) + rotate(c, 30) + d) & MASK
    z = combine(y, (a + rotate(b + K2, 18) + c) & MASK, m)
    e, f = words.eight(16) * m, words.eight(24)
    g, h = (y + words.eight(-32)) * m, (z + words.eight(-24)) * m
    return combine((rotate(e + f, 43) + rotate(g, 30) + h) & MASK,
                   (e + rotate(f + a, 18) + g) & MASK, m)


def weak(words, i, a, b):
    w, x, y, z = (words.eight(i + 8 * k) for k in range(4))
    a += w
    b = rotate(b + a + z, 21)
    c = a
    a += x + y
    return (a + z) & MASK, (b + rotate(a, 44) + c) & MASK


def long(words, n):
    x, y = (81 * K2 + words.eight(0)) & MASK, (81 * K1 + 113) & MASK
    z = mix(y * K2 + 113) * K2 & MASK
    v = w = 0, 0
    for i in range(0, (n - 1) // 64 * 64, 64):
        x = rotate(x + y + v[0] + words.eight(i + 8), 37) * K1 & MASK
        y = rotate(y + v[1] + words.eight(i + 48), 42) * K1 & MASK
        x ^= w[1]
        y = (y + v[0] + words.eight(i + 40)) & MASK
        z = rotate(z + w[0], 33) * K1 & MASK
        v = weak(words, i, v[1] * K1, x + w[0])
        w = weak(words, i + 32, z + w[1], y + words.eight(i + 16))
        x, z = z, x
    return last_block(words, n, x, y, z, v, w)


def last_block(words, n, x, y, z, v, w):
    i, q = n - 64, (K1 + 2 * (z & 255)) & MASK
    w = w[0] + (n - 1 & 63), w[1]
    v = v[0] + w[0], v[1]
    w = w[0] + v[0], w[1]
    x = rotate(x + y + v[0] + words.eight(i + 8), 37) * q & MASK
    y = rotate(y + v[1] + words.eight(i + 48), 42) * q & MASK
    x ^= 9 * w[1] & MASK
    y = (y + 9 * v[0] + words.eight(i + 40)) & MASK
    z = rotate(z + w[0], 33) * q & MASK
    v = weak(words, i, v[1] * q, x + w[0])
    w = weak(words, i + 32, z + w[1], y + words.eight(i + 16))
    x, z = z, x
    return combine((combine(v[0], w[0], q) + mix(y) * K0 + z) & MASK,
                   (combine(v[1], w[1], q) + x) & MASK, q)
