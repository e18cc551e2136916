/* Operators that move elements by indices and shapes that a run computes, and elements that NNAPI
 * moves not. */
#include "tests/kit/test.h"

#include <string.h>

#include "tests/unit/libhalyard/kit/network_run.h"

enum { MOST_INPUTS = 4, MOST_NUMBERS = 16 };

/* float32 and int32 as numbers. */
struct operand {
    enum hy_tflite_type type;
    uint32_t rank;
    int32_t dims[4];
    int32_t numbers[MOST_NUMBERS];
};

#define FLOATS(rank, dims, ...) \
    { \
        HY_TFLITE_FLOAT32, rank, dims, \
        { \
            __VA_ARGS__ \
        } \
    }
#define INTEGERS(rank, dims, ...) \
    { \
        HY_TFLITE_INT32, rank, dims, \
        { \
            __VA_ARGS__ \
        } \
    }
#define DIMS(...) \
    { \
        __VA_ARGS__ \
    }

/* An operator whose inputs are all inputs of the network. */
struct row {
    int op;
    uint32_t input_count;
    struct operand inputs[MOST_INPUTS];
    struct operand output;
    int options_kind;
    struct hy_fbw_field options[2];
    uint32_t option_count;
};

static const struct row rows[] = {
    {HY_TFLITE_OP_SCATTER_ND,
     3,
     {INTEGERS(2, DIMS(3, 1), 2, 0, 2), FLOATS(2, DIMS(3, 2), 1, 2, 3, 4, 5, 6),
      INTEGERS(1, DIMS(2), 4, 2)},
     FLOATS(2, DIMS(4, 2), 3, 4, 0, 0, 6, 8, 0, 0),
     0,
     {{0}},
     0},
    {HY_TFLITE_OP_GATHER_ND,
     2,
     {FLOATS(2, DIMS(2, 3), 1, 2, 3, 4, 5, 6), INTEGERS(2, DIMS(2, 2), 1, 2, 0, 0)},
     FLOATS(1, DIMS(2), 6, 1),
     0,
     {{0}},
     0},
    {HY_TFLITE_OP_ONE_HOT,
     4,
     {INTEGERS(1, DIMS(3), 1, -1, 0), INTEGERS(0, DIMS(0), 2), FLOATS(0, DIMS(0), 5),
      FLOATS(0, DIMS(0), 7)},
     FLOATS(2, DIMS(3, 2), 7, 5, 7, 7, 5, 7),
     HY_TFLITE_OPTIONS_ONE_HOT,
     {{0, 4, (uint64_t)-1}},
     1},
    {HY_TFLITE_OP_DYNAMIC_UPDATE_SLICE,
     3,
     {FLOATS(2, DIMS(2, 3), 1, 2, 3, 4, 5, 6), FLOATS(2, DIMS(1, 2), 8, 9),
      INTEGERS(1, DIMS(2), 5, 1)},
     FLOATS(2, DIMS(2, 3), 1, 2, 3, 4, 8, 9),
     0,
     {{0}},
     0},
    {HY_TFLITE_OP_SPARSE_TO_DENSE,
     4,
     {INTEGERS(1, DIMS(2), 3, 1), INTEGERS(1, DIMS(1), 5), INTEGERS(1, DIMS(2), 8, 9),
      INTEGERS(0, DIMS(0), 2)},
     INTEGERS(1, DIMS(5), 2, 9, 2, 8, 2),
     0,
     {{0}},
     0},
    {HY_TFLITE_OP_RANGE,
     3,
     {INTEGERS(0, DIMS(0), 9), INTEGERS(0, DIMS(0), 0), INTEGERS(0, DIMS(0), -4)},
     INTEGERS(1, DIMS(3), 9, 5, 1),
     0,
     {{0}},
     0},
    {HY_TFLITE_OP_FILL,
     2,
     {INTEGERS(1, DIMS(2), 2, 3), FLOATS(0, DIMS(0), 4)},
     FLOATS(2, DIMS(2, 3), 4, 4, 4, 4, 4, 4),
     0,
     {{0}},
     0},
    {HY_TFLITE_OP_BROADCAST_TO,
     2,
     {INTEGERS(1, DIMS(3), 7, 8, 9), INTEGERS(1, DIMS(2), 2, 3)},
     INTEGERS(2, DIMS(2, 3), 7, 8, 9, 7, 8, 9),
     0,
     {{0}},
     0},
    {HY_TFLITE_OP_REVERSE_SEQUENCE,
     2,
     {INTEGERS(2, DIMS(2, 3), 1, 2, 3, 4, 5, 6), INTEGERS(1, DIMS(2), 3, 1)},
     INTEGERS(2, DIMS(2, 3), 3, 2, 1, 4, 5, 6),
     HY_TFLITE_OPTIONS_REVERSE_SEQUENCE,
     {{0, 4, 1}, {1, 4, 0}},
     2},
    {HY_TFLITE_OP_SPLIT_V,
     2,
     {FLOATS(1, DIMS(3), 1, 2, 3), INTEGERS(1, DIMS(1), 3)},
     FLOATS(1, DIMS(3), 1, 2, 3),
     HY_TFLITE_OPTIONS_SPLIT_V,
     {{0, 4, 1}},
     1},
    {HY_TFLITE_OP_PADV2,
     3,
     {INTEGERS(1, DIMS(2), 1, 2), INTEGERS(2, DIMS(1, 2), 1, 2), INTEGERS(0, DIMS(0), 9)},
     INTEGERS(1, DIMS(5), 9, 1, 2, 9, 9),
     0,
     {{0}},
     0},
};

static uint32_t count_of(const struct operand *operand)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < operand->rank; i++)
        count *= (uint32_t)operand->dims[i];
    return count;
}

static void store(const struct operand *operand, uint8_t *to)
{
    for (uint32_t i = 0; i < count_of(operand); i++) {
        if (operand->type == HY_TFLITE_FLOAT32)
            ((float *)to)[i] = (float)operand->numbers[i];
        else
            ((int32_t *)to)[i] = operand->numbers[i];
    }
}

static int32_t declare(struct hy_builder *builder, const struct operand *operand)
{
    struct hy_builder_tensor tensor = {
        .name = "t", .type = (int)operand->type, .rank = operand->rank};
    memcpy(tensor.dims, operand->dims, sizeof operand->dims);
    return hy_builder_tensor(builder, &tensor);
}

/* SPLIT_V has its axis behind the sizes. */
static void add_axis(struct hy_builder *builder, struct hy_builder_operator *operator_)
{
    static const int32_t zero;

    operator_->inputs[operator_->input_count++] = hy_builder_tensor(
        builder, &(struct hy_builder_tensor){
                     .name = "axis", .type = HY_TFLITE_INT32, .data = &zero, .bytes = sizeof zero});
}

static bool open_row(const struct row *row, struct hy_network_run *run)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_builder_operator operator_ = {.op = row->op,
                                            .input_count = row->input_count,
                                            .output_count = 1,
                                            .options_kind = (unsigned)row->options_kind,
                                            .option_count = row->option_count};

    memcpy(operator_.options, row->options, sizeof row->options);
    for (uint32_t i = 0; i < row->input_count; i++) {
        operator_.inputs[i] = declare(builder, &row->inputs[i]);
        hy_builder_input(builder, operator_.inputs[i]);
    }
    if (row->op == HY_TFLITE_OP_SPLIT_V)
        add_axis(builder, &operator_);
    operator_.outputs[0] = declare(builder, &row->output);
    hy_builder_operator(builder, &operator_);
    hy_builder_output(builder, operator_.outputs[0]);
    return hy_network_run_open(run, builder);
}

static void check_row(const struct row *row)
{
    static struct hy_network_run run;
    uint8_t want[MOST_NUMBERS * 4];

    if (!open_row(row, &run)) {
        hy_test_fail(__FILE__, __LINE__, "%s: %s", hy_tflite_op_name((enum hy_tflite_op)row->op),
                     run.err.text);
        return;
    }
    for (uint32_t i = 0; i < row->input_count; i++)
        store(&row->inputs[i], run.inputs[i]);
    store(&row->output, want);
    if (hy_network_run(&run) != HY_OK ||
        memcmp(run.outputs[0], want, count_of(&row->output) * sizeof(int32_t)) != 0)
        hy_test_fail(__FILE__, __LINE__, "%s: other results, or %s",
                     hy_tflite_op_name((enum hy_tflite_op)row->op), run.err.text);
    hy_network_run_close(&run);
}

TEST(movement, indices_and_shapes_are_those_of_the_run)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

TEST(movement, index_beyond_the_tensor_fails_the_run)
{
    static struct hy_network_run run;

    REQUIRE(open_row(&rows[1], &run));
    store(&rows[1].inputs[0], run.inputs[0]);
    memcpy(run.inputs[1], (const int32_t[]){1, 3, 0, 0}, 4 * sizeof(int32_t));
    EXPECT(hy_network_run(&run) != HY_OK);
    hy_network_run_close(&run);
}

/* Two steps of 0.5 before, one behind. */
TEST(movement, int16_is_padded_with_its_zero_point)
{
    static const float scale = 0.5f;
    static const int64_t zero_point = 0;
    static const int32_t edges[2] = {2, 1};
    static struct hy_network_run run;
    struct hy_builder *builder = hy_builder_create();
    struct hy_builder_tensor tensor = {.name = "t",
                                       .type = HY_TFLITE_INT16,
                                       .rank = 1,
                                       .dims = {2},
                                       .scale_count = 1,
                                       .scales = &scale,
                                       .zero_point_count = 1,
                                       .zero_points = &zero_point};
    const int32_t x = hy_builder_tensor(builder, &tensor);
    const struct hy_builder_tensor list = {.name = "edges",
                                           .type = HY_TFLITE_INT32,
                                           .rank = 2,
                                           .dims = {1, 2},
                                           .data = edges,
                                           .bytes = sizeof edges};
    const int32_t pads = hy_builder_tensor(builder, &list);
    tensor.dims[0] = 5;
    const int32_t y = hy_builder_tensor(builder, &tensor);

    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_PAD,
                                                               .input_count = 2,
                                                               .inputs = {x, pads},
                                                               .output_count = 1,
                                                               .outputs = {y}});
    hy_builder_input(builder, x);
    hy_builder_output(builder, y);
    REQUIRE(hy_network_run_open(&run, builder));
    memcpy(run.inputs[0], (const int16_t[]){-300, 400}, 2 * sizeof(int16_t));
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT(memcmp(run.outputs[0], (const int16_t[]){0, 0, -300, 400, 0}, 5 * sizeof(int16_t)) == 0);
    hy_network_run_close(&run);
}

/* ---- BITCAST --------------------------------------------------------------------------------- */

struct bits {
    enum hy_tflite_type from, to;
    uint32_t from_rank, to_rank;
    int32_t from_dims[5], to_dims[6];
    size_t bytes;
};

/* The file gives the output another shape of its rank. */
static struct hy_builder *build_bits(const struct bits *bits, const void *constant)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_builder_tensor from = {.name = "x", .type = (int)bits->from, .rank = bits->from_rank};
    struct hy_builder_tensor to = {.name = "y", .type = (int)bits->to, .rank = bits->to_rank};

    memcpy(from.dims, bits->from_dims, sizeof bits->from_dims);
    for (uint32_t i = 0; i < bits->to_rank; i++)
        to.dims[i] = 1;
    from.data = constant;
    from.bytes = constant ? (uint32_t)bits->bytes : 0;
    const int32_t x = hy_builder_tensor(builder, &from), y = hy_builder_tensor(builder, &to);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_BITCAST,
                                                               .input_count = 1,
                                                               .inputs = {x},
                                                               .output_count = 1,
                                                               .outputs = {y}});
    if (!constant)
        hy_builder_input(builder, x);
    hy_builder_output(builder, y);
    return builder;
}

static void check_bits(const struct bits *bits, const void *constant)
{
    static struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, build_bits(bits, constant)));
    const struct hy_graph *graph = &run.network->graph;
    const struct hy_graph_tensor *output = &graph->tensors[graph->outputs[0]];
    EXPECT_INT(output->rank, bits->to_rank);
    EXPECT(memcmp(output->extents, bits->to_dims, bits->to_rank * sizeof(int32_t)) == 0);
    for (size_t i = 0; i < bits->bytes && !constant; i++)
        run.inputs[0][i] = (uint8_t)(37 * i + 5);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT(memcmp(run.outputs[0], constant ? constant : run.inputs[0], bits->bytes) == 0);
    hy_network_run_close(&run);
}

TEST(movement, bits_become_elements_of_another_type)
{
    static const struct bits kinds[] = {
        {HY_TFLITE_FLOAT32, HY_TFLITE_INT32, 2, 2, {2, 3}, {2, 3}, 24},
        {HY_TFLITE_INT8, HY_TFLITE_UINT8, 5, 5, {2, 1, 3, 1, 2}, {2, 1, 3, 1, 2}, 12},
        {HY_TFLITE_FLOAT32, HY_TFLITE_INT16, 2, 3, {2, 3}, {2, 3, 2}, 24},
        {HY_TFLITE_FLOAT32, HY_TFLITE_UINT8, 5, 6, {2, 1, 3, 1, 2}, {2, 1, 3, 1, 2, 4}, 48},
        {HY_TFLITE_INT16, HY_TFLITE_FLOAT32, 3, 2, {2, 3, 2}, {2, 3}, 24},
        {HY_TFLITE_INT8, HY_TFLITE_INT32, 5, 4, {2, 1, 3, 2, 4}, {2, 1, 3, 2}, 48},
        {HY_TFLITE_INT32, HY_TFLITE_INT8, 0, 1, {0}, {4}, 4},
        {HY_TFLITE_UINT8, HY_TFLITE_FLOAT32, 1, 0, {4}, {0}, 4},
        {HY_TFLITE_FLOAT64, HY_TFLITE_UINT32, 1, 2, {3}, {3, 2}, 24},
        {HY_TFLITE_COMPLEX64, HY_TFLITE_FLOAT32, 1, 2, {3}, {3, 2}, 24},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check_bits(&kinds[i], NULL);
}

TEST(movement, bits_of_a_constant_are_a_constant)
{
    static const float reals[] = {1.5f, -2, 0.0f};
    static const struct bits kind = {HY_TFLITE_FLOAT32, HY_TFLITE_UINT8, 1, 2, {3}, {3, 4}, 12};

    check_bits(&kind, reals);
}

TEST(movement, bits_that_make_no_whole_elements_are_refused)
{
    static const struct bits kind = {HY_TFLITE_INT16, HY_TFLITE_FLOAT32, 2, 1, {2, 3}, {2}, 12};
    static struct hy_network_run run;

    EXPECT_INT(hy_network_run_try(&run, build_bits(&kind, NULL)), HY_BAD_DATA);
    EXPECT_CONTAINS(run.err.text,
                    "a last dimension that does not form a whole element has no NNAPI form");
}
