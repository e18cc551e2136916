"""Grey PGM images: a line of text and the bytes, for programs that have no reader of PNG."""


def write(path, image):
    """`image` is uint8 [height, width]."""
    height, width = image.shape
    path.write_bytes(b"P5 %d %d 255\n" % (width, height) + image.tobytes())
