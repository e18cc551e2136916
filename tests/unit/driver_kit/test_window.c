/* Windows over images. */
#include "driver_kit/window.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>

enum { MOST = 12 };

/* An operation whose input 0 is an image and whose others are constant INT32, then a BOOL. */
struct fixture {
    struct hy_model_reader reader;
    struct hy_model model;
    struct hy_subgraph graph;
    struct hy_operand operands[MOST];
    struct hy_operation operation;
    uint32_t inputs[MOST];
    int32_t values[MOST];
};

static void fixture_open(struct fixture *fixture, uint32_t count, const int32_t *values,
                         bool has_layout)
{
    *fixture = (struct fixture){.operation = {.input_count = count + 1, .inputs = fixture->inputs}};
    for (uint32_t i = 0; i <= count; i++) {
        const bool is_layout = has_layout && i == count;
        fixture->inputs[i] = i;
        fixture->operands[i] =
            (struct hy_operand){.type = is_layout ? ANEURALNETWORKS_BOOL : ANEURALNETWORKS_INT32,
                                .lifetime = HY_LIFETIME_CONSTANT_COPY,
                                .location = {.offset = 4 * i, .length = is_layout ? 1 : 4}};
        fixture->values[i] = i > 0 ? values[i - 1] : 0;
    }
    fixture->graph = (struct hy_subgraph){.operand_count = MOST, .operands = fixture->operands};
    fixture->model = (struct hy_model){.main = &fixture->graph,
                                       .values = (const uint8_t *)fixture->values,
                                       .values_size = sizeof fixture->values};
    fixture->reader =
        (struct hy_model_reader){.model = &fixture->model, .values = fixture->model.values};
}

static const uint32_t image[] = {1, 5, 7, 3};

TEST(window, same_padding_puts_the_odd_pixel_behind)
{
    /* Strides 2 and 1, filters 3 wide and 4 high. */
    static const int32_t values[] = {ANEURALNETWORKS_PADDING_SAME, 2, 1, 3, 4, 0, 0};
    struct fixture fixture;
    struct hy_window window;
    uint32_t activation = 0;

    fixture_open(&fixture, 7, values, true);
    REQUIRE(hy_window_read_pool(&fixture.reader, &fixture.operation, image, &window, &activation));
    EXPECT_INT(activation, 6);
    EXPECT(window.width.stride == 2 && window.height.stride == 1);
    EXPECT(window.width.filter == 3 && window.height.filter == 4);
    EXPECT(window.width.head == 1 && window.width.tail == 1 && window.width.out == 4);
    EXPECT(window.height.head == 1 && window.height.tail == 2 && window.height.out == 5);
}

TEST(window, valid_padding_has_no_pads)
{
    static const int32_t values[] = {ANEURALNETWORKS_PADDING_VALID, 2, 1, 3, 4, 0};
    struct fixture fixture;
    struct hy_window window;
    uint32_t activation = 0;

    fixture_open(&fixture, 6, values, false);
    REQUIRE(hy_window_read_pool(&fixture.reader, &fixture.operation, image, &window, &activation));
    EXPECT(window.width.head == 0 && window.width.tail == 0 && window.width.out == 3);
    EXPECT(window.height.head == 0 && window.height.tail == 0 && window.height.out == 2);
}

TEST(window, explicit_pads_are_those_given)
{
    /* Left, right, top, bottom, strides, filters, activation. */
    static const int32_t values[] = {2, 1, 0, 3, 1, 2, 3, 4, 0};
    struct fixture fixture;
    struct hy_window window;
    uint32_t activation = 0;

    fixture_open(&fixture, 9, values, false);
    REQUIRE(hy_window_read_pool(&fixture.reader, &fixture.operation, image, &window, &activation));
    EXPECT_INT(activation, 9);
    EXPECT(window.width.head == 2 && window.width.tail == 1 && window.width.out == 8);
    EXPECT(window.height.head == 0 && window.height.tail == 3 && window.height.out == 3);
}

TEST(window, dilation_spreads_the_filter)
{
    struct hy_model_reader reader = {.model = NULL};
    struct hy_window window = {
        .height = {.size = 9, .filter = 3, .stride = 1, .dilation = 4},
        .width = {.size = 9, .filter = 3, .stride = 2, .dilation = 2},
        .scheme = ANEURALNETWORKS_PADDING_VALID,
    };

    REQUIRE(hy_window_solve(&reader, &window));
    EXPECT_INT(window.height.out, 1);
    EXPECT_INT(window.width.out, 3);
    window.height.size = 8;
    EXPECT(!hy_window_solve(&reader, &window));
    EXPECT_STR(reader.reason, "pads 0 and 0, a filter span of 9 and size 8 do not fit");
}

TEST(window, what_does_not_fit_is_refused)
{
    static const struct {
        uint32_t index;
        int32_t value;
        const char *reason;
    } cases[] = {
        {1, 3, "the padding scheme is 3, needs 1 or 2"},
        {2, 0, "input 2 is 0, needs at least 1"},
        {5, -1, "input 5 is -1, needs at least 1"},
        {4, 8, "pads 0 and 0, a filter span of 8 and size 7 do not fit"},
        {7, 1, "channels first (NCHW) is not supported"},
    };
    static const int32_t values[] = {ANEURALNETWORKS_PADDING_VALID, 1, 1, 1, 1, 0, 0};
    static const int32_t pads[] = {0, 0, -1, 0, 1, 1, 1, 1, 0},
                         large[] = {3, 0, 0, 0, 1, 1, 3, 1, 0};
    struct hy_window window;
    uint32_t activation;
    struct fixture fixture;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture_open(&fixture, 7, values, true);
        fixture.values[cases[i].index] = cases[i].value;
        EXPECT(
            !hy_window_read_pool(&fixture.reader, &fixture.operation, image, &window, &activation));
        EXPECT_STR(fixture.reader.reason, cases[i].reason);
    }
    fixture_open(&fixture, 9, pads, false);
    EXPECT(!hy_window_read_pool(&fixture.reader, &fixture.operation, image, &window, &activation));
    EXPECT_STR(fixture.reader.reason, "input 3 is -1, needs at least 0");
    fixture_open(&fixture, 9, large, false);
    EXPECT(!hy_window_read_pool(&fixture.reader, &fixture.operation, image, &window, &activation));
    EXPECT_STR(fixture.reader.reason, "pads 3 and 0, a filter span of 3 and size 7 do not fit");
}
