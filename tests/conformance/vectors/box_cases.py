"""Cases of the operations on boxes."""
import numpy as np

from .cases import INTERNAL, ZERO_SIZED, Case, Const, Input, failing, real, vectors
from .kinds import F16, F32, I32, q16_asymm, q16_symm, q8, q8s

BOXES = q16_asymm(0.125)

# (word, scores or heat maps, deltas, boxes): what goes together.
BOX_KINDS = [('f32', F32, F32, F32), ('f16', F16, F16, F16),
             ('q8', q8(1 / 64, 3), q8(0.05, 128), BOXES),
             ('q8s', q8s(1 / 64, -125), q8s(0.05, 0), BOXES)]


@vectors('AXIS_ALIGNED_BBOX_TRANSFORM')
def transform_cases(op):
    rois = [[2, 1, 10, 7], [0, 0, 4.5, 12], [5, 3, 15.5, 8]]
    for word, _, deltas, boxes in BOX_KINDS:
        def inputs(classes, boxes=boxes, deltas=deltas):
            return [Input(boxes, [3, 4], rois),
                    Input(deltas, [3, 4 * classes], span=(-0.75, 0.75)),
                    Input(I32, [3], [0, 0, 1]), Input(boxes, [2, 2], [[12, 14], [9, 20]])]
        yield Case(f'{word}_one_class', inputs(1), [boxes])
        yield Case(f'{word}_two_classes', inputs(2), [boxes])
        if boxes.is_float:
            yield Case(f'{word}_zero_sized', inputs(2), [boxes], via=ZERO_SIZED,
                       via_inputs=(0, 1, 2))
    inputs = [Input(F32, [2, 4], [[0, 0, 4, 4], [1, 1, 2, 3]]), Input(F32, [2, 4], span=(-1, 1)),
              Input(I32, [2], [0, 0]), Input(F32, [1, 2], [9, 9])]
    yield Case('f32_relaxed_internal', inputs, [F32], relaxed=True, via=INTERNAL)
    yield failing('corners_in_the_wrong_order',
                  [Input(F32, [2, 4], [[4, 0, 0, 4], [1, 1, 2, 3]]), *inputs[1:]], [F32], [2, 4])
    yield failing('image_too_large', inputs[:2] + [Input(I32, [2], [0, 1]), inputs[3]], [F32],
                  [2, 4])
    yield failing('negative_image', inputs[:2] + [Input(I32, [2], [0, -1]), inputs[3]], [F32],
                  [2, 4])
    yield failing('deltas_of_another_count', [inputs[0], Input(F32, [3, 4]), *inputs[2:]], [F32],
                  [2, 4])


# ---- BOX_WITH_NMS_LIMIT --------------------------------------------------------------------------

HARD, LINEAR, GAUSSIAN = range(3)
ROIS = np.array([[0, 0, 8, 8], [1, 0, 9, 8], [4, 0, 12, 8], [20, 20, 30, 28], [21, 20, 31, 28],
                 [2, 1, 10, 9]])
SCORES = np.array([[5, 50, 30], [3, 58, 21], [9, 41, 33], [1, 35, 55], [2, 47, 39],
                   [7, 54, 44]]) / 64
IMAGES = [0, 0, 0, 0, 2, 2]


def nms_inputs(scores, boxes, kernel=HARD, limit=-1, threshold=0.375, rows=6):
    """Three classes, each with its boxes moved to the right by its number."""
    places = np.concatenate([ROIS + [c, 0, c, 0] for c in range(3)], axis=1)[:rows]
    numbers = [real(scores, v) for v in (threshold, 0.5, 0.75, 0.25)]
    return [Input(scores, [rows, 3], SCORES[:rows]), Input(boxes, [rows, 12], places),
            Input(I32, [rows], IMAGES[:rows]), numbers[0], limit, kernel, *numbers[1:]]


@vectors('BOX_WITH_NMS_LIMIT')
def box_with_nms_limit_cases(op):
    for word, scores, _, boxes in BOX_KINDS:
        outputs = [scores, boxes, I32, I32]
        for name, kernel in [('hard', HARD), ('linear', LINEAR), ('gaussian', GAUSSIAN)]:
            yield Case(f'{word}_{name}', nms_inputs(scores, boxes, kernel), outputs)
            yield Case(f'{word}_{name}_limited', nms_inputs(scores, boxes, kernel, 2), outputs)
        yield Case(f'{word}_all_rejected', nms_inputs(scores, boxes, threshold=1.5), outputs)
        if boxes.is_float:
            yield Case(f'{word}_zero_sized', nms_inputs(scores, boxes), outputs, via=ZERO_SIZED,
                       via_inputs=(0, 1, 2))
    inputs, outputs = nms_inputs(F32, F32), [F32, F32, I32, I32]
    yield Case('f32_relaxed', inputs, outputs, relaxed=True)
    yield failing('corners_in_the_wrong_order', [inputs[0], Input(F32, [6, 12], [9, 1, 2, 3] * 18),
                                                 *inputs[2:]], outputs, [1])
    yield failing('unknown_kernel', inputs[:5] + [3, *inputs[6:]], outputs, [1])
    yield failing('boxes_of_another_count', [inputs[0], Input(F32, [6, 8]), *inputs[2:]], outputs,
                  [1])


# ---- GENERATE_PROPOSALS --------------------------------------------------------------------------


def proposal_inputs(kinds, nchw=False, before=-1, after=-1, batch=2):
    _, scores, deltas, boxes = kinds
    anchors = q16_symm(0.125) if boxes is BOXES else boxes
    height, width, count = 2, 2, 2
    numbers = np.array([(11 * i) % 17 + 4 for i in range(batch * height * width * count)]) / 32
    score_dims, delta_dims = ([batch, n, height, width] if nchw else [batch, height, width, n]
                              for n in (count, 4 * count))
    sizes = np.array([[16, 18], [15, 20]])[:batch]
    return [Input(scores, score_dims, numbers), Input(deltas, delta_dims, span=(-0.75, 0.75)),
            Const(anchors, [2, 4], [[0, 1, 5, 4], [-1, -2, 3, 6]]),
            Input(boxes, [batch, 2], sizes), real(scores, 8.0), real(scores, 9.0), before, after,
            real(scores, 0.25), real(scores, 1.0625), nchw]


@vectors('GENERATE_PROPOSALS')
def generate_proposals_cases(op):
    for kinds in BOX_KINDS:
        word, scores, _, boxes = kinds
        outputs = [scores, boxes, I32]
        yield Case(f'{word}_nhwc', proposal_inputs(kinds), outputs)
        yield Case(f'{word}_nchw', proposal_inputs(kinds, True), outputs)
        yield Case(f'{word}_few_before', proposal_inputs(kinds, before=4), outputs)
        yield Case(f'{word}_few_after', proposal_inputs(kinds, after=2), outputs)
    inputs, outputs = proposal_inputs(BOX_KINDS[0], batch=1), [F32, F32, I32]
    yield Case('f32_relaxed_internal', inputs, outputs, relaxed=True, via=INTERNAL)
    yield failing('deltas_of_another_count', [inputs[0], Input(F32, [1, 2, 2, 4]), *inputs[2:]],
                  outputs, [1])


# ---- DETECTION_POSTPROCESSING --------------------------------------------------------------------


def detection_inputs(kind, regular, most=3, per_detection=1, per_class=2, background=False,
                     values=4):
    anchors = [[0.5, 0.5, 1, 1], [0.5, 0.75, 1, 1], [0.5, 10.5, 1, 1], [0.5, 10.25, 1, 1],
               [0.5, 100.5, 1, 1]]
    scores = np.array([[0, 58, 50], [0, 48, 46], [0, 38, 33], [0, 61, 20], [0, 12, 27]]) / 64
    return [Input(kind, [1, 5, 3], scores), Input(kind, [1, 5, values], span=(-0.5, 0.5)),
            Input(kind, [5, 4], anchors), *[real(kind, v) for v in (10.0, 10.0, 5.0, 5.0)], regular,
            most, per_detection, per_class, real(kind, 0.25), real(kind, 0.4375), background]


@vectors('DETECTION_POSTPROCESSING')
def detection_cases(op):
    for word, kind in [('f32', F32), ('f16', F16)]:
        outputs = [kind, kind, I32, I32]
        for name, regular, options in [
                ('regular', True, {}), ('fast', False, {}),
                ('regular_more_slots', True, dict(most=8, per_class=9)),
                ('fast_two_classes', False, dict(per_detection=2)),
                ('regular_background_counts', True, dict(background=True)),
                ('long_deltas', False, dict(values=6))]:
            yield Case(f'{word}_{name}', detection_inputs(kind, regular, **options), outputs)
    inputs, outputs = detection_inputs(F32, True), [F32, F32, I32, I32]
    yield Case('f32_relaxed', inputs, outputs, relaxed=True)
    yield failing('no_detections', detection_inputs(F32, True, most=0), outputs, [1])
    yield failing('no_classes', detection_inputs(F32, False, per_detection=0), outputs, [1])
    yield failing('anchors_of_another_count', inputs[:2] + [Input(F32, [4, 4]), *inputs[3:]],
                  outputs, [1])


# ---- HEATMAP_MAX_KEYPOINT ------------------------------------------------------------------------


def heatmaps(kind, dims):
    """All elements of a map differ."""
    count = int(np.prod(dims))
    return Input(kind, dims, np.array([(23 * i) % (count + 1 - count % 2) - count // 2
                                       for i in range(count)]) / 4)


@vectors('HEATMAP_MAX_KEYPOINT')
def heatmap_cases(op):
    regions = [[5, 2, 10, 20], [1, 7, 30, 10.5]]
    for word, heat, out, points in [
            ('f32', F32, F32, F32), ('f16', F16, F16, F16),
            ('q8', q8(0.25, 128), q8(0.3, 100), BOXES),
            ('q8s', q8s(0.25, 0), q8s(0.3, -20), BOXES)]:
        rois = Input(points, [2, 4], regions)
        yield Case(f'{word}_nhwc', [heatmaps(heat, [2, 3, 3, 2]), rois, False], [out, points])
        yield Case(f'{word}_nchw', [heatmaps(heat, [2, 2, 3, 3]), rois, True], [out, points])
        yield Case(f'{word}_larger', [heatmaps(heat, [2, 1, 5, 5]), rois, True], [out, points])
        yield Case(f'{word}_smallest', [heatmaps(heat, [2, 2, 2, 1]), rois, False], [out, points])
    flat = Input(F32, [1, 1, 3, 3], [1, 1, 1, 1, 1, 1, 1, 1, 1])
    roi = Input(F32, [1, 4], [0, 0, 6, 9])
    yield Case('f32_flat', [flat, roi, True], [F32, F32])
    yield Case('f32_relaxed', [heatmaps(F32, [1, 3, 3, 1]), roi, False], [F32, F32], relaxed=True)
    yield failing('not_square', [heatmaps(F32, [1, 3, 4, 1]), roi, False], [F32, F32], [1, 1])
    yield failing('one_pixel', [heatmaps(F32, [1, 1, 1, 1]), roi, False], [F32, F32], [1, 1])
    yield failing('corners_in_the_wrong_order',
                  [flat, Input(F32, [1, 4], [6, 0, 0, 9]), True], [F32, F32], [[1, 1], [1, 1, 2]])
