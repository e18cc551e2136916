#include "cpu_fallback/kernels/detection.h"
#include "guarded.h"
#include "tests/kit/test.h"

#include <string.h>

/* DETECTION_POSTPROCESSING in memory that ends where the room for its detections does. */

enum { ANCHORS = 5, CLASSES = 4, FOUND_SLOT = 0, BOXES_SLOT = 1 };

static size_t find(const struct hy_postprocessing *post, const float *scores, const float *deltas,
                   const float *anchors, const struct hy_postprocessing_lists *lists)
{
    const struct hy_stored_rows delta_rows = {deltas, HY_ELEMENT_F32, 4, 4, 1, 0};
    const struct hy_stored_rows anchor_rows = {anchors, HY_ELEMENT_F32, 4, 4, 1, 0};

    return hy_detection_postprocessing(post, scores, &delta_rows, &anchor_rows, lists);
}

/* Anchors that do not overlap, and scores above the threshold for all: nothing is suppressed. */
static size_t find_all(const struct hy_postprocessing *post)
{
    static const float deltas[ANCHORS][4];
    float scores[ANCHORS][CLASSES], anchors[ANCHORS][4];
    const size_t capacity = (size_t)hy_detection_postprocessing_capacity(post);
    struct hy_detection candidates[ANCHORS], ranking[CLASSES];
    struct hy_detection *found = guarded_alloc(FOUND_SLOT, capacity * sizeof *found, 0);
    struct hy_box *boxes = guarded_alloc(BOXES_SLOT, capacity * sizeof *boxes, 0);
    const struct hy_postprocessing_lists lists = {candidates, ranking, found, boxes};

    for (int a = 0; a < ANCHORS; a++) {
        anchors[a][0] = anchors[a][1] = (float)(4 * a);
        anchors[a][2] = anchors[a][3] = 1;
        for (int c = 0; c < CLASSES; c++)
            scores[a][c] = 0.5f + 0.01f * (float)(CLASSES * a + c);
    }
    const size_t count = find(post, *scores, *deltas, *anchors, &lists);
    for (size_t i = 0; i < count; i++)
        EXPECT(found[i].label >= 1 && found[i].label < CLASSES && found[i].box < capacity);
    EXPECT(guarded_front_is_intact(FOUND_SLOT) && guarded_front_is_intact(BOXES_SLOT));
    return count;
}

static struct hy_postprocessing make(bool regular)
{
    return (struct hy_postprocessing){.images = 1,
                                      .anchors = ANCHORS,
                                      .classes = CLASSES,
                                      .delta_length = 4,
                                      .scale_y = 1,
                                      .scale_x = 1,
                                      .scale_h = 1,
                                      .scale_w = 1,
                                      .regular = regular,
                                      .limit = 100,
                                      .iou_threshold = 0.5f};
}

TEST(kernels_postprocessing, room_for_what_each_class_leaves_over)
{
    struct hy_postprocessing post = make(true);

    post.limit_per_class = 3;
    EXPECT_INT(hy_detection_postprocessing_capacity(&post), 3 * (CLASSES - 1));
    EXPECT_INT(find_all(&post), 3 * (CLASSES - 1));
    post.limit_per_class = 100;
    EXPECT_INT(find_all(&post), ANCHORS * (CLASSES - 1));
}

TEST(kernels_postprocessing, room_for_the_classes_of_each_anchor)
{
    struct hy_postprocessing post = make(false);

    post.classes_each = 2;
    EXPECT_INT(hy_detection_postprocessing_capacity(&post), 2 * ANCHORS);
    EXPECT_INT(find_all(&post), 2 * ANCHORS);
    post.classes_each = 100;
    EXPECT_INT(find_all(&post), ANCHORS * (CLASSES - 1));
    post.limit = 1;
    EXPECT_INT(hy_detection_postprocessing_capacity(&post), CLASSES - 1);
    EXPECT_INT(find_all(&post), CLASSES - 1);
}

/* In both ways: of anchors with equal scores the first is best, and the others overlap it. */
TEST(kernels_postprocessing, chooses_the_first_of_equals_and_decodes_its_box)
{
    static const float deltas[ANCHORS][4];
    float scores[ANCHORS][CLASSES], anchors[ANCHORS][4];

    for (int a = 0; a < ANCHORS; a++) {
        memcpy(scores[a], (const float[]){0.9f, 0.1f, a == 0 ? 0.5f : 0.6f, 0.2f}, sizeof *scores);
        memcpy(anchors[a], (const float[]){7 + 0.125f * (float)a, 8, 2, 4}, sizeof *anchors);
    }
    for (int regular = 0; regular < 2; regular++) {
        struct hy_detection candidates[ANCHORS], ranking[CLASSES], found[ANCHORS * CLASSES];
        struct hy_box boxes[ANCHORS * CLASSES];
        const struct hy_postprocessing_lists lists = {candidates, ranking, found, boxes};
        struct hy_postprocessing post = make(regular);
        post.score_threshold = 0.4f;
        post.limit_per_class = ANCHORS;
        post.classes_each = 1;
        EXPECT_INT(find(&post, *scores, *deltas, *anchors, &lists), 1);
        EXPECT(found[0].label == 2 && found[0].score == 0.6f);
        const struct hy_box *box = &boxes[found[0].box];
        EXPECT(box->x1 == 6.125f && box->y1 == 6 && box->x2 == 8.125f && box->y2 == 10);
    }
}
