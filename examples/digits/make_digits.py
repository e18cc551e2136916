#!/usr/bin/python3
"""Draws digits, trains a small network on them, and writes it with samples and a test set.

    ./make_digits.py [FOLDER]        (default: the folder of this script; about two minutes)

Needs Python 3 and numpy. The same numpy and BLAS give the same bytes, run after run.
"""

import json
import os
import pathlib
import sys
from dataclasses import dataclass

# numpy picks its loops by processor, and they round differently: keep to those all x86-64 have.
WIDE_LOOPS = (
    "SSSE3 SSE41 POPCNT SSE42 AVX F16C FMA3 AVX2 "
    "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
)
os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", WIDE_LOOPS)
sys.dont_write_bytecode = True

import numpy as np  # noqa: E402

from maker import network, pgm, png, quantise, strokes, tflite, train  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SEED = {"train": 101, "validation": 202, "weights": 303}
TRAIN_COUNT, VALIDATION_COUNT, CALIBRATION_COUNT = 16000, 2000, 1000
# Name, seed, images to measure, how many of them the test set's files get, styles, deformation.
TEST_PARTS = (
    ("familiar", 404, 2000, 300, strokes.KNOWN, 1),
    ("unseen styles", 505, 1000, 100, strokes.UNSEEN, 1),
    ("stronger", 606, 1000, 100, strokes.KNOWN, 1.6),
)
TEST_FILES = {
    "images": "test_images.bin",
    "labels": "test_labels.bin",
    "outputs": "test_outputs.bin",
}
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def say(text):
    print(text, flush=True)


def run_int8(net, images, batch=250):
    starts = range(0, len(images), batch)
    return np.concatenate([quantise.run(net, images[i : i + batch]) for i in starts])


def confusions(labels, answers, most=4):
    """The commonest mistakes: [times, drawn, read]."""
    table = np.zeros((10, 10), int)
    np.add.at(table, (labels, answers), 1)
    np.fill_diagonal(table, 0)
    found = [[int(table[a, b]), int(a), int(b)] for a, b in np.argwhere(table)]
    return sorted(found, key=lambda mistake: -mistake[0])[:most]


@dataclass
class Part:
    """A part of the test set, and what the two networks make of it."""

    name: str
    kept: int
    images: np.ndarray
    labels: np.ndarray
    outputs: np.ndarray  # of the int8 network
    right_float: np.ndarray  # yes or no per image
    right_int8: np.ndarray


def measure(parameters, net):
    parts = []
    for name, seed, count, kept, styles, strength in TEST_PARTS:
        images, labels = strokes.make_set(seed, count, styles, strength)
        outputs = run_int8(net, images)
        right_float = network.classify(parameters, images).argmax(1) == labels
        right_int8 = outputs.argmax(1) == labels
        parts.append(Part(name, kept, images, labels, outputs, right_float, right_int8))
        say(f"{name}: {count} images, right: float {right_float.sum()}, int8 {right_int8.sum()}")
        say(f"  commonest mistakes [times, drawn, read]: {confusions(labels, outputs.argmax(1))}")
    return parts


def write_test_set(folder, parts):
    """The first images of each part in one file; returns what expected.json says about it."""
    for key, file in TEST_FILES.items():
        data = b"".join(getattr(part, key)[: part.kept].tobytes() for part in parts)
        (folder / file).write_bytes(data)
    facts, first = [], 0
    for part in parts:
        facts.append({
            "name": part.name,
            "first": first,
            "count": part.kept,
            "right_float": int(part.right_float[: part.kept].sum()),
            "right_int8": int(part.right_int8[: part.kept].sum()),
        })
        first += part.kept
    return {**TEST_FILES, "parts": facts}


def write_samples(folder, parts):
    """A PNG per digit: the first of the familiar part, and a few of the others; the former also as
    PGM."""
    familiar, unseen, stronger = parts
    chosen = [(f"{NAMES[k]}.png", familiar, k) for k in range(10)]
    chosen += [(f"{NAMES[k]}_unseen_style.png", unseen, k) for k in (0, 2, 7)]
    chosen += [(f"{NAMES[k]}_stronger.png", stronger, k) for k in (3, 5)]
    for k in np.flatnonzero(~stronger.right_int8)[:1]:
        chosen.append((f"{NAMES[stronger.labels[k]]}_misread.png", stronger, k))
    facts = []
    for file, part, index in chosen:
        png.write(folder / file, part.images[index])
        if part is familiar:
            pgm.write((folder / file).with_suffix(".pgm"), part.images[index])
        label, output = int(part.labels[index]), part.outputs[index].tolist()
        facts.append({"file": file, "label": label, "part": part.name, "output": output})
    return facts


def write_sheet(path, parts, scale=3):
    """One picture for people: four rows of each part, a column per digit."""
    rows = [part.images[:40].reshape(4, 10, 28, 28) for part in parts]
    sheet = np.concatenate(rows).transpose(0, 2, 1, 3).reshape(-1, 280)
    png.write(path, np.kron(sheet, np.ones((scale, scale), np.uint8)))


def write_expected(folder, images, test_set):
    """A line per image and per part, for people."""
    rows = ",\n    ".join(json.dumps(image) for image in images)
    parts = ",\n      ".join(json.dumps(part) for part in test_set.pop("parts"))
    files = json.dumps(test_set)[1:-1]
    (folder / "expected.json").write_text(
        '{\n  "model": "digits.tflite",\n'
        f'  "images": [\n    {rows}\n  ],\n'
        f'  "test_set": {{\n    {files},\n    "parts": [\n      {parts}\n    ]\n  }}\n}}\n'
    )


def write_models(folder, parameters, net):
    in_float = tflite.float_model(parameters, "Handwritten-style digits, float32")
    in_int8 = tflite.int8_model(net, "Handwritten-style digits, int8")
    (folder / "digits_float.tflite").write_bytes(in_float)
    (folder / "digits.tflite").write_bytes(in_int8)


def write_weights(path, parameters):
    """Weights and bias of each node that has some, as little-endian float32 with nothing between."""
    data = [each.astype("<f4").tobytes() for own in parameters if own for each in own]
    path.write_bytes(b"".join(data))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE)
    folder.mkdir(parents=True, exist_ok=True)
    say("drawing")
    images, labels = strokes.make_set(SEED["train"], TRAIN_COUNT)
    validation = strokes.make_set(SEED["validation"], VALIDATION_COUNT)
    parameters = train.train(SEED["weights"], images, labels, validation, say)
    net = quantise.quantise(parameters, images[:CALIBRATION_COUNT])
    write_models(folder, parameters, net)
    write_weights(folder / "digits_float_weights.bin", parameters)
    parts = measure(parameters, net)
    write_expected(folder, write_samples(folder, parts), write_test_set(folder, parts))
    write_sheet(folder / "sheet.png", parts)
    (folder / "labels.txt").write_text("".join(f"{digit}\n" for digit in range(10)))


if __name__ == "__main__":
    main()
