#include "cpu_fallback/kernels/detection.h"
#include "guarded.h"
#include "test.h"

/* DETECTION_POSTPROCESSING in memory that ends where the room for its detections does. */

enum { ANCHORS = 5, CLASSES = 4, FOUND_SLOT = 0 };

/* Anchors that do not overlap, and scores above the threshold for all: nothing is suppressed. */
static size_t find_all(const struct hy_postprocessing *post)
{
    static const float deltas[ANCHORS][4];
    float scores[ANCHORS][CLASSES], anchors[ANCHORS][4];
    struct hy_box boxes[ANCHORS];
    struct hy_detection ranking[CLASSES];
    struct hy_detection *found =
        guarded_take(FOUND_SLOT, (size_t)hy_detection_postprocessing_room(post) * sizeof *found, 0);

    for (int a = 0; a < ANCHORS; a++) {
        anchors[a][0] = anchors[a][1] = (float)(4 * a);
        anchors[a][2] = anchors[a][3] = 1;
        for (int c = 0; c < CLASSES; c++)
            scores[a][c] = 0.5f + 0.01f * (float)(CLASSES * a + c);
    }
    const size_t count =
        hy_detection_postprocessing(post, *scores, *deltas, *anchors, boxes, found, ranking);
    for (size_t i = 0; i < count; i++)
        EXPECT(found[i].label >= 1 && found[i].label < CLASSES && found[i].box < ANCHORS);
    EXPECT(guarded_front_is_intact(FOUND_SLOT));
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

TEST(kernels_postprocessing, room_for_candidates_behind_what_is_chosen)
{
    struct hy_postprocessing post = make(true);

    post.limit_per_class = 3;
    EXPECT_INT(hy_detection_postprocessing_room(&post), ANCHORS + (CLASSES - 2) * 3);
    EXPECT_INT(find_all(&post), 3 * (CLASSES - 1));
    post.limit_per_class = 100;
    EXPECT_INT(find_all(&post), ANCHORS * (CLASSES - 1));
}

TEST(kernels_postprocessing, room_for_the_classes_of_each_anchor)
{
    struct hy_postprocessing post = make(false);

    post.classes_each = 2;
    EXPECT_INT(hy_detection_postprocessing_room(&post), 2 * ANCHORS);
    EXPECT_INT(find_all(&post), 2 * ANCHORS);
    post.classes_each = 100;
    EXPECT_INT(find_all(&post), ANCHORS * (CLASSES - 1));
    post.limit = 1;
    EXPECT_INT(hy_detection_postprocessing_room(&post), ANCHORS);
    EXPECT_INT(find_all(&post), CLASSES - 1);
}
