"""Boxes: their overlap, non-maximum suppression and the operations that choose among them."""
import numpy as np

from .evaluate import Raw, operation

HARD = -1


def overlap(p, q):
    """Intersection over union of two boxes (x1, y1, x2, y2); NaN of two empty ones."""
    width = max(0.0, min(p[2], q[2]) - max(p[0], q[0]))
    height = max(0.0, min(p[3], q[3]) - max(p[1], q[1]))
    shared = width * height
    areas = [(b[2] - b[0]) * (b[3] - b[1]) for b in (p, q)]
    union = sum(areas) - shared
    return shared / union if union else np.nan


def suppress(candidates, scores, boxes, limit, keep):
    """
    Greedy: the first candidate of the best score is chosen, `keep` says of the others whether they
    stay and may lower their score. Those discarded change places with the last one left, which
    decides among equal scores. `limit` below zero: none.
    """
    left, chosen = list(candidates), []
    while left and (limit < 0 or len(chosen) < limit):
        best = max(range(len(left)), key=lambda i: scores[left[i]])
        left[0], left[best] = left[best], left[0]
        winner = left.pop(0)
        chosen.append(winner)
        i = 0
        while i < len(left):
            if keep(left[i], overlap(boxes[winner], boxes[left[i]])):
                i += 1
            else:
                left[i] = left[-1]
                left.pop()
    return chosen


def hard(threshold):
    return lambda index, shared: not shared >= threshold


def moved(boxes, deltas, sizes):
    """Boxes by their deltas (dx, dy, dw, dh), cut to an image of (height, width)."""
    size = boxes[..., 2:] - boxes[..., :2]
    centre = (boxes[..., :2] + boxes[..., 2:]) / 2 + deltas[..., :2] * size
    extent = np.exp(deltas[..., 2:]) * size / 2
    limits = sizes[..., [1, 0]]
    return np.concatenate([np.clip(centre - extent, 0, limits),
                           np.clip(centre + extent, 0, limits)], axis=-1)


@operation('AXIS_ALIGNED_BBOX_TRANSFORM', 3)
def axis_aligned_bbox_transform(call):
    rois = call.real(0)[:, None]
    deltas = call.real(1)
    classes = deltas.shape[1] // 4
    sizes = call.real(3)[call.raw(2)][:, None]
    boxes = moved(rois, deltas.reshape(-1, classes, 4), sizes)
    return boxes.reshape(deltas.shape)


# ---- BOX_WITH_NMS_LIMIT --------------------------------------------------------------------------


def soft(scores, kernel, threshold, sigma, lowest):
    def keep(index, shared):
        if kernel == 0:
            scores[index] *= shared < threshold
        elif kernel == 1:
            scores[index] *= 1 if shared < threshold else 1 - shared
        else:
            scores[index] *= np.exp(-shared**2 / sigma)
        return not scores[index] < lowest
    return keep


def image_runs(images):
    """(number of the image, range of rows) in order."""
    start = 0
    for row in range(1, len(images) + 1):
        if row == len(images) or images[row] != images[start]:
            yield images[start], range(start, row)
            start = row


@operation('BOX_WITH_NMS_LIMIT', 3)
def box_with_nms_limit(call):
    scores, images = call.real(0).copy(), call.raw(2)
    threshold, limit, kernel, iou, sigma, lowest = (call.number(i) for i in range(3, 9))
    boxes = call.real(1).reshape(*scores.shape, 4)
    chosen = []  # (class, row, image)
    for image, rows in image_runs(images):
        found = []
        for c in range(1, scores.shape[1]):
            candidates = [row for row in rows if scores[row, c] > threshold]
            keep = soft(scores[:, c], kernel, iou, sigma, lowest)
            found += [(c, row, image) for row in
                      suppress(candidates, scores[:, c], boxes[:, c], limit, keep)]
        found.sort(key=lambda f: -scores[f[1], f[0]])
        found = found if limit < 0 else found[:limit]
        chosen += sorted(found, key=lambda f: (f[0], -scores[f[1], f[0]]))
    classes, rows, images = (np.array([f[i] for f in chosen], np.int64) for i in range(3))
    raw_boxes = call.raw(1).reshape(*scores.shape, 4)
    return scores[rows, classes], Raw(raw_boxes[rows, classes]), Raw(classes), Raw(images)


# ---- GENERATE_PROPOSALS --------------------------------------------------------------------------


@operation('GENERATE_PROPOSALS', 3)
def generate_proposals(call):
    scores, deltas = (v.transpose(0, 2, 3, 1) if call.number(10) else v
                      for v in (call.real(0), call.real(1)))
    infos = call.real(3)
    picked = [proposals(call, *image) for image in zip(scores, deltas, infos)]
    images = [np.full(len(part), i) for i, (part, _) in enumerate(picked)]
    return (np.concatenate([part for part, _ in picked]),
            np.concatenate([boxes for _, boxes in picked]), Raw(np.concatenate(images)))


def proposals(call, scores, deltas, info):
    """Scores and boxes of one image, best first."""
    ratio_h, ratio_w, before, after, threshold, smallest = (call.number(i) for i in range(4, 10))
    height, width, count = scores.shape
    y, x = np.meshgrid(np.arange(height) * ratio_h, np.arange(width) * ratio_w, indexing='ij')
    anchors = np.stack([x, y, x, y], axis=-1)[:, :, None] + call.real(2)
    boxes = moved(anchors, deltas.reshape(height, width, count, 4), info).reshape(scores.size, 4)
    scores = scores.ravel()
    order = np.arange(len(scores))
    if 0 < before < len(scores):
        order = np.argsort(-scores, kind='stable')[:before]
    candidates = [i for i in order if is_large_enough(boxes[i], smallest, info)]
    chosen = suppress(candidates, scores, boxes, after, hard(threshold))
    return scores[chosen], boxes[chosen].reshape(len(chosen), 4)


def is_large_enough(box, smallest, info):
    size = box[2:] - box[:2]
    centre = box[:2] + size / 2
    return (size > smallest).all() and (centre < info[::-1]).all()


# ---- DETECTION_POSTPROCESSING --------------------------------------------------------------------


@operation('DETECTION_POSTPROCESSING', 3)
def detection_postprocessing(call):
    regular, most, per_detection = call.number(7), call.number(8), call.number(9)
    scores, deltas, anchors = (call.real(i) for i in range(3))
    scales = np.array([call.number(i) for i in range(3, 7)])
    count = most if regular else most * per_detection
    results = np.zeros((len(scores), count)), np.zeros((len(scores), count, 4))
    labels, found = np.zeros((len(scores), count), int), np.zeros(len(scores), int)
    for n, (image_scores, image_deltas) in enumerate(zip(scores, deltas)):
        boxes = decoded(image_deltas[:, :4] / scales, anchors)
        pick = by_class if regular else by_anchor
        chosen = pick(call, image_scores, boxes)
        found[n] = len(chosen)
        for slot, (anchor, c) in enumerate(chosen):
            results[0][n, slot] = image_scores[anchor, c]
            results[1][n, slot] = boxes[anchor]
            labels[n, slot] = c - (0 if call.number(13) else 1)
    return *results, Raw(labels), Raw(found)


def decoded(deltas, anchors):
    """Boxes (y1, x1, y2, x2) of anchors (cy, cx, h, w)."""
    centre = anchors[:, :2] + anchors[:, 2:] * deltas[:, :2]
    extent = anchors[:, 2:] * np.exp(deltas[:, 2:]) / 2
    return np.concatenate([centre - extent, centre + extent], axis=1)


def by_class(call, scores, boxes):
    threshold, iou = call.number(11), call.number(12)
    found = []
    for c in range(1, scores.shape[1]):
        candidates = [a for a in range(len(scores)) if scores[a, c] > threshold]
        found += [(a, c) for a in suppress(candidates, scores[:, c], boxes, call.number(10),
                                           hard(iou))]
    return sorted(found, key=lambda f: -scores[f])[:call.number(8)]


def by_anchor(call, scores, boxes):
    threshold, iou, each = call.number(11), call.number(12), call.number(9)
    best = scores[:, 1:].max(axis=1)
    candidates = [a for a in range(len(scores)) if best[a] > threshold]
    chosen = suppress(candidates, best, boxes, call.number(8), hard(iou))
    return [(a, c + 1) for a in chosen
            for c in np.argsort(-scores[a, 1:], kind='stable')[:each]]


# ---- HEATMAP_MAX_KEYPOINT ------------------------------------------------------------------------


@operation('HEATMAP_MAX_KEYPOINT', 3)
def heatmap_max_keypoint(call):
    maps = call.real(0)
    maps = maps if call.number(2) else maps.transpose(0, 3, 1, 2)
    smallest = 1e-3 if call.kind(0).is_half else 1e-5
    scores, points = np.zeros(maps.shape[:2]), np.zeros((*maps.shape[:2], 2))
    for r, box in enumerate(call.real(1)):
        for j, heat in enumerate(maps[r]):
            scores[r, j], place = peak(heat, smallest)
            points[r, j] = box[:2] + place / len(heat) * (box[2:] - box[:2])
    return scores, points


def peak(heat, smallest):
    """The maximum of the parabola through the largest element and its neighbours: score, (x, y)."""
    py, px = np.unravel_index(heat.argmax(), heat.shape)
    padded = np.pad(heat, 1, mode='reflect')
    g = padded[py:py + 3, px:px + 3]
    b = -np.array([g[1, 2] - g[1, 0], g[2, 1] - g[0, 1]]) / 2
    mixed = (g[2, 2] - g[2, 0] - g[0, 2] + g[0, 0]) / 4
    a = np.array([[g[1, 0] - 2 * g[1, 1] + g[1, 2], mixed],
                  [mixed, g[0, 1] - 2 * g[1, 1] + g[2, 1]]])
    determinant = a[0, 0] * a[1, 1] - mixed**2
    middle = np.array([px, py]) + 0.5
    if abs(determinant) < smallest + smallest * a[0, 0] * a[1, 1]:
        return g[1, 1], middle
    d = np.array([a[1, 1] * b[0] - mixed * b[1], a[0, 0] * b[1] - mixed * b[0]]) / determinant
    d *= min(1, 1.5 / max(abs(d).max(), 1e-30))
    return g[1, 1] - b @ d + d @ a @ d / 2, middle + d
