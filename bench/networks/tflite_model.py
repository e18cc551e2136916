"""Files of the format .tflite: its objects, and models of tensors and operators. Numbers of fields and
codes are those of the format's schema."""

import flatbuffers
import numpy

FLOAT32, INT32, UINT8, INT64, INT16, INT8 = 0, 2, 3, 4, 7, 9
SAME, VALID = 0, 1
ACTIVATION = {"none": 0, "relu": 1, "relu6": 3, "tanh": 4}
ALIGNMENT = 16  # of constants


# ---- Objects of the format, before they are bytes ---------------------------------------------------

class Table:
    """Fields by their number: (format of the module struct, value), or something to refer to."""

    def __init__(self, fields):
        self.fields = {slot: field for slot, field in fields.items() if field is not None}

    def build(self, out):
        at = {slot: field.build(out) for slot, field in self.fields.items()
              if not isinstance(field, tuple)}
        out.StartObject(max(self.fields, default=-1) + 1)
        for slot, field in self.fields.items():
            if slot in at:
                out.PrependUOffsetTRelativeSlot(slot, at[slot], 0)
            else:
                PREPEND[field[0]](out, slot, field[1], None)
        return out.EndObject()


PREPEND = {"b": flatbuffers.Builder.PrependInt8Slot, "B": flatbuffers.Builder.PrependUint8Slot,
           "?": flatbuffers.Builder.PrependBoolSlot, "i": flatbuffers.Builder.PrependInt32Slot,
           "I": flatbuffers.Builder.PrependUint32Slot, "f": flatbuffers.Builder.PrependFloat32Slot}


class Numbers:
    def __init__(self, kind, values, alignment=0):
        self.values = numpy.asarray(values, kind)
        self.alignment = alignment

    def build(self, out):
        raw = self.values.tobytes()
        out.StartVector(self.values.itemsize, self.values.size,
                        max(self.alignment, self.values.itemsize))
        head = out.head - len(raw)
        out.Bytes[head:out.head] = raw
        out.head = head
        return out.EndVector()


class Text:
    def __init__(self, text):
        self.text = text

    def build(self, out):
        return out.CreateString(self.text)


class List:
    def __init__(self, items):
        self.items = items

    def build(self, out):
        at = [item.build(out) for item in self.items]
        out.StartVector(4, len(at), 4)
        for offset in reversed(at):
            out.PrependUOffsetTRelative(offset)
        return out.EndVector()


# ---- A model ----------------------------------------------------------------------------------------

class Model:
    def __init__(self):
        self.buffers = [Table({})]  # the first one is empty by custom
        self.tensors, self.operators, self.codes = [], [], []

    def tensor(self, name, shape, kind, scales=None, zero_point=0, axis=0, data=None, keeps=False):
        quantisation = None
        if scales is not None:
            quantisation = Table({2: Numbers("f4", scales),
                                  3: Numbers("i8", [zero_point] * len(scales)), 6: ("i", axis)})
        buffer = 0
        if data is not None:
            buffer = len(self.buffers)
            raw = numpy.frombuffer(numpy.ascontiguousarray(data).tobytes(), "u1")
            self.buffers.append(Table({0: Numbers("u1", raw, ALIGNMENT)}))
        self.tensors.append(Table({0: Numbers("i4", shape), 1: ("b", kind), 2: ("I", buffer),
                                   3: Text(name), 4: quantisation,
                                   5: ("?", True) if keeps else None}))
        return len(self.tensors) - 1

    def operator(self, code, kind, inputs, outputs, options):
        """`code` of the operation, `kind` of its options (0: it has none), tensors by number."""
        if code not in self.codes:
            self.codes.append(code)
        fields = {0: ("I", self.codes.index(code)), 1: Numbers("i4", inputs),
                  2: Numbers("i4", outputs)}
        if kind:
            fields |= {3: ("B", kind), 4: Table(options)}
        self.operators.append(Table(fields))

    def file(self, inputs, outputs, description):
        """The bytes of the file."""
        codes = [Table({0: ("b", min(code, 127)), 2: ("i", 1), 3: ("i", code)})
                 for code in self.codes]
        graph = Table({0: List(self.tensors), 1: Numbers("i4", inputs), 2: Numbers("i4", outputs),
                       3: List(self.operators), 4: Text("main")})
        root = Table({0: ("I", 3), 1: List(codes), 2: List([graph]), 3: Text(description),
                      4: List(self.buffers)})
        out = flatbuffers.Builder(1 << 20)
        out.Finish(root.build(out), b"TFL3")
        return out.Output()
