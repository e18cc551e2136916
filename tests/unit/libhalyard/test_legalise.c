/*
 * Operators of any rank and of the types that NNAPI moves not: each network runs twice, on inputs
 * and on constants of the same contents, which are folded without NNAPI.
 */
#include "tests/kit/test.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "tests/unit/libhalyard/kit/network_run.h"

enum { SEEDS = 4, MAX_ELEMENTS = 256, MEMORIES = 16 };

/* A network of one operator on its way. */
struct sketch {
    struct hy_builder *builder;
    struct hy_builder_operator operator_;
    struct hy_random random;
    bool constant; /* inputs are constants */
    int type;
    uint32_t rank;
    int32_t dims[8];
    uint32_t input_count;
    uint32_t elements[2]; /* of the inputs */
    void *memory[MEMORIES];
    uint32_t memory_count;
};

static uint32_t pick(struct sketch *sketch, uint32_t count)
{
    return hy_random_below(&sketch->random, count);
}

static void *memory(struct sketch *sketch, size_t bytes)
{
    void *made = calloc(1, bytes + 1);
    if (!made || sketch->memory_count == MEMORIES)
        abort();
    return sketch->memory[sketch->memory_count++] = made;
}

static size_t size_of(int type)
{
    return type == HY_TFLITE_BOOL || type == HY_TFLITE_INT8 ? 1 : type == HY_TFLITE_INT64 ? 8 : 4;
}

/* Elements that tell their places; every third bool is true. */
static void fill(int type, uint32_t count, uint32_t first, void *to)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = i + first;
        if (type == HY_TFLITE_BOOL)
            ((uint8_t *)to)[i] = number % 3 == 0;
        else if (type == HY_TFLITE_INT8)
            ((uint8_t *)to)[i] = (uint8_t)number;
        else if (type == HY_TFLITE_FLOAT32)
            ((float *)to)[i] = (float)number;
        else if (type == HY_TFLITE_INT64)
            ((int64_t *)to)[i] = number;
        else
            ((int32_t *)to)[i] = (int32_t)number;
    }
}

static void operand(struct sketch *sketch, const struct hy_builder_tensor *tensor)
{
    sketch->operator_.inputs[sketch->operator_.input_count++] =
        hy_builder_tensor(sketch->builder, tensor);
}

static void add_input(struct sketch *sketch, int type, uint32_t rank, const int32_t *dims)
{
    struct hy_builder_tensor tensor = {.name = "x", .type = type, .rank = rank};
    uint32_t count = 1;

    for (uint32_t i = 0; i < rank; i++) {
        tensor.dims[i] = dims[i];
        count *= (uint32_t)dims[i];
    }
    if (sketch->constant) {
        void *data = memory(sketch, count * size_of(type));
        fill(type, count, sketch->input_count, data);
        tensor.data = data;
        tensor.bytes = (uint32_t)(count * size_of(type));
    }
    operand(sketch, &tensor);
    if (!sketch->constant)
        hy_builder_input(sketch->builder,
                         sketch->operator_.inputs[sketch->operator_.input_count - 1]);
    sketch->elements[sketch->input_count++] = count;
}

static void add_x_input(struct sketch *sketch)
{
    add_input(sketch, sketch->type, sketch->rank, sketch->dims);
}

static void ints(struct sketch *sketch, uint32_t rank, uint32_t count, const int32_t *numbers)
{
    int32_t *data = memory(sketch, count * sizeof *data);
    memcpy(data, numbers, count * sizeof *data);
    operand(sketch, &(struct hy_builder_tensor){.name = "n",
                                                .type = HY_TFLITE_INT32,
                                                .rank = rank,
                                                .dims = {(int32_t)count},
                                                .data = data,
                                                .bytes = count * (uint32_t)sizeof *data});
}

static void option(struct sketch *sketch, unsigned kind, unsigned slot, int64_t value)
{
    sketch->operator_.options_kind = kind;
    sketch->operator_.options[sketch->operator_.option_count++] =
        (struct hy_fbw_field){slot, 4, (uint64_t)value};
}

/* The rank of the output is what the file says where no rule tells; the extents are told anew. */
static void give(struct sketch *sketch, int type)
{
    const int32_t index = hy_builder_tensor(
        sketch->builder,
        &(struct hy_builder_tensor){.name = "y", .type = type, .rank = 1, .dims = {1}});
    sketch->operator_.outputs[sketch->operator_.output_count++] = index;
    hy_builder_output(sketch->builder, index);
}

/* ---- Operators ------------------------------------------------------------------------------- */

static void transpose(struct sketch *sketch)
{
    int32_t order[8] = {0};
    for (uint32_t i = 0; i < sketch->rank; i++) {
        const uint32_t other = pick(sketch, i + 1);
        order[i] = order[other];
        order[other] = (int32_t)i;
    }
    add_x_input(sketch);
    ints(sketch, 1, sketch->rank, order);
    give(sketch, sketch->type);
}

static void slice(struct sketch *sketch)
{
    int32_t begin[8], size[8];
    for (uint32_t i = 0; i < sketch->rank; i++) {
        begin[i] = (int32_t)pick(sketch, (uint32_t)sketch->dims[i]);
        size[i] = 1 + (int32_t)pick(sketch, (uint32_t)(sketch->dims[i] - begin[i]));
    }
    add_x_input(sketch);
    ints(sketch, 1, sketch->rank, begin);
    ints(sketch, 1, sketch->rank, size);
    give(sketch, sketch->type);
}

static void strided_slice(struct sketch *sketch)
{
    int32_t begin[8], end[8], stride[8];
    for (uint32_t i = 0; i < sketch->rank; i++) {
        const bool backwards = pick(sketch, 2);
        begin[i] = backwards ? -1 : 0;
        end[i] = backwards ? -1 - sketch->dims[i] : sketch->dims[i];
        stride[i] = (1 + (int32_t)pick(sketch, 2)) * (backwards ? -1 : 1);
    }
    add_x_input(sketch);
    ints(sketch, 1, sketch->rank, begin);
    ints(sketch, 1, sketch->rank, end);
    ints(sketch, 1, sketch->rank, stride);
    give(sketch, sketch->type);
}

static void tile(struct sketch *sketch)
{
    int32_t times[8];
    uint32_t most = 2;
    for (uint32_t i = 0; i < sketch->rank; i++) {
        times[i] = 1 + (int32_t)pick(sketch, most);
        most = times[i] > 1 ? 1 : most; /* the buffers of tests are small */
    }
    add_x_input(sketch);
    ints(sketch, 1, sketch->rank, times);
    give(sketch, sketch->type);
}

static void reverse(struct sketch *sketch)
{
    const int32_t axes[2] = {(int32_t)pick(sketch, sketch->rank), -1};
    add_x_input(sketch);
    ints(sketch, 1, axes[0] + 1 == (int32_t)sketch->rank ? 1 : 2, axes);
    give(sketch, sketch->type);
}

static void concatenation(struct sketch *sketch)
{
    const int32_t axis = (int32_t)pick(sketch, sketch->rank);
    int32_t dims[8];
    memcpy(dims, sketch->dims, sizeof dims);
    dims[axis] = (int32_t)pick(sketch, 3); /* none, too */
    add_x_input(sketch);
    add_input(sketch, sketch->type, sketch->rank, dims);
    option(sketch, HY_TFLITE_OPTIONS_CONCATENATION, 0, axis - (int32_t)sketch->rank);
    give(sketch, sketch->type);
}

static void pack(struct sketch *sketch)
{
    add_x_input(sketch);
    add_x_input(sketch);
    option(sketch, HY_TFLITE_OPTIONS_PACK, 0, 2);
    option(sketch, HY_TFLITE_OPTIONS_PACK, 1, pick(sketch, sketch->rank + 1));
    give(sketch, sketch->type);
}

static void unpack(struct sketch *sketch)
{
    const uint32_t axis = pick(sketch, sketch->rank);
    add_x_input(sketch);
    option(sketch, HY_TFLITE_OPTIONS_UNPACK, 0, sketch->dims[axis]);
    option(sketch, HY_TFLITE_OPTIONS_UNPACK, 1, axis);
    for (int32_t i = 0; i < sketch->dims[axis]; i++)
        give(sketch, sketch->type);
}

static void gather(struct sketch *sketch)
{
    const uint32_t axis = pick(sketch, sketch->rank);
    const int32_t last = sketch->dims[axis] - 1;
    add_x_input(sketch);
    ints(sketch, pick(sketch, 2), 1, &last);
    option(sketch, HY_TFLITE_OPTIONS_GATHER, 0, axis);
    give(sketch, sketch->type);
}

/* The second input has some dimensions of 1, and lacks leading ones. */
static void add_broadcast_input(struct sketch *sketch)
{
    const uint32_t dropped = pick(sketch, sketch->rank + 1);
    int32_t dims[8] = {0};
    for (uint32_t i = dropped; i < sketch->rank; i++)
        dims[i - dropped] = pick(sketch, 2) ? 1 : sketch->dims[i];
    add_input(sketch, sketch->type, sketch->rank - dropped, dims);
}

static void add(struct sketch *sketch)
{
    add_x_input(sketch);
    add_broadcast_input(sketch);
    give(sketch, sketch->type);
}

static void compare(struct sketch *sketch)
{
    add_x_input(sketch);
    add_broadcast_input(sketch);
    give(sketch, HY_TFLITE_BOOL);
}

static void broadcast_to(struct sketch *sketch)
{
    int32_t dims[8];
    for (uint32_t i = 0; i < sketch->rank; i++)
        dims[i] = pick(sketch, 2) ? 1 : sketch->dims[i];
    add_input(sketch, sketch->type, sketch->rank, dims);
    ints(sketch, 1, sketch->rank, sketch->dims);
    give(sketch, sketch->type);
}

static void reduce(struct sketch *sketch)
{
    int32_t axes[8];
    uint32_t count = 0;

    for (uint32_t i = 0; i < sketch->rank; i++) {
        if (pick(sketch, 2))
            axes[count++] = (int32_t)i - (pick(sketch, 2) ? (int32_t)sketch->rank : 0);
    }
    add_x_input(sketch);
    ints(sketch, 1, count, axes);
    sketch->operator_.options_kind = HY_TFLITE_OPTIONS_REDUCER;
    sketch->operator_.options[sketch->operator_.option_count++] =
        (struct hy_fbw_field){0, 1, pick(sketch, 2)};
    give(sketch, sketch->type);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

struct row {
    int op;
    void (*describe)(struct sketch *sketch);
    uint32_t least_rank, most_rank;
    uint32_t types; /* a bit each */
};

enum {
    F = 1 << HY_TFLITE_FLOAT32,
    I = 1 << HY_TFLITE_INT32 | 1 << HY_TFLITE_INT64,
    B = 1 << HY_TFLITE_BOOL,
    ANY = F | I | B | 1 << HY_TFLITE_INT8,
};

static const struct row rows[] = {
    {HY_TFLITE_OP_ADD, add, 0, 8, I},
    {HY_TFLITE_OP_BROADCAST_TO, broadcast_to, 1, 8, ANY},
    {HY_TFLITE_OP_CONCATENATION, concatenation, 1, 8, ANY},
    {HY_TFLITE_OP_GATHER, gather, 1, 8, ANY},
    {HY_TFLITE_OP_LESS, compare, 0, 8, I},
    {HY_TFLITE_OP_PACK, pack, 0, 7, ANY},
    {HY_TFLITE_OP_REDUCE_ALL, reduce, 0, 8, B},
    {HY_TFLITE_OP_REDUCE_ANY, reduce, 0, 8, B},
    {HY_TFLITE_OP_REVERSE_V2, reverse, 1, 8, ANY},
    {HY_TFLITE_OP_SLICE, slice, 1, 8, ANY},
    {HY_TFLITE_OP_STRIDED_SLICE, strided_slice, 1, 8, ANY},
    {HY_TFLITE_OP_TILE, tile, 1, 8, ANY},
    {HY_TFLITE_OP_TRANSPOSE, transpose, 1, 8, ANY},
    {HY_TFLITE_OP_UNPACK, unpack, 1, 8, ANY},
};

static struct sketch describe(const struct row *row, int type, uint32_t rank, uint32_t seed,
                              bool constant)
{
    struct sketch sketch = {.builder = hy_builder_create(),
                            .operator_ = {.op = row->op, .version = 2},
                            .random = {seed * 977 + rank},
                            .constant = constant,
                            .type = type,
                            .rank = rank};
    uint32_t elements = 1;

    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t most = elements > MAX_ELEMENTS / 6 ? 2 : 3;
        sketch.dims[i] = 1 + (int32_t)pick(&sketch, most);
        elements *= (uint32_t)sketch.dims[i];
        if (elements > MAX_ELEMENTS) {
            elements /= (uint32_t)sketch.dims[i];
            sketch.dims[i] = 1;
        }
    }
    row->describe(&sketch);
    hy_builder_operator(sketch.builder, &sketch.operator_);
    return sketch;
}

static void run(struct sketch *sketch, struct hy_network_run *run)
{
    if (!hy_network_run_open(run, sketch->builder)) {
        hy_test_fail(__FILE__, __LINE__, "not opened: %s", run->err.text);
        return;
    }
    for (uint32_t i = 0; !sketch->constant && i < sketch->input_count; i++)
        fill(sketch->type, sketch->elements[i], i, run->inputs[i]);
    if (hy_network_run(run) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "not run: %s", run->err.text);
}

static void expect_same(const struct row *row, int type, uint32_t rank, uint32_t seed)
{
    static struct hy_network_run computed, folded;
    struct sketch of_inputs = describe(row, type, rank, seed, false);
    struct sketch of_constants = describe(row, type, rank, seed, true);

    run(&of_inputs, &computed);
    run(&of_constants, &folded);
    if (folded.network)
        EXPECT_INT(folded.network->graph.node_count, 0);
    for (uint32_t i = 0; computed.network && i < of_inputs.operator_.output_count; i++) {
        if (memcmp(computed.outputs[i], folded.outputs[i], HY_NETWORK_RUN_BYTES) != 0)
            hy_test_fail(__FILE__, __LINE__, "%s %s, rank %u, seed %u: output %u differs",
                         hy_tflite_op_name((enum hy_tflite_op)row->op),
                         hy_tflite_type_name((enum hy_tflite_type)type), rank, seed, i);
    }
    hy_network_run_close(&computed);
    hy_network_run_close(&folded);
    for (uint32_t i = 0; i < of_inputs.memory_count; i++)
        free(of_inputs.memory[i]);
    for (uint32_t i = 0; i < of_constants.memory_count; i++)
        free(of_constants.memory[i]);
}

TEST(legalise, operators_of_every_rank_and_type_are_computed_as_they_are_folded)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int type = 0; type < HY_TFLITE_TYPE_COUNT; type++) {
            if (!(rows[i].types >> type & 1))
                continue;
            for (uint32_t rank = rows[i].least_rank; rank <= rows[i].most_rank; rank++) {
                for (uint32_t seed = 1; seed <= SEEDS; seed++)
                    expect_same(&rows[i], type, rank, seed);
            }
        }
    }
}

/* ---- Nothing --------------------------------------------------------------------------------- */

static struct sketch start(int op, int type)
{
    return (struct sketch){
        .builder = hy_builder_create(), .operator_ = {.op = op, .version = 2}, .type = type};
}

static bool open_sketch(struct sketch *sketch, struct hy_network_run *run)
{
    hy_builder_operator(sketch->builder, &sketch->operator_);
    return hy_network_run_open(run, sketch->builder);
}

static void close_sketch(struct sketch *sketch, struct hy_network_run *run)
{
    hy_network_run_close(run);
    for (uint32_t i = 0; i < sketch->memory_count; i++)
        free(sketch->memory[i]);
}

/* A network of one input without elements, and constants, gives these floats. */
static void expect_floats(struct sketch *sketch, uint32_t count, const float *floats)
{
    static struct hy_network_run run;

    give(sketch, HY_TFLITE_FLOAT32);
    if (open_sketch(sketch, &run)) {
        EXPECT_INT(hy_network_run(&run), HY_OK);
        EXPECT(memcmp(run.outputs[0], floats, count * sizeof *floats) == 0);
    }
    close_sketch(sketch, &run);
}

TEST(legalise, networks_whose_inputs_and_outputs_have_no_elements_run)
{
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_ADD, HY_TFLITE_FLOAT32);
    add_input(&sketch, HY_TFLITE_FLOAT32, 2, (const int32_t[]){0, 3});
    add_input(&sketch, HY_TFLITE_FLOAT32, 1, (const int32_t[]){3});
    give(&sketch, HY_TFLITE_FLOAT32);
    if (open_sketch(&sketch, &run)) {
        EXPECT(hy_lowered_model_has_placeholder(run.network->model));
        for (int i = 0; i < 2; i++)
            EXPECT_INT(hy_network_run(&run), HY_OK);
    }
    close_sketch(&sketch, &run);
}

TEST(legalise, a_reduction_of_nothing_is_its_neutral_element)
{
    static const int32_t first = 0;
    struct sketch sum = start(HY_TFLITE_OP_SUM, HY_TFLITE_FLOAT32);
    add_input(&sum, HY_TFLITE_FLOAT32, 2, (const int32_t[]){0, 2});
    ints(&sum, 1, 1, &first);
    expect_floats(&sum, 2, (const float[]){0.0f, 0.0f});

    struct sketch product = start(HY_TFLITE_OP_REDUCE_PROD, HY_TFLITE_FLOAT32);
    add_input(&product, HY_TFLITE_FLOAT32, 2, (const int32_t[]){0, 2});
    ints(&product, 1, 1, &first);
    expect_floats(&product, 2, (const float[]){1.0f, 1.0f});
}

TEST(legalise, paddings_around_nothing_are_all_there_is)
{
    static const float zeros[3];
    static const int32_t paddings[] = {1, 2};
    struct sketch sketch = start(HY_TFLITE_OP_PAD, HY_TFLITE_FLOAT32);
    add_input(&sketch, HY_TFLITE_FLOAT32, 1, (const int32_t[]){0});
    operand(&sketch, &(struct hy_builder_tensor){.name = "n",
                                                 .type = HY_TFLITE_INT32,
                                                 .rank = 2,
                                                 .dims = {1, 2},
                                                 .data = paddings,
                                                 .bytes = sizeof paddings});
    expect_floats(&sketch, 3, zeros);
}

/* ---- Quantisations --------------------------------------------------------------------------- */

TEST(legalise, movement_keeps_the_bytes_where_the_quantisation_changes)
{
    static const float scales[2] = {0.5f, 0.25f};
    static const int64_t zero_points[2] = {3, -7};
    static const int32_t shape[2] = {2, 2};
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_RESHAPE, HY_TFLITE_INT8);
    struct hy_builder_tensor tensors[2];

    for (int i = 0; i < 2; i++)
        tensors[i] = (struct hy_builder_tensor){.name = "t",
                                                .type = HY_TFLITE_INT8,
                                                .rank = 1,
                                                .dims = {4},
                                                .scale_count = 1,
                                                .scales = &scales[i],
                                                .zero_point_count = 1,
                                                .zero_points = &zero_points[i]};
    operand(&sketch, &tensors[0]);
    hy_builder_input(sketch.builder, 0);
    ints(&sketch, 1, 2, shape);
    sketch.operator_.outputs[0] = hy_builder_tensor(sketch.builder, &tensors[1]);
    sketch.operator_.output_count = 1;
    hy_builder_output(sketch.builder, sketch.operator_.outputs[0]);
    if (open_sketch(&sketch, &run)) {
        memcpy(run.inputs[0], "\x80\x00\x7f\x05", 4);
        EXPECT_INT(hy_network_run(&run), HY_OK);
        EXPECT(memcmp(run.outputs[0], "\x80\x00\x7f\x05", 4) == 0);
    }
    close_sketch(&sketch, &run);
}

/* ---- Shapes that only a run can tell --------------------------------------------------------- */

static int32_t number(struct hy_builder *builder, const int32_t *value)
{
    return hy_builder_tensor(
        builder, &(struct hy_builder_tensor){
                     .name = "n", .type = HY_TFLITE_INT32, .data = value, .bytes = sizeof *value});
}

static int32_t vector(struct hy_builder *builder, int32_t count, const int32_t *values)
{
    return hy_builder_tensor(
        builder, &(struct hy_builder_tensor){.name = "n",
                                             .type = HY_TFLITE_INT32,
                                             .rank = 1,
                                             .dims = {count},
                                             .data = values,
                                             .bytes = (uint32_t)count * (uint32_t)sizeof *values});
}

/* The first rows of a matrix, as many as the second input says, in a shape with one more dimension.
 */
static void build_first_rows(struct hy_builder *builder)
{
    static const int32_t two = 2, one = 1, zeros[2], ones[2] = {1, 1};
    const int32_t x = hy_builder_tensor(
        builder, &(struct hy_builder_tensor){.name = "x", .rank = 2, .dims = {4, 2}});
    const int32_t wanted = hy_builder_tensor(
        builder, &(struct hy_builder_tensor){.name = "rows", .type = HY_TFLITE_INT32});
    const int32_t end = vector(builder, 2, NULL), shape = vector(builder, 3, NULL);
    const int32_t cut = hy_builder_tensor(
        builder, &(struct hy_builder_tensor){.name = "cut", .rank = 2, .dims = {1, 1}});
    const int32_t y = hy_builder_tensor(
        builder, &(struct hy_builder_tensor){.name = "y", .rank = 3, .dims = {1, 1, 1}});
    const int32_t width = number(builder, &two), unit = number(builder, &one);

    hy_builder_input(builder, x);
    hy_builder_input(builder, wanted);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_PACK,
                                                               .input_count = 2,
                                                               .inputs = {wanted, width},
                                                               .output_count = 1,
                                                               .outputs = {end}});
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_PACK,
                                                               .input_count = 3,
                                                               .inputs = {wanted, unit, width},
                                                               .output_count = 1,
                                                               .outputs = {shape}});
    hy_builder_operator(builder,
                        &(struct hy_builder_operator){
                            .op = HY_TFLITE_OP_STRIDED_SLICE,
                            .input_count = 4,
                            .inputs = {x, vector(builder, 2, zeros), end, vector(builder, 2, ones)},
                            .output_count = 1,
                            .outputs = {cut}});
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RESHAPE,
                                                               .input_count = 2,
                                                               .inputs = {cut, shape},
                                                               .output_count = 1,
                                                               .outputs = {y}});
    hy_builder_output(builder, y);
}

TEST(legalise, slices_and_shapes_that_a_run_computes)
{
    static struct hy_network_run run;
    struct hy_builder *builder = hy_builder_create();
    uint32_t rank = 0, dims[3] = {0};

    build_first_rows(builder);
    if (!hy_network_run_open(&run, builder))
        return;
    EXPECT_INT(hy_graph_unknown_extents(&run.network->graph.tensors[run.network->graph.outputs[0]]),
               1);
    for (int32_t wanted = 1; wanted <= 4; wanted += 3) {
        fill(HY_TFLITE_FLOAT32, 8, 0, run.inputs[0]);
        memcpy(run.inputs[1], &wanted, sizeof wanted);
        EXPECT_INT(hy_network_run(&run), HY_OK);
        EXPECT_INT(ANeuralNetworksExecution_getOutputOperandRank(run.execution, 0, &rank), 0);
        EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, dims), 0);
        EXPECT_INT(rank, 3);
        EXPECT_INT(dims[0], wanted);
        EXPECT_INT(dims[1], 1);
        EXPECT_INT(dims[2], 2);
        EXPECT(memcmp(run.inputs[0], run.outputs[0], (size_t)wanted * 2 * sizeof(float)) == 0);
    }
    hy_network_run_close(&run);
}

/* k is an input of the network, and a scalar of NNAPI. */
TEST(legalise, as_many_largest_elements_as_a_run_asks_for)
{
    static struct hy_network_run run;
    const int32_t k = 2;
    struct sketch sketch = start(HY_TFLITE_OP_TOPK_V2, HY_TFLITE_FLOAT32);

    add_input(&sketch, HY_TFLITE_FLOAT32, 1, (const int32_t[]){4});
    add_input(&sketch, HY_TFLITE_INT32, 0, NULL);
    give(&sketch, HY_TFLITE_FLOAT32);
    give(&sketch, HY_TFLITE_INT32);
    if (open_sketch(&sketch, &run)) {
        memcpy(run.inputs[0], (const float[]){3, 9, 1, 7}, 4 * sizeof(float));
        memcpy(run.inputs[1], &k, sizeof k);
        EXPECT_INT(hy_network_run(&run), HY_OK);
        EXPECT(memcmp(run.outputs[0], (const float[]){9, 7}, 2 * sizeof(float)) == 0);
        EXPECT(memcmp(run.outputs[1], (const int32_t[]){1, 3}, 2 * sizeof(int32_t)) == 0);
    }
    close_sketch(&sketch, &run);
}

/* ---- Large tensors --------------------------------------------------------------------------- */

TEST(legalise, a_constant_of_very_many_elements_is_refused_at_once)
{
    struct sketch sketch = start(HY_TFLITE_OP_FILL, HY_TFLITE_FLOAT32);
    static struct hy_network_run run;

    sketch.constant = true;
    ints(&sketch, 1, 5, (const int32_t[]){30000, 30000, 1, 1, 1});
    add_input(&sketch, HY_TFLITE_FLOAT32, 0, NULL);
    give(&sketch, HY_TFLITE_FLOAT32);
    hy_builder_operator(sketch.builder, &sketch.operator_);
    EXPECT_INT(hy_network_run_try(&run, sketch.builder), HY_BAD_DATA);
    EXPECT_CONTAINS(run.err.text,
                    "operator 0 FILL: the NNAPI form needs a list of 900000000 elements");
    for (uint32_t i = 0; i < sketch.memory_count; i++)
        free(sketch.memory[i]);
}
