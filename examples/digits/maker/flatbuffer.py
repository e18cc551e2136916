"""FlatBuffers, written front to back: whoever refers to a thing is placed before the thing.

A table's field is a number as (struct format, value), or a Table, Vector, References or text.
"""

import struct


def align(out, alignment, ahead=0):
    """Pad so that what starts `ahead` bytes from the end is aligned."""
    out.extend(bytes(-(len(out) + ahead) % alignment))


def refer(out, slot, target):
    """Write `target` behind everything and its distance into the 4 bytes at `slot`."""
    place = target.write(out)
    struct.pack_into("<I", out, slot, place - slot)


class Vector:
    """Numbers: `data` is their little-endian bytes."""

    def __init__(self, data, item_size, alignment=None):
        self.data = bytes(data)
        self.count = len(data) // item_size
        self.alignment = alignment or item_size

    def write(self, out):
        align(out, 4)
        align(out, max(self.alignment, 4), ahead=4)
        place = len(out)
        out += struct.pack("<I", self.count) + self.data
        return place


class Text(Vector):
    """A string: as a vector of bytes, and a zero byte that is not counted."""

    def __init__(self, text):
        super().__init__(text.encode(), 1)

    def write(self, out):
        place = super().write(out)
        out += b"\0"
        return place


class References:
    """A vector of tables."""

    def __init__(self, targets):
        self.targets = list(targets)

    def write(self, out):
        align(out, 4)
        place = len(out)
        out += struct.pack("<I", len(self.targets)) + bytes(4 * len(self.targets))
        for index, target in enumerate(self.targets):
            refer(out, place + 4 + 4 * index, target)
        return place


class Table:
    """`fields`: {field number in the schema: value}; None and absent fields have their defaults."""

    def __init__(self, fields):
        self.fields = {number: value for number, value in fields.items() if value is not None}

    def size_of(self, number):
        value = self.fields[number]
        return struct.calcsize("<" + value[0]) if isinstance(value, tuple) else 4

    def offsets(self):
        """Field number: offset in the table, wide fields first; and the table's size."""
        offsets, end = {}, 4  # the first 4 bytes lead to the vtable
        for number in sorted(self.fields, key=lambda n: (-self.size_of(n), n)):
            offsets[number], end = end, end + self.size_of(number)
        return offsets, end

    def write(self, out):
        offsets, size = self.offsets()
        slots = max(offsets, default=-1) + 1
        align(out, 4, ahead=4 + 2 * slots)  # so that the table, behind its vtable, is aligned
        vtable = len(out)
        out += struct.pack("<HH", 4 + 2 * slots, size)
        out += struct.pack(f"<{slots}H", *(offsets.get(number, 0) for number in range(slots)))
        place = len(out)
        out += struct.pack("<i", place - vtable) + bytes(size - 4)
        for number, value in self.fields.items():
            self.write_field(out, place + offsets[number], value)
        return place

    @staticmethod
    def write_field(out, slot, value):
        if isinstance(value, tuple):
            struct.pack_into("<" + value[0], out, slot, value[1])
        else:
            refer(out, slot, Text(value) if isinstance(value, str) else value)


def finish(root, identifier):
    """The whole file: offset of the root, four letters of identifier, everything else."""
    out = bytearray(4) + identifier
    refer(out, 0, root)
    align(out, 16)
    return bytes(out)
