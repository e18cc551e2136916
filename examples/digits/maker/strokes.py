"""Handwritten-style digits, drawn from strokes.

A style is a tuple of strokes, a stroke is a list of points "x,y" in a box of 100 x 100, x to the
right and y down. `curve` strokes are smooth through their points (Catmull-Rom), `line` strokes are
not.
Only +, -, *, / and square roots touch the pixels, so an image does not depend on a maths library.
"""

import math

import numpy as np

SIDE = 28  # pixels, both ways


def points(text):
    """In a box of 1 x 1."""
    return np.array([pair.split(",") for pair in text.split()], np.float64) / 100


def line(text):
    return "line", points(text)


def curve(text):
    return "curve", points(text)


OVAL = "50,0 12,20 5,60 30,97 70,97 95,60 88,20 50,0"
LOOP = "90,20 50,0 10,25 40,50 85,35"

# Styles the network is trained on.
KNOWN = {
    0: (
        (curve(OVAL),),
        (curve("50,0 25,30 25,70 50,100 75,70 75,30 50,0"),),
        (curve("60,8 20,10 5,60 40,100 90,70 80,15 40,0"),),
    ),
    1: (
        (line("50,0 50,100"),),
        (line("20,25 55,0 55,100"),),
        (line("25,20 50,0 50,100"), line("20,100 80,100")),
    ),
    2: (
        (curve("8,25 45,0 85,25 55,60 5,100"), line("5,100 95,100")),
        (curve("10,20 50,0 85,30 50,75 12,95 15,75 50,90 95,95"),),
    ),
    3: (
        (curve("10,10 55,0 85,22 40,47"), curve("40,47 92,70 60,100 5,90")),
        (line("10,0 85,0 40,40"), curve("40,40 90,60 70,97 8,92")),
    ),
    4: (
        (line("30,0 5,60 95,60"), line("70,20 70,100")),
        (line("70,100 70,0 5,65 95,65"),),
    ),
    5: (
        (line("20,0 15,45"), curve("15,45 60,40 90,70 55,100 5,92"), line("20,0 85,0")),
        (line("85,0 20,3 12,50"), curve("12,50 55,38 92,65 60,98 10,95")),
    ),
    6: (
        (curve("75,0 25,35 10,75 50,100 88,75 55,52 15,70"),),
        (line("50,0 12,65"), curve("12,65 40,100 90,80 55,50 12,70")),
    ),
    7: (
        (line("5,0 92,0 40,100"),),
        (line("5,0 92,0 40,100"), line("30,50 88,50")),
        (line("5,5 90,0"), curve("90,0 55,45 45,100")),
    ),
    8: (
        (curve("85,15 50,0 15,20 50,48 88,78 50,100 10,78 50,48 85,15"),),
        (
            curve("50,0 15,23 50,46 85,23 50,0"),
            curve("50,46 8,73 50,100 92,73 50,46"),
        ),
    ),
    9: (
        (curve(LOOP), line("88,10 82,100")),
        (curve(LOOP), curve("88,10 85,60 60,98 15,92")),
    ),
}

# Styles kept for the test: no training or validation image is drawn from them.
UNSEEN = {
    0: ((curve(OVAL), line("15,85 85,15")),),
    1: ((line("50,0 50,100"), line("15,100 85,100")),),
    2: ((line("8,3 90,3 8,100 95,100"),),),
    3: ((curve("10,12 60,0 80,28 45,50 32,45 50,42 90,70 55,100 5,88"),),),
    4: ((curve("15,0 10,40 40,52 85,40"), line("88,0 82,100")),),
    5: ((curve("90,5 40,2 15,25 55,48 88,75 50,100 5,90"),),),
    6: ((curve("85,12 50,0 12,35 12,80 50,100 85,78 50,58 30,75"),),),
    7: ((line("10,18 10,0 90,0 50,100"), line("35,50 85,45")),),
    8: ((curve("95,0 50,40 10,80 50,100 90,78 50,48 12,20 40,0 75,12"),),),
    9: ((curve(LOOP), line("92,5 45,100")),),
}


def catmull_rom(knots, steps=6):
    """Points along the smooth curve through `knots`."""
    p = np.concatenate([knots[:1], knots, knots[-1:]])
    t = (np.arange(steps) / steps)[:, None]
    pieces = []
    for a, b, c, d in zip(p, p[1:], p[2:], p[3:]):
        square, cube = 2 * a - 5 * b + 4 * c - d, 3 * b - a - 3 * c + d
        pieces.append(0.5 * (2 * b + (c - a) * t + square * t * t + cube * t * t * t))
    return np.concatenate(pieces + [knots[-1:]])


def affine(rng, strength):
    """A random 2 x 2 matrix: the size of the digit in pixels, then slant, then turn."""
    turn = math.radians(rng.uniform(-13, 13) * strength)
    slant = rng.uniform(-0.25, 0.25) * strength
    size = np.diag([13 * rng.uniform(0.75, 1.2), 20 * rng.uniform(0.8, 1.08)])
    rotate = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    return rotate @ np.array([[1.0, -slant], [0.0, 1.0]]) @ size


def segments(style, rng, strength):
    """Deform a style; returns the starts and ends of its segments, in pixels."""
    matrix = affine(rng, strength)
    centre = SIDE / 2 + rng.uniform(-1.7, 1.7, 2) * strength
    starts, ends = [], []
    for kind, knots in style:
        wobbly = knots + rng.normal(0, 0.045 * strength, knots.shape)
        path = catmull_rom(wobbly) if kind == "curve" else wobbly
        path = (path - 0.5) @ matrix.T + centre
        starts.append(path[:-1])
        ends.append(path[1:])
    return np.concatenate(starts), np.concatenate(ends)


PIXELS = np.stack(np.meshgrid(np.arange(SIDE) + 0.5, np.arange(SIDE) + 0.5), -1).reshape(-1, 1, 2)


def distance(starts, ends):
    """Distance of every pixel's centre from the nearest segment."""
    along = ends - starts
    length2 = np.maximum((along * along).sum(-1), 1e-9)
    offset = PIXELS - starts
    t = np.clip((offset * along).sum(-1) / length2, 0, 1)
    away = offset - t[..., None] * along
    return np.sqrt((away * away).sum(-1).min(1))


def draw(style, rng, strength):
    """One image, uint8 [SIDE, SIDE]: 0 is paper, 255 is ink."""
    starts, ends = segments(style, rng, strength)
    width = rng.uniform(1.3, 3.6) if strength == 1 else rng.uniform(1.0, 4.2)
    edge = rng.uniform(1.0, 1.8)  # pixels over which ink fades to paper
    ink = np.clip((width / 2 - distance(starts, ends)) / edge + 0.5, 0, 1) * rng.uniform(0.65, 1)
    noise = rng.normal(0, rng.uniform(0, 0.12) * strength, ink.shape)
    return np.rint(np.clip(ink + noise, 0, 1) * 255).astype(np.uint8).reshape(SIDE, SIDE)


def make_set(seed, count, styles=KNOWN, strength=1):
    """`count` images and their labels, ten digits in turn; the same seed makes the same set."""
    rng = np.random.Generator(np.random.PCG64(seed))
    labels = (np.arange(count) % 10).astype(np.uint8)
    chosen = (styles[k][rng.integers(len(styles[k]))] for k in labels)
    return np.stack([draw(style, rng, strength) for style in chosen]), labels
