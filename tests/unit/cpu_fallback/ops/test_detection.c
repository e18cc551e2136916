#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* Detection: how much comes out depends on the data, and bad boxes are refused. */

enum { REGIONS = 12, CLASSES = 4, MOST = REGIONS * (CLASSES - 1) };

struct boxes {
    float scores[REGIONS][CLASSES], corners[REGIONS][CLASSES][4];
    int32_t images[REGIONS];
    int32_t limit;
};

struct found {
    uint32_t count;
    float scores[MOST], corners[MOST][4];
    int32_t labels[MOST], images[MOST];
};

static struct boxes make_boxes(uint32_t seed)
{
    struct boxes boxes = {.limit = (int32_t)(hy_sample_random(&seed) % 9) - 1};

    for (uint32_t r = 0; r < REGIONS; r++) {
        boxes.images[r] = r < REGIONS / 3 ? 5 : 2;
        for (uint32_t c = 0; c < CLASSES; c++) {
            float *box = boxes.corners[r][c];
            box[0] = (float)(hy_sample_random(&seed) % 64);
            box[1] = (float)(hy_sample_random(&seed) % 64);
            box[2] = box[0] + 1 + (float)(hy_sample_random(&seed) % 64);
            box[3] = box[1] + 1 + (float)(hy_sample_random(&seed) % 64);
            boxes.scores[r][c] = (float)(hy_sample_random(&seed) % 100000) / 100000;
        }
    }
    return boxes;
}

static void add_boxes(struct hy_op_case *test, const struct boxes *boxes, float threshold)
{
    const struct hy_builder_type scores = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {REGIONS, CLASSES}};
    const struct hy_builder_type corners = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {REGIONS, 4 * CLASSES}};

    hy_op_case_init(test, HY_OP_BOX_WITH_NMS_LIMIT);
    hy_op_case_tensor(test, &scores, boxes->scores, false);
    hy_op_case_tensor(test, &corners, boxes->corners, false);
    hy_op_case_ints(test, 1, (const uint32_t[]){REGIONS}, boxes->images, false);
    hy_op_case_float(test, threshold);
    hy_op_case_int(test, boxes->limit);
    hy_op_case_int(test, 0);
    hy_op_case_float(test, 0.3f);
    hy_op_case_float(test, 1);
    hy_op_case_float(test, 0.1f);
}

static int32_t limit_boxes(const struct boxes *boxes, float threshold, uint32_t device,
                           struct found *found, char message[512])
{
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {1}};
    const struct hy_builder_type pairs = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, 1}};
    const struct hy_builder_type ints = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {1}};
    struct hy_op_case test;

    add_boxes(&test, boxes, threshold);
    hy_op_case_output(&test, &list, found->scores, sizeof found->scores);
    hy_op_case_output(&test, &pairs, found->corners, sizeof found->corners);
    hy_op_case_output(&test, &ints, found->labels, sizeof found->labels);
    hy_op_case_output(&test, &ints, found->images, sizeof found->images);
    int32_t status = hy_op_case_run(&test, device);
    found->count = test.shapes[0].dims[0];
    for (uint32_t i = 1; i < 4 && status == HY_STATUS_OK; i++)
        EXPECT_INT(test.shapes[i].dims[0], found->count);
    memcpy(message, test.message, sizeof test.message);
    hy_op_case_finish(&test);
    return status;
}

static double overlap(const float *a, const float *b)
{
    double w = fmax(0, fmin((double)a[2], (double)b[2]) - fmax((double)a[0], (double)b[0]));
    double h = fmax(0, fmin((double)a[3], (double)b[3]) - fmax((double)a[1], (double)b[1]));
    double areas = (double)((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]));

    return w * h / (areas - w * h);
}

/* A box stays unless one of its class and image with a higher score, which stays, overlaps it. */
static bool stays(const struct boxes *boxes, uint32_t region, uint32_t label)
{
    if (boxes->scores[region][label] <= 0.4f)
        return false;
    for (uint32_t r = 0; r < REGIONS; r++) {
        if (boxes->images[r] == boxes->images[region] &&
            boxes->scores[r][label] > boxes->scores[region][label] && stays(boxes, r, label) &&
            overlap(boxes->corners[r][label], boxes->corners[region][label]) >= (double)0.3f)
            return false;
    }
    return true;
}

/* How many boxes of the same image that stay are better. */
static int32_t rank_of(const struct boxes *boxes, uint32_t region, uint32_t label)
{
    int32_t better = 0;

    for (uint32_t r = 0; r < REGIONS; r++) {
        for (uint32_t c = 1; c < CLASSES; c++)
            better += boxes->images[r] == boxes->images[region] && stays(boxes, r, c) &&
                      boxes->scores[r][c] > boxes->scores[region][label];
    }
    return better;
}

static bool is_wanted(const struct boxes *boxes, uint32_t region, uint32_t label)
{
    return stays(boxes, region, label) &&
           (boxes->limit < 0 || rank_of(boxes, region, label) < boxes->limit);
}

static bool is_found(const struct boxes *boxes, const struct found *found, uint32_t region,
                     uint32_t label)
{
    for (uint32_t i = 0; i < found->count; i++) {
        if (found->scores[i] == boxes->scores[region][label] &&
            found->labels[i] == (int32_t)label && found->images[i] == boxes->images[region] &&
            memcmp(found->corners[i], boxes->corners[region][label], sizeof found->corners[i]) == 0)
            return true;
    }
    return false;
}

TEST(detection, best_boxes_that_do_not_overlap_remain)
{
    struct found found;
    char message[512];

    for (uint32_t seed = 1; seed <= 100; seed++) {
        struct boxes boxes = make_boxes(seed);
        uint32_t wanted = 0;
        EXPECT_INT(limit_boxes(&boxes, 0.4f, seed % 2, &found, message), HY_STATUS_OK);
        EXPECT_STR(message, "");
        for (uint32_t r = 0; r < REGIONS; r++) {
            for (uint32_t c = 1; c < CLASSES; c++) {
                wanted += is_wanted(&boxes, r, c);
                if (is_wanted(&boxes, r, c) != is_found(&boxes, &found, r, c))
                    hy_test_fail(__FILE__, __LINE__, "seed %u: region %u, class %u, score %g", seed,
                                 r, c, (double)boxes.scores[r][c]);
            }
        }
        EXPECT_INT(found.count, wanted);
    }
}

TEST(detection, nothing_found_is_an_empty_result)
{
    struct boxes boxes = make_boxes(1);
    struct found found;
    char message[512];

    EXPECT_INT(limit_boxes(&boxes, 2, 0, &found, message), HY_STATUS_OK);
    EXPECT_INT(found.count, 0);
}

TEST(detection, too_little_room_tells_how_much_is_needed)
{
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {1}};
    const struct hy_builder_type pairs = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, 1}};
    const struct hy_builder_type ints = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {1}};
    struct boxes boxes = make_boxes(3);
    struct found found;
    struct hy_op_case test;

    boxes.limit = 2; /* of two images */
    add_boxes(&test, &boxes, 0);
    hy_op_case_output(&test, &list, found.scores, sizeof found.scores);
    hy_op_case_output(&test, &pairs, found.corners, 16);
    hy_op_case_output(&test, &ints, found.labels, sizeof found.labels);
    hy_op_case_output(&test, &ints, found.images, sizeof found.images);
    EXPECT_INT(hy_op_case_run(&test, 0), HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_INT(test.shapes[1].dims[0], 4);
    EXPECT(!test.shapes[1].sufficient && test.shapes[0].sufficient);
    hy_op_case_finish(&test);
}

TEST(detection, bad_boxes_are_refused)
{
    struct boxes boxes = make_boxes(1);
    struct found found;
    char message[512];

    boxes.corners[7][0][2] = boxes.corners[7][0][0] - 1;
    EXPECT_INT(limit_boxes(&boxes, 0.4f, 0, &found, message), HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(message, "the first box of region 7");
}

/* What was found goes through another operation, whose result is declared as `declared` rows. */
static int32_t find_and_double(const struct boxes *boxes, uint32_t declared,
                               struct hy_runner *runner, float *out, uint64_t length)
{
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {declared}};
    const struct hy_builder_type corners = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {0, 4}};
    const struct hy_builder_type ints = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {0}};
    struct hy_op_case test;

    add_boxes(&test, boxes, 0.4f);
    struct hy_builder *builder = &test.builder;
    const uint32_t found[] = {
        hy_builder_temporary(builder, &list), hy_builder_temporary(builder, &corners),
        hy_builder_temporary(builder, &ints), hy_builder_temporary(builder, &ints)};
    const uint32_t terms[] = {found[0], found[0], hy_builder_int(builder, 0)};
    const struct hy_builder_type sums = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {0}};
    uint32_t sum = hy_builder_output(builder, &sums);
    hy_builder_operation(builder, HY_OP_BOX_WITH_NMS_LIMIT, test.input_count, test.inputs, 4,
                         found);
    hy_builder_operation(builder, HY_OP_ADD, 3, terms, 1, &sum);

    int32_t status = hy_runner_prepare(runner, hy_builder_model(builder));
    hy_runner_clear(runner);
    for (uint32_t i = 0; i < test.given_count; i++)
        hy_runner_input(runner, test.given[i].data, test.given[i].length, 0, NULL);
    hy_runner_output(runner, out, length, 0, NULL);
    if (status == HY_STATUS_OK)
        status = hy_runner_execute(runner);
    hy_op_case_finish(&test);
    return status;
}

TEST(detection, what_reads_the_result_gets_its_true_shape)
{
    struct hy_runner runner;
    struct found found;
    float out[MOST];
    char message[512];

    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct boxes boxes = make_boxes(seed);
        EXPECT_INT(limit_boxes(&boxes, 0.4f, 0, &found, message), HY_STATUS_OK);
        EXPECT_INT(find_and_double(&boxes, 0, &runner, out, sizeof out), HY_STATUS_OK);
        EXPECT_INT(runner.shapes[0].dims[0], found.count);
        for (uint32_t i = 0; i < found.count; i++)
            EXPECT(out[i] == 2 * found.scores[i]);
        if (found.count == 0)
            continue;
        EXPECT_INT(find_and_double(&boxes, found.count, &runner, out, sizeof out), HY_STATUS_OK);
        EXPECT_INT(find_and_double(&boxes, found.count + 1, &runner, out, sizeof out),
                   HY_STATUS_GENERAL_FAILURE);
        EXPECT_CONTAINS(runner.message, "BOX_WITH_NMS_LIMIT: output 0 is declared as");
    }
    hy_runner_close(&runner);
}

TEST(detection, boxes_move_by_their_deltas_and_stay_in_the_image)
{
    const struct hy_builder_type quads = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 4}};
    const struct hy_builder_type deltas = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 8}};
    const struct hy_builder_type extents = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, 2}};
    const float boxes[2][4] = {{10, 20, 30, 60}, {0, 0, 8, 8}}, extent[] = {64, 32};
    const float moves[2][8] = {{0.5f, 0.25f, 0, 0, 0, 0, logf(2), logf(0.5f)},
                               {-1, 9, 0, 0, 0, 0, 100, -100}};
    const float want[2][8] = {{20, 30, 32, 64, 0, 30, 32, 50}, {0, 64, 0, 64, 0, 4, 32, 4}};
    int32_t images[2] = {0, 0};
    float out[2][8];

    for (uint32_t pass = 0; pass < 3; pass++) {
        struct hy_op_case test;
        images[1] = pass == 1 ? 1 : pass == 2 ? -1 : 0;
        hy_op_case_init(&test, HY_OP_AXIS_ALIGNED_BBOX_TRANSFORM);
        hy_op_case_tensor(&test, &quads, boxes, false);
        hy_op_case_tensor(&test, &deltas, moves, false);
        hy_op_case_ints(&test, 1, (const uint32_t[]){2}, images, false);
        hy_op_case_tensor(&test, &extents, extent, false);
        hy_op_case_output(&test, &deltas, out, sizeof out);
        EXPECT_INT(hy_op_case_run(&test, 1), pass ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_OK);
        if (pass)
            EXPECT_CONTAINS(test.message, "region 1 is in image");
        for (uint32_t i = 0; i < 16 && pass == 0; i++)
            EXPECT(fabsf(out[i / 8][i % 8] - want[i / 8][i % 8]) < 1e-4f);
        hy_op_case_finish(&test);
    }
}
