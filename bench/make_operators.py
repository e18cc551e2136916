#!/usr/bin/python3
"""Writes models of one operator each, which compare_operators.sh measures:

    make_operators.py FOLDER [NAME...]

makes FOLDER/NAME_f32.tflite, FOLDER/NAME_u8.tflite and FOLDER/NAME_i8.tflite of each operator of
networks/operators.py that has the type (or of the named ones). Needs numpy and flatbuffers.
"""

import sys

from networks import operators


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    folder, names = sys.argv[1], sys.argv[2:]
    unknown = set(names) - {name for name, _ in operators.MAKERS}
    if unknown:
        sys.exit(f"make_operators.py: no operator {', '.join(sorted(unknown))}")
    for name, kind in operators.MAKERS:
        if not names or name in names:
            with open(f"{folder}/{name}_{kind}.tflite", "wb") as file:
                file.write(operators.make(name, kind))


if __name__ == "__main__":
    main()
