#!/usr/bin/python3
"""Writes the networks that measurements use:

    make_networks.py [--onnx] [--int16] FOLDER [NAME...]

makes FOLDER/NAME_f32.tflite and FOLDER/NAME_int8.tflite of each network of networks/architectures.py
(or of the named ones), and with --onnx the same as .onnx files, with the same weights; with --int16
FOLDER/NAME_int16.tflite as well, of int16 values and int8 weights. Needs numpy, flatbuffers and, for
--onnx, onnx.
"""

import sys

from networks import architectures, tflite_writer

FLOAT_ONLY = {"lstm", "dense", "chain"}


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def main():
    words = sys.argv[1:]
    with_onnx, with_shorts = "--onnx" in words, "--int16" in words
    words = [word for word in words if word not in ("--onnx", "--int16")]
    if not words or words[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    folder, names = words[0], words[1:]
    for make in architectures.ALL:
        graph = make()
        if names and graph.name not in names:
            continue
        graph.calibrate()
        for kind in ["f32"] if graph.name in FLOAT_ONLY else ["f32", "int8"]:
            path = f"{folder}/{graph.name}_{kind}"
            write(path + ".tflite", tflite_writer.Writer(graph, kind).bytes())
            if with_onnx:
                from networks import onnx_writer
                write(path + ".onnx", onnx_writer.Writer(graph, kind == "int8").bytes())
        if with_shorts and graph.name not in FLOAT_ONLY:
            data = tflite_writer.Writer(graph, "int16").bytes()
            write(f"{folder}/{graph.name}_int16.tflite", data)


if __name__ == "__main__":
    main()
