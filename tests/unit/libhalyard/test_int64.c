/* Networks that compute with int64, and such that index by it. */
#include "tests/kit/test.h"

#include <halyard/halyard.h>
#include <string.h>

#include "common/operations/operation.h"
#include "libhalyard/lower/model.h"
#include "tests/unit/libhalyard/kit/network_run.h"

/* A number whose lower 32 bits are those of `number`. */
#define FAR(number) ((INT64_C(1) << 33) + (number))

/* ---- Models ---------------------------------------------------------------------------------- */

struct sketch {
    struct hy_builder *builder;
    struct hy_builder_operator operator_;
};

static struct sketch start(int op)
{
    return (struct sketch){hy_builder_create(), {.op = op}};
}

static int32_t tensor(struct hy_builder *builder, int type, uint32_t rank, const int32_t *dims)
{
    struct hy_builder_tensor built = {.name = "t", .type = type, .rank = rank};

    if (rank > 0)
        memcpy(built.dims, dims, rank * sizeof *dims);
    return hy_builder_tensor(builder, &built);
}

static int32_t constant(struct hy_builder *builder, uint32_t rank, int32_t count,
                        const int64_t *numbers)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "numbers",
                                                                  .type = HY_TFLITE_INT64,
                                                                  .rank = rank,
                                                                  .dims = {count},
                                                                  .data = numbers,
                                                                  .bytes = (uint32_t)count * 8});
}

static void add_input(struct sketch *sketch, int32_t input)
{
    sketch->operator_.inputs[sketch->operator_.input_count++] = input;
}

/* An input of the network. */
static void add_tensor_input(struct sketch *sketch, int type, uint32_t rank, const int32_t *dims)
{
    const int32_t input = tensor(sketch->builder, type, rank, dims);

    hy_builder_input(sketch->builder, input);
    add_input(sketch, input);
}

static void add_constant_input(struct sketch *sketch, int32_t count, const int64_t *numbers)
{
    add_input(sketch, constant(sketch->builder, 1, count, numbers));
}

static void option(struct sketch *sketch, unsigned kind, unsigned slot, unsigned size,
                   uint64_t value)
{
    sketch->operator_.options_kind = kind;
    sketch->operator_.options[sketch->operator_.option_count++] =
        (struct hy_fbw_field){slot, size, value};
}

/* The last operator, with an output of the network. */
static struct hy_builder *finish(struct sketch *sketch, int type, uint32_t rank,
                                 const int32_t *dims)
{
    const int32_t output = tensor(sketch->builder, type, rank, dims);

    sketch->operator_.outputs[sketch->operator_.output_count++] = output;
    hy_builder_operator(sketch->builder, &sketch->operator_);
    hy_builder_output(sketch->builder, output);
    return sketch->builder;
}

static void binary(struct hy_builder *builder, int op, int32_t a, int32_t b, int32_t output)
{
    hy_builder_operator(
        builder,
        &(struct hy_builder_operator){
            .op = op, .input_count = 2, .inputs = {a, b}, .output_count = 1, .outputs = {output}});
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static void set(struct hy_network_run *run, uint32_t input, uint32_t count, const int64_t *numbers)
{
    memcpy(run->inputs[input], numbers, count * sizeof *numbers);
}
#define SET(run, input, ...) \
    set(run, input, sizeof((const int64_t[]){__VA_ARGS__}) / 8, (const int64_t[]){__VA_ARGS__})

static void expect(const struct hy_network_run *run, uint32_t count, const int64_t *wanted,
                   int line)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t found;
        memcpy(&found, run->outputs[0] + i * sizeof found, sizeof found);
        if (found != wanted[i])
            hy_test_fail(__FILE__, line, "element %u is %lld, expected %lld", i, (long long)found,
                         (long long)wanted[i]);
    }
    hy_test_pass(__FILE__, line);
}
#define EXPECT_NUMBERS(run, ...) \
    expect(run, sizeof((const int64_t[]){__VA_ARGS__}) / 8, (const int64_t[]){__VA_ARGS__}, \
           __LINE__)

static void run_once(struct hy_network_run *of, int line)
{
    if (hy_network_run(of) != HY_OK)
        hy_test_fail(__FILE__, line, "%s", halyard_last_error());
}
#define RUN(of) run_once(of, __LINE__)

/* The names of the NNAPI model's operations, "SLICE ADD ". */
static void expect_operations(const struct hy_network_run *of, const char *names, int line)
{
    const struct hy_lowered_model *model = of->network->model;
    char found[256] = "";

    for (uint32_t i = 0; i < model->operation_count; i++) {
        const char *name = hy_operation_name(model->operations[i].type);
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s ", name);
    }
    if (strcmp(found, names) == 0)
        hy_test_pass(__FILE__, line);
    else
        hy_test_fail(__FILE__, line, "\"%s\", expected \"%s\"", found, names);
}
#define EXPECT_OPERATIONS(of, names) expect_operations(of, names, __LINE__)

/* ---- Numbers --------------------------------------------------------------------------------- */

static struct hy_builder *pair(int op, int activation)
{
    struct sketch sketch = start(op);

    add_tensor_input(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){4});
    add_tensor_input(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){4});
    if (activation != HY_TFLITE_ACTIVATION_NONE)
        option(&sketch, op == HY_TFLITE_OP_SUB ? HY_TFLITE_OPTIONS_SUB : HY_TFLITE_OPTIONS_MUL, 0,
               1, (uint64_t)activation);
    return finish(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){4});
}

TEST(int64, arithmetic_has_64_bits)
{
    static struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, pair(HY_TFLITE_OP_MUL, HY_TFLITE_ACTIVATION_NONE)));
    EXPECT_OPERATIONS(&run, "org.halyard.operations.MUL ");
    SET(&run, 0, FAR(1), -FAR(3), INT64_MAX, 1);
    SET(&run, 1, 5, 7, -1, INT64_MIN);
    RUN(&run);
    EXPECT_NUMBERS(&run, 5 * FAR(1), -7 * FAR(3), -INT64_MAX, INT64_MIN);
    hy_network_run_close(&run);
}

TEST(int64, an_activation_limits_numbers_of_64_bits)
{
    static struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, pair(HY_TFLITE_OP_SUB, HY_TFLITE_ACTIVATION_RELU)));
    SET(&run, 0, FAR(1), -FAR(3), INT64_MAX, 1);
    SET(&run, 1, 5, 7, 0, FAR(0));
    RUN(&run);
    EXPECT_NUMBERS(&run, FAR(-4), 0, INT64_MAX, 0);
    hy_network_run_close(&run);
    REQUIRE(hy_network_run_open(&run, pair(HY_TFLITE_OP_MUL, HY_TFLITE_ACTIVATION_RELU6)));
    SET(&run, 0, FAR(1), -FAR(3), 2, 1);
    SET(&run, 1, 5, 7, 2, 7);
    RUN(&run);
    EXPECT_NUMBERS(&run, 6, 0, 4, 6);
    hy_network_run_close(&run);
}

TEST(int64, a_sum_of_nothing_is_0_and_a_product_1)
{
    static const int ops[] = {HY_TFLITE_OP_SUM, HY_TFLITE_OP_REDUCE_PROD};
    static struct hy_network_run run;
    static const int64_t axis = 0;

    for (int i = 0; i < 2; i++) {
        struct sketch sketch = start(ops[i]);
        add_tensor_input(&sketch, HY_TFLITE_INT64, 2, (const int32_t[]){0, 2});
        add_constant_input(&sketch, 1, &axis);
        REQUIRE(
            hy_network_run_open(&run, finish(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){2})));
        RUN(&run);
        EXPECT_NUMBERS(&run, i, i);
        hy_network_run_close(&run);
    }
}

/* The lower 32 bits alone would be 0, 1 and 0. */
TEST(int64, a_condition_looks_at_all_64_bits)
{
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_CAST);
    const uint8_t holds[] = {1, 1, 0};

    add_tensor_input(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){3});
    REQUIRE(hy_network_run_open(&run, finish(&sketch, HY_TFLITE_BOOL, 1, (const int32_t[]){3})));
    SET(&run, 0, FAR(0), 1, 0);
    RUN(&run);
    EXPECT(memcmp(run.outputs[0], holds, sizeof holds) == 0);
    hy_network_run_close(&run);
}

TEST(int64, places_of_the_largest_elements_are_widened)
{
    static struct hy_network_run run;
    static const int64_t axis = 1;
    struct sketch sketch = start(HY_TFLITE_OP_ARG_MAX);

    add_tensor_input(&sketch, HY_TFLITE_FLOAT32, 2, (const int32_t[]){2, 3});
    add_constant_input(&sketch, 1, &axis);
    option(&sketch, HY_TFLITE_OPTIONS_ARG_MAX, 0, 1, HY_TFLITE_INT64);
    REQUIRE(hy_network_run_open(&run, finish(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){2})));
    EXPECT_OPERATIONS(&run, "ARGMAX org.halyard.operations.CAST ");
    memcpy(run.inputs[0], (const float[]){1, 2, 3, 9, 2, 3}, 24);
    RUN(&run);
    EXPECT_NUMBERS(&run, 2, 0);
    hy_network_run_close(&run);
}

TEST(int64, a_place_of_the_largest_int64_is_found)
{
    static struct hy_network_run run;
    static const int64_t axis = 0;
    struct sketch sketch = start(HY_TFLITE_OP_ARG_MAX);

    add_tensor_input(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){3});
    add_constant_input(&sketch, 1, &axis);
    option(&sketch, HY_TFLITE_OPTIONS_ARG_MAX, 0, 1, HY_TFLITE_INT64);
    REQUIRE(hy_network_run_open(&run, finish(&sketch, HY_TFLITE_INT64, 0, NULL)));
    SET(&run, 0, 7, FAR(1), FAR(2));
    RUN(&run);
    EXPECT_NUMBERS(&run, 2);
    hy_network_run_close(&run);
}

/* ---- Constant indices ------------------------------------------------------------------------ */

struct indexed {
    int op;
    uint32_t lists; /* of indices, behind the data */
    int64_t numbers[2][4];
    int32_t counts[2];
    const char *operation;
};

/* Of data of [1, 4]. */
static const struct indexed indexed[] = {
    {HY_TFLITE_OP_GATHER, 1, {{0, 0}}, {2}, "GATHER "},
    {HY_TFLITE_OP_MEAN, 1, {{1}}, {1}, "MEAN "},
    {HY_TFLITE_OP_REVERSE_V2, 1, {{1}}, {1}, "REVERSE "},
    {HY_TFLITE_OP_SLICE, 2, {{0, 1}, {1, 2}}, {2, 2}, "SLICE "},
    {HY_TFLITE_OP_TILE, 1, {{2, 1}}, {2}, "TILE "},
};

static struct hy_builder *indexed_network(const struct indexed *of, int type,
                                          const int64_t (*numbers)[4])
{
    struct sketch sketch = start(of->op);

    add_tensor_input(&sketch, type, 2, (const int32_t[]){1, 4});
    for (uint32_t i = 0; i < of->lists; i++)
        add_constant_input(&sketch, of->counts[i], numbers[i]);
    return finish(&sketch, type, 2, (const int32_t[]){1, 1});
}

TEST(int64, constants_that_index_are_int32_for_nnapi)
{
    static struct hy_network_run run;

    for (size_t i = 0; i < sizeof indexed / sizeof *indexed; i++) {
        REQUIRE(hy_network_run_open(
            &run, indexed_network(&indexed[i], HY_TFLITE_FLOAT32, indexed[i].numbers)));
        EXPECT_OPERATIONS(&run, indexed[i].operation);
        RUN(&run);
        hy_network_run_close(&run);
    }
}

TEST(int64, a_constant_index_beyond_32_bits_is_refused_by_name)
{
    static struct hy_network_run run;
    int64_t numbers[2][4];

    for (size_t i = 0; i < sizeof indexed / sizeof *indexed; i++) {
        memcpy(numbers, indexed[i].numbers, sizeof numbers);
        numbers[0][indexed[i].counts[0] - 1] += INT64_C(1) << 33;
        EXPECT_INT(
            hy_network_run_try(&run, indexed_network(&indexed[i], HY_TFLITE_FLOAT32, numbers)),
            HY_BAD_DATA);
        EXPECT_CONTAINS(run.err.text, "operator 0");
    }
    memcpy(numbers, indexed[0].numbers, sizeof numbers);
    numbers[0][1] = FAR(1);
    EXPECT_INT(hy_network_run_try(&run, indexed_network(&indexed[0], HY_TFLITE_FLOAT32, numbers)),
               HY_BAD_DATA);
    EXPECT_STR(run.err.text, "operator 0 GATHER: tensor 1 (numbers): element 1 is 8589934593, an "
                             "index that needs more than 32 bits");
}

/* What shapes are computed from is known when the file is opened. */
TEST(int64, shapes_of_int64_leave_no_operation)
{
    static const int64_t rest[] = {-1};
    static struct hy_network_run run;
    struct hy_builder *builder = hy_builder_create();
    struct sketch sketch = {builder, {.op = HY_TFLITE_OP_RESHAPE}};
    const int32_t x = tensor(builder, HY_TFLITE_FLOAT32, 2, (const int32_t[]){2, 6});
    const int32_t extents = tensor(builder, HY_TFLITE_INT64, 1, (const int32_t[]){2});
    const int32_t shape = tensor(builder, HY_TFLITE_INT64, 1, (const int32_t[]){3});
    const int32_t parts[] = {extents, constant(builder, 1, 1, rest)};

    hy_builder_operator(builder,
                        &(struct hy_builder_operator){.op = HY_TFLITE_OP_SHAPE,
                                                      .input_count = 1,
                                                      .inputs = {x},
                                                      .output_count = 1,
                                                      .outputs = {extents},
                                                      .options_kind = HY_TFLITE_OPTIONS_SHAPE,
                                                      .option_count = 1,
                                                      .options = {{0, 1, HY_TFLITE_INT64}}});
    binary(builder, HY_TFLITE_OP_CONCATENATION, parts[0], parts[1], shape);
    hy_builder_input(builder, x);
    add_input(&sketch, x);
    add_input(&sketch, shape);
    REQUIRE(hy_network_run_open(&run,
                                finish(&sketch, HY_TFLITE_FLOAT32, 3, (const int32_t[]){2, 6, 1})));
    EXPECT_OPERATIONS(&run, "RESHAPE ");
    hy_network_run_close(&run);
}

/* ---- Indices that a run computes ------------------------------------------------------------- */

TEST(int64, an_index_that_a_run_computes_has_64_bits)
{
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_GATHER);

    add_tensor_input(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){3});
    add_tensor_input(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){2});
    REQUIRE(hy_network_run_open(&run, finish(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){2})));
    EXPECT_OPERATIONS(&run, "org.halyard.operations.GATHER ");
    SET(&run, 0, FAR(5), FAR(6), FAR(7));
    SET(&run, 1, 2, 0);
    RUN(&run);
    EXPECT_NUMBERS(&run, FAR(7), FAR(5));
    SET(&run, 1, 2, FAR(1));
    EXPECT_INT(hy_network_run(&run), ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "GATHER");
    EXPECT_CONTAINS(halyard_last_error(), "8589934593");
    hy_network_run_close(&run);
}

/* Operators whose lists of indices the extension takes in either width. */
struct either {
    int op;
    uint32_t rank; /* of the output */
    uint32_t count;
    struct {
        uint32_t rank;
        int32_t dims[2];
        bool is_list;
        int64_t numbers[4];
    } inputs[4];
};

#define NUMBER \
    { \
        .rank = 0 \
    }
#define VECTOR(extent) \
    { \
        .rank = 1, .dims = { extent } \
    }
#define MATRIX(rows, columns) \
    { \
        .rank = 2, .dims = { rows, columns } \
    }
#define LIST(count, ...) \
    { \
        .rank = 1, .dims = {count}, .is_list = true, .numbers = { __VA_ARGS__ } \
    }
#define ROWS(rows, columns, ...) \
    { \
        .rank = 2, .dims = {rows, columns}, .is_list = true, .numbers = { __VA_ARGS__ } \
    }
#define EITHER(NAME, output_rank, input_count, ...) \
    { \
        .op = HY_TFLITE_OP_##NAME, .rank = output_rank, .count = input_count, .inputs = { \
            __VA_ARGS__ \
        } \
    }

static const struct either either[] = {
    EITHER(BROADCAST_TO, 2, 2, MATRIX(1, 2), LIST(2, 3, 2)),
    EITHER(DYNAMIC_UPDATE_SLICE, 1, 3, VECTOR(4), VECTOR(2), LIST(1, 1)),
    EITHER(EMBEDDING_LOOKUP, 2, 2, LIST(2, 2, 0), MATRIX(3, 2)),
    EITHER(FILL, 2, 2, LIST(2, 2, 3), NUMBER),
    EITHER(GATHER, 1, 2, VECTOR(4), LIST(2, 3, 1)),
    EITHER(GATHER_ND, 1, 2, MATRIX(2, 2), ROWS(2, 2, 0, 1, 1, 0)),
    EITHER(MIRROR_PAD, 1, 2, VECTOR(3), ROWS(1, 2, 1, 1)),
    EITHER(PAD, 1, 2, VECTOR(3), ROWS(1, 2, 1, 2)),
    EITHER(PADV2, 1, 3, VECTOR(3), ROWS(1, 2, 1, 2), NUMBER),
    EITHER(RESHAPE, 2, 2, VECTOR(6), LIST(2, 2, 3)),
    EITHER(REVERSE_SEQUENCE, 2, 2, MATRIX(2, 3), LIST(2, 2, 3)),
    EITHER(SCATTER_ND, 1, 3, ROWS(2, 1, 1, 3), VECTOR(2), LIST(1, 4)),
    EITHER(SLICE, 1, 3, VECTOR(4), LIST(1, 1), LIST(1, 2)),
    EITHER(SPARSE_TO_DENSE, 1, 4, LIST(2, 1, 3), LIST(1, 5), VECTOR(2), NUMBER),
    EITHER(STRIDED_SLICE, 1, 4, VECTOR(5), LIST(1, 1), LIST(1, 5), LIST(1, 2)),
    EITHER(TILE, 1, 2, VECTOR(2), LIST(1, 3)),
};

static struct hy_builder *either_network(const struct either *of, int list_type)
{
    struct sketch sketch = start(of->op);

    for (uint32_t i = 0; i < of->count; i++)
        add_tensor_input(&sketch, of->inputs[i].is_list ? list_type : HY_TFLITE_FLOAT32,
                         of->inputs[i].rank, of->inputs[i].dims);
    if (of->op == HY_TFLITE_OP_REVERSE_SEQUENCE)
        option(&sketch, HY_TFLITE_OPTIONS_REVERSE_SEQUENCE, 0, 4, 1); /* along dimension 1 */
    return finish(&sketch, HY_TFLITE_FLOAT32, of->rank, (const int32_t[]){1, 1});
}

static void run_either(const struct either *of, int list_type, struct hy_network_run *run,
                       uint32_t extents[2])
{
    REQUIRE(hy_network_run_open(run, either_network(of, list_type)));
    for (uint32_t i = 0; i < of->count; i++) {
        for (uint32_t j = 0; j < 6; j++) {
            const float real = (float)(1 + i * 6 + j);
            const int64_t number = j < 4 ? of->inputs[i].numbers[j] : 0;
            const int32_t narrow = (int32_t)number;
            if (!of->inputs[i].is_list)
                memcpy(run->inputs[i] + j * sizeof real, &real, sizeof real);
            else if (list_type == HY_TFLITE_INT64)
                memcpy(run->inputs[i] + j * sizeof number, &number, sizeof number);
            else
                memcpy(run->inputs[i] + j * sizeof narrow, &narrow, sizeof narrow);
        }
    }
    RUN(run);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(run->execution, 0, extents), 0);
    hy_network_run_close(run);
}

TEST(int64, indices_of_either_width_give_the_same)
{
    static struct hy_network_run narrow, wide;

    for (size_t i = 0; i < sizeof either / sizeof *either; i++) {
        uint32_t extents[2][2] = {{0}};
        run_either(&either[i], HY_TFLITE_INT32, &narrow, extents[0]);
        run_either(&either[i], HY_TFLITE_INT64, &wide, extents[1]);
        if (memcmp(extents[0], extents[1], sizeof *extents) != 0 ||
            memcmp(narrow.outputs[0], wide.outputs[0], sizeof wide.outputs[0]) != 0)
            hy_test_fail(__FILE__, __LINE__, "%s differs",
                         hy_tflite_op_name((enum hy_tflite_op)either[i].op));
        EXPECT(extents[1][0] > 0);
    }
}

/* The operation takes one type for both lists. */
TEST(int64, indices_of_both_widths_are_brought_together)
{
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_SLICE);

    add_tensor_input(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){4});
    add_tensor_input(&sketch, HY_TFLITE_INT32, 1, (const int32_t[]){1});
    add_tensor_input(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){1});
    REQUIRE(hy_network_run_open(&run, finish(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){1})));
    SET(&run, 0, FAR(1), FAR(2), FAR(3), FAR(4));
    memcpy(run.inputs[1], &(int32_t){1}, 4);
    SET(&run, 2, 2);
    RUN(&run);
    EXPECT_NUMBERS(&run, FAR(2), FAR(3));
    hy_network_run_close(&run);
}

/* TOP_K has no k of 64 bits. */
TEST(int64, a_computed_index_that_the_operation_wants_in_32_bits_does_not_wrap_around)
{
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_TOPK_V2);

    add_tensor_input(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){3});
    add_tensor_input(&sketch, HY_TFLITE_INT64, 0, NULL);
    const int32_t indices = tensor(sketch.builder, HY_TFLITE_INT32, 1, (const int32_t[]){1});
    const int32_t values = tensor(sketch.builder, HY_TFLITE_INT64, 1, (const int32_t[]){1});
    sketch.operator_.output_count = 2;
    sketch.operator_.outputs[0] = values;
    sketch.operator_.outputs[1] = indices;
    hy_builder_operator(sketch.builder, &sketch.operator_);
    hy_builder_output(sketch.builder, values);
    REQUIRE(hy_network_run_open(&run, sketch.builder));
    SET(&run, 0, FAR(1), FAR(3), FAR(2));
    SET(&run, 1, 2);
    RUN(&run);
    EXPECT_NUMBERS(&run, FAR(3), FAR(2));
    SET(&run, 1, FAR(2));
    EXPECT_INT(hy_network_run(&run), ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "TOP_K");
    hy_network_run_close(&run);
}

/* An axis has to be known when the model is compiled. */
TEST(int64, an_axis_that_a_run_computes_is_refused_by_name)
{
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_CUMSUM);

    add_tensor_input(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){3});
    add_tensor_input(&sketch, HY_TFLITE_INT64, 0, NULL);
    EXPECT_INT(hy_network_run_try(&run, finish(&sketch, HY_TFLITE_INT64, 1, (const int32_t[]){3})),
               HY_BAD_DATA);
    EXPECT_CONTAINS(run.err.text,
                    "operator 0 CUMSUM: tensor 1 (t), int64 of rank 0: not a constant");
}

/* ---- Extents that only a run can tell -------------------------------------------------------- */

TEST(int64, a_dimension_is_added_to_extents_that_only_a_run_can_tell)
{
    static const int64_t axes[] = {0, 1, 2, -1};
    static struct hy_network_run run;

    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        struct hy_builder *builder = hy_builder_create();
        struct sketch sketch = {builder, {.op = HY_TFLITE_OP_EXPAND_DIMS}};
        const int32_t x = tensor(builder, HY_TFLITE_BOOL, 1, (const int32_t[]){4});
        const int32_t indices = tensor(builder, HY_TFLITE_INT64, 2, (const int32_t[]){1, 1});
        uint32_t extents[3] = {0};

        hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_WHERE,
                                                                   .input_count = 1,
                                                                   .inputs = {x},
                                                                   .output_count = 1,
                                                                   .outputs = {indices}});
        hy_builder_input(builder, x);
        add_input(&sketch, indices);
        add_input(&sketch, constant(builder, 0, 1, &axes[i]));
        REQUIRE(hy_network_run_open(
            &run, finish(&sketch, HY_TFLITE_INT64, 3, (const int32_t[]){1, 1, 1})));
        memcpy(run.inputs[0], (const uint8_t[]){0, 1, 1, 1}, 4);
        RUN(&run);
        EXPECT_NUMBERS(&run, 1, 2, 3);
        EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, extents),
                   0);
        EXPECT_INT(extents[i == 0 ? 1 : 0], 3);
        hy_network_run_close(&run);
    }
}

/* ---- States ---------------------------------------------------------------------------------- */

static int32_t variable(struct hy_builder *builder)
{
    const int32_t handle = tensor(builder, HY_TFLITE_RESOURCE, 0, NULL);

    hy_builder_operator(builder,
                        &(struct hy_builder_operator){.op = HY_TFLITE_OP_VAR_HANDLE,
                                                      .output_count = 1,
                                                      .outputs = {handle},
                                                      .options_kind = HY_TFLITE_OPTIONS_VAR_HANDLE,
                                                      .text = "sum"});
    return handle;
}

/* sum += x, from FAR(0) on. */
static struct hy_builder *running_sum(void)
{
    static const int64_t first = FAR(0);
    struct hy_builder *builder = hy_builder_create();
    const int32_t x = tensor(builder, HY_TFLITE_INT64, 1, (const int32_t[]){1});
    const int32_t before = tensor(builder, HY_TFLITE_INT64, 1, (const int32_t[]){1});
    const int32_t after = tensor(builder, HY_TFLITE_INT64, 1, (const int32_t[]){1});

    hy_builder_operator(builder,
                        &(struct hy_builder_operator){.op = HY_TFLITE_OP_CALL_ONCE,
                                                      .options_kind = HY_TFLITE_OPTIONS_CALL_ONCE,
                                                      .option_count = 1,
                                                      .options = {{0, 4, 1}}});
    const int32_t sum = variable(builder);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_READ_VARIABLE,
                                                               .input_count = 1,
                                                               .inputs = {sum},
                                                               .output_count = 1,
                                                               .outputs = {before}});
    binary(builder, HY_TFLITE_OP_ADD, before, x, after);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_ASSIGN_VARIABLE,
                                                               .input_count = 2,
                                                               .inputs = {sum, after}});
    hy_builder_input(builder, x);
    hy_builder_output(builder, after);
    hy_builder_subgraph(builder);
    const int32_t same = variable(builder), contents = constant(builder, 1, 1, &first);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_ASSIGN_VARIABLE,
                                                               .input_count = 2,
                                                               .inputs = {same, contents}});
    return builder;
}

TEST(int64, a_state_keeps_all_64_bits)
{
    static struct hy_network_run run;
    int64_t sum = 0;

    REQUIRE(hy_network_run_open(&run, running_sum()));
    SET(&run, 0, INT64_C(5) << 40);
    RUN(&run);
    EXPECT_NUMBERS(&run, FAR(0) + (INT64_C(5) << 40));
    SET(&run, 0, -1);
    RUN(&run);
    EXPECT_NUMBERS(&run, FAR(-1) + (INT64_C(5) << 40));
    EXPECT_INT(hy_states_read(run.states, 0, &sum, sizeof sum, &run.err), HY_OK);
    EXPECT(sum == FAR(-1) + (INT64_C(5) << 40));
    hy_network_run_close(&run);
}

/* ---- Sub-graphs ------------------------------------------------------------------------------ */

static int32_t whole(struct hy_builder *builder)
{
    return tensor(builder, HY_TFLITE_INT64, 0, NULL);
}

/* while (count < limit) { count += 1; sum += count; } */
static struct hy_builder *counting(void)
{
    static const int64_t one = 1;
    struct hy_builder *builder = hy_builder_create();
    struct hy_builder_operator loop = {.op = HY_TFLITE_OP_WHILE,
                                       .input_count = 3,
                                       .output_count = 3,
                                       .options_kind = HY_TFLITE_OPTIONS_WHILE,
                                       .option_count = 2,
                                       .options = {{0, 4, 1}, {1, 4, 2}}};

    for (int i = 0; i < 3; i++) {
        loop.inputs[i] = whole(builder);
        loop.outputs[i] = whole(builder);
        hy_builder_input(builder, loop.inputs[i]);
    }
    hy_builder_operator(builder, &loop);
    hy_builder_output(builder, loop.outputs[1]);
    for (int i = 0; i < 2; i++) {
        hy_builder_subgraph(builder);
        const int32_t count = whole(builder), sum = whole(builder), limit = whole(builder);
        hy_builder_input(builder, count);
        hy_builder_input(builder, sum);
        hy_builder_input(builder, limit);
        if (i == 0) {
            const int32_t goes_on = tensor(builder, HY_TFLITE_BOOL, 0, NULL);
            binary(builder, HY_TFLITE_OP_LESS, count, limit, goes_on);
            hy_builder_output(builder, goes_on);
        } else {
            const int32_t next = whole(builder), more = whole(builder);
            binary(builder, HY_TFLITE_OP_ADD, count, constant(builder, 0, 1, &one), next);
            binary(builder, HY_TFLITE_OP_ADD, sum, next, more);
            hy_builder_output(builder, next);
            hy_builder_output(builder, more);
            hy_builder_output(builder, limit);
        }
    }
    return builder;
}

TEST(int64, a_loop_counts_beyond_32_bits)
{
    static struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, counting()));
    SET(&run, 0, FAR(0));
    SET(&run, 1, 7);
    SET(&run, 2, FAR(3));
    RUN(&run);
    EXPECT_NUMBERS(&run, 7 + 3 * FAR(0) + 1 + 2 + 3);
    SET(&run, 2, 3); /* the lower 32 bits are above those of the count */
    RUN(&run);
    EXPECT_NUMBERS(&run, 7);
    hy_network_run_close(&run);
}

/* a < b ? b : a, whose bodies give what they got. */
static struct hy_builder *branching(void)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t a = whole(builder), b = whole(builder), result = whole(builder);
    const int32_t is_less = tensor(builder, HY_TFLITE_BOOL, 0, NULL);

    binary(builder, HY_TFLITE_OP_LESS, a, b, is_less);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_IF,
                                                               .input_count = 3,
                                                               .inputs = {is_less, a, b},
                                                               .output_count = 1,
                                                               .outputs = {result},
                                                               .options_kind = HY_TFLITE_OPTIONS_IF,
                                                               .option_count = 2,
                                                               .options = {{0, 4, 1}, {1, 4, 2}}});
    hy_builder_input(builder, a);
    hy_builder_input(builder, b);
    hy_builder_output(builder, result);
    for (int i = 0; i < 2; i++) {
        hy_builder_subgraph(builder);
        const int32_t x = whole(builder), y = whole(builder);
        hy_builder_input(builder, x);
        hy_builder_input(builder, y);
        hy_builder_output(builder, i == 0 ? y : x);
    }
    return builder;
}

TEST(int64, a_branch_is_chosen_and_gives_all_64_bits)
{
    static struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, branching()));
    SET(&run, 0, FAR(1));
    SET(&run, 1, 2);
    RUN(&run);
    EXPECT_NUMBERS(&run, FAR(1));
    SET(&run, 1, FAR(2));
    RUN(&run);
    EXPECT_NUMBERS(&run, FAR(2));
    hy_network_run_close(&run);
}
