/* Small files that ask for much memory, and what is refused before memory is taken. */
#include "tests/kit/test.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "libhalyard/graph/budget.h"
#include "libhalyard/lower/lowering.h"
#include "libhalyard/lower/model.h"
#include "libhalyard/lower/survey.h"
#include "libhalyard/session/network.h"
#include "tests/unit/tools/kit/tflite_builder.h"
#include "tests/unit/tools/kit/tflite_samples.h"

/* ---- Memory that is asked for ---------------------------------------------------------------- */

static atomic_size_t asked;
static atomic_uint countdown; /* the allocation that brings the count to 0 fails */

static bool fails(void)
{
    return countdown > 0 && --countdown == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    asked += size;
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    asked += count * size;
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    asked += size;
    return fails() ? NULL : __real_realloc(memory, size);
}

#define MIB ((uint64_t)1 << 20)

/* Opening is refused for memory, after few bytes have been asked for. Frees the file. */
static void expect_refused(uint8_t *bytes, size_t length, uint64_t limit, const char *expected,
                           int line)
{
    struct hy_tflite_limits limits = hy_tflite_default_limits;
    struct hy_network *network = NULL;
    struct hy_error err = {0};

    limits.memory = limit;
    asked = 0;
    const enum hy_code code = hy_network_open(bytes, length, &limits, &network, &err);
    const size_t requested = asked;
    if (code != HY_OUT_OF_MEMORY || !strstr(err.text, expected) || !strstr(err.text, "max_memory"))
        hy_test_fail(__FILE__, line, "%s, \"%s\", expected OUT_OF_MEMORY with \"%s\"",
                     hy_code_name(code), err.text, expected);
    if (requested > MIB)
        hy_test_fail(__FILE__, line, "%zu bytes were asked for before the refusal", requested);
    hy_network_close(network);
    free(bytes);
    CU_PASS(expected);
}

static int32_t tensor(struct hy_builder *b, const char *name, int32_t rows, int32_t columns)
{
    return hy_builder_tensor(
        b, &(struct hy_builder_tensor){
               .name = name, .type = HY_TFLITE_FLOAT32, .rank = 2, .dims = {rows, columns}});
}

static int32_t ints(struct hy_builder *b, const int32_t *numbers, int32_t count)
{
    return hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "numbers",
                                                            .type = HY_TFLITE_INT32,
                                                            .rank = count > 1,
                                                            .dims = {count},
                                                            .data = numbers,
                                                            .bytes = 4 * (uint32_t)count});
}

static void operation(struct hy_builder *b, int op, int32_t first, int32_t second, int32_t output)
{
    hy_builder_operator(b, &(struct hy_builder_operator){.op = op,
                                                         .input_count = second < 0 ? 1 : 2,
                                                         .inputs = {first, second},
                                                         .output_count = 1,
                                                         .outputs = {output}});
}

/* The graph of an IF between sub-graphs 1 and 2. */
static void add_if(struct hy_builder *b, int32_t condition, int32_t x, int32_t y)
{
    hy_builder_operator(
        b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_IF,
                                         .input_count = 2,
                                         .inputs = {condition, x},
                                         .output_count = 1,
                                         .outputs = {y},
                                         .options_kind = HY_TFLITE_OPTIONS_IF,
                                         .option_count = 2,
                                         .options = {{.slot = 0, .size = 4, .value = 1},
                                                     {.slot = 1, .size = 4, .value = 2}}});
    hy_builder_input(b, condition);
    hy_builder_input(b, x);
    hy_builder_output(b, y);
}

/* ---- Attacks --------------------------------------------------------------------------------- */

TEST(budget, input_of_100_gb_is_refused_with_its_name)
{
    struct hy_builder *b = hy_builder_create();
    const int32_t x = tensor(b, "huge", 25000, 1000000), y = tensor(b, "y", 25000, 1000000);
    size_t length;

    operation(b, HY_TFLITE_OP_RELU, x, -1, y);
    hy_builder_input(b, x);
    hy_builder_output(b, y);
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_refused(bytes, length, 0,
                   "tensor 0 (huge) has 100000000000 bytes; at this operator, tensors of a run "
                   "need 200000000000 bytes",
                   __LINE__);
}

TEST(budget, one_tensor_beyond_the_limit_is_refused_with_operator_and_numbers)
{
    static const float zero[1];
    struct hy_builder *b = hy_builder_create();
    const int32_t x = tensor(b, "x", 1, 1024);
    const int32_t column = hy_builder_tensor(
        b, &(struct hy_builder_tensor){
               .name = "column", .rank = 2, .dims = {1, 1}, .data = zero, .bytes = 4});
    static const int32_t times[] = {4096, 1};
    const int32_t wide = tensor(b, "wide", 4096, 1024), y = tensor(b, "y", 4096, 1024);
    static const int32_t axes[] = {0, 1};
    const int32_t sum = hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "sum"});
    size_t length;

    operation(b, HY_TFLITE_OP_TILE, x, ints(b, times, 2), wide);
    operation(b, HY_TFLITE_OP_ADD, wide, column, y);
    operation(b, HY_TFLITE_OP_SUM, y, ints(b, axes, 2), sum);
    hy_builder_input(b, x);
    hy_builder_output(b, sum);
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_refused(bytes, length, 24 * MIB,
                   "operator 1 ADD: tensor 3 (y) has 16777216 bytes; at this operator, tensors of "
                   "a run need 33558532 bytes",
                   __LINE__);
}

/* x, x + x, (x + x) + (x + x), ...: each tensor is twice the one before. */
TEST(budget, chain_of_concatenations_that_doubles_is_refused)
{
    struct hy_builder *b = hy_builder_create();
    int32_t last = tensor(b, "x", 1, 1);
    size_t length;

    hy_builder_input(b, last);
    for (unsigned i = 0; i < 40; i++) {
        const int32_t twice = tensor(b, "twice", 1, 1);
        hy_builder_operator(
            b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_CONCATENATION,
                                             .input_count = 2,
                                             .inputs = {last, last},
                                             .output_count = 1,
                                             .outputs = {twice},
                                             .options_kind = HY_TFLITE_OPTIONS_CONCATENATION,
                                             .option_count = 1,
                                             .options = {{.slot = 0, .size = 4, .value = i % 2}}});
        last = twice;
    }
    hy_builder_output(b, last);
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_refused(bytes, length, 0, "tensor 40 (twice) has 4398046511104 bytes", __LINE__);
}

TEST(budget, chain_of_tiles_is_refused)
{
    static const int32_t times[] = {1000, 1000};
    struct hy_builder *b = hy_builder_create();
    const int32_t x = tensor(b, "x", 1, 1), y = tensor(b, "y", 1, 1), z = tensor(b, "z", 1, 1);
    const int32_t many = ints(b, times, 2);
    size_t length;

    operation(b, HY_TFLITE_OP_TILE, x, many, y);
    operation(b, HY_TFLITE_OP_TILE, y, many, z);
    hy_builder_input(b, x);
    hy_builder_output(b, z);
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_refused(bytes, length, 0, "tensor 2 (z) has 4000000000000 bytes", __LINE__);
}

TEST(budget, fill_of_constants_is_refused)
{
    static const int32_t shape[] = {1000000, 25000};
    static const float value[1];
    struct hy_builder *b = hy_builder_create();
    const int32_t one = hy_builder_tensor(
        b, &(struct hy_builder_tensor){.name = "one", .data = value, .bytes = sizeof value});
    const int32_t y = tensor(b, "y", 1, 1);
    size_t length;

    operation(b, HY_TFLITE_OP_FILL, ints(b, shape, 2), one, y);
    hy_builder_output(b, y);
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_refused(bytes, length, 0, "100000000000 bytes", __LINE__);
}

/* Only one of the branches asks for the memory, and no tensor outside of the branch shows it. */
TEST(budget, branch_that_asks_for_100_gb_is_refused)
{
    static const int32_t times[] = {25000, 1000000}, axes[] = {0, 1};
    struct hy_builder *b = hy_builder_create();
    const int32_t condition =
        hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "choice", .type = HY_TFLITE_BOOL});
    const int32_t x = tensor(b, "x", 1, 1), y = tensor(b, "y", 1, 1);
    size_t length;

    add_if(b, condition, x, y);

    hy_builder_subgraph(b);
    const int32_t small = tensor(b, "small", 1, 1), huge = tensor(b, "huge", 1, 1);
    const int32_t sum = tensor(b, "sum", 1, 1);
    operation(b, HY_TFLITE_OP_TILE, small, ints(b, times, 2), huge);
    hy_builder_operator(
        b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_SUM,
                                         .input_count = 2,
                                         .inputs = {huge, ints(b, axes, 2)},
                                         .output_count = 1,
                                         .outputs = {sum},
                                         .options_kind = HY_TFLITE_OPTIONS_REDUCER,
                                         .option_count = 1,
                                         .options = {{.slot = 0, .size = 1, .value = 1}}});
    hy_builder_input(b, small);
    hy_builder_output(b, sum);

    hy_builder_subgraph(b);
    const int32_t in = tensor(b, "in", 1, 1), out = tensor(b, "out", 1, 1);
    operation(b, HY_TFLITE_OP_RELU, in, -1, out);
    hy_builder_input(b, in);
    hy_builder_output(b, out);
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_refused(bytes, length, 0, "operator 0 IF", __LINE__);
}

/* The constants of the file do not count, but the filter that a MUL behind it is fused into does.
 */
TEST(budget, fused_weights_beyond_the_limit_are_refused_with_their_operator)
{
    static const float filter[64 * 256], factor[64];
    struct hy_builder *b = hy_builder_create();
    const int32_t x = tensor(b, "x", 1, 256), y = tensor(b, "y", 1, 64), z = tensor(b, "z", 1, 64);
    const int32_t weights = hy_builder_tensor(
        b, &(struct hy_builder_tensor){
               .name = "weights", .rank = 2, .dims = {64, 256}, .data = filter, .bytes = 65536});
    const int32_t factors = hy_builder_tensor(
        b, &(struct hy_builder_tensor){
               .name = "factors", .rank = 1, .dims = {64}, .data = factor, .bytes = 256});
    size_t length;

    operation(b, HY_TFLITE_OP_FULLY_CONNECTED, x, weights, y);
    operation(b, HY_TFLITE_OP_MUL, y, factors, z);
    hy_builder_input(b, x);
    hy_builder_output(b, z);
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_refused(bytes, length, 40000, "operator 1 MUL: a constant of 65536 bytes", __LINE__);
}

TEST(budget, weights_of_int4_beyond_the_limit_are_refused_with_their_tensor)
{
    static const uint8_t halves[65536];
    struct hy_builder *b = hy_builder_create();
    const int32_t x = tensor(b, "x", 1, 1024), y = tensor(b, "y", 1, 128);
    const int32_t weights = hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "weights",
                                                                             .type = HY_TFLITE_INT4,
                                                                             .rank = 2,
                                                                             .dims = {128, 1024},
                                                                             .data = halves,
                                                                             .bytes = 65536});
    size_t length;

    operation(b, HY_TFLITE_OP_FULLY_CONNECTED, x, weights, y);
    hy_builder_input(b, x);
    hy_builder_output(b, y);
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_refused(bytes, length, 40000, "tensor 2 (weights): a constant of 131072 bytes",
                   __LINE__);
}

/* ---- Lowering ----------------------------------------------------------------------------------
 */

enum { UNITS = 65536, BIAS_BYTES = UNITS * 4 };

static int32_t one_number(struct hy_builder *b, const char *name)
{
    return hy_builder_tensor(b,
                             &(struct hy_builder_tensor){.name = name, .rank = 2, .dims = {1, 1}});
}

static int32_t many_numbers(struct hy_builder *b, const char *name)
{
    return hy_builder_tensor(
        b, &(struct hy_builder_tensor){.name = name, .rank = 2, .dims = {1, UNITS}});
}

/* A FULLY_CONNECTED without a bias: its lowering needs one of 256 KiB. */
static void add_layer(struct hy_builder *b)
{
    static const float weights[UNITS];
    const int32_t x = one_number(b, "x"), y = many_numbers(b, "y");
    const int32_t w = hy_builder_tensor(
        b,
        &(struct hy_builder_tensor){
            .name = "w", .rank = 2, .dims = {UNITS, 1}, .data = weights, .bytes = sizeof weights});

    operation(b, HY_TFLITE_OP_FULLY_CONNECTED, x, w, y);
    hy_builder_input(b, x);
    hy_builder_output(b, y);
}

static struct hy_network *open_network(struct hy_builder *b, uint8_t **bytes)
{
    struct hy_network *network = NULL;
    struct hy_error err = {0};
    size_t length;

    *bytes = hy_builder_finish(b, &length);
    if (hy_network_open(*bytes, length, NULL, &network, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    return network;
}

/* Lowers the network once more, where a model may take so many bytes. */
static enum hy_code lower_within(struct hy_network *network, uint64_t limit, struct hy_error *err)
{
    struct hy_lowered_model *model = NULL;

    network->budget.memory_limit = limit;
    const enum hy_code code = hy_lower(&network->graph, &model, err);
    hy_lowered_model_destroy(model);
    return code;
}

/* Which a user sees who asks about operators after a session was made. */
TEST(budget, constants_of_one_lowering_do_not_count_in_the_next)
{
    struct hy_builder *b = hy_builder_create();
    struct hy_survey survey;
    uint8_t *bytes;

    add_layer(b);
    struct hy_network *network = open_network(b, &bytes);
    REQUIRE(network != NULL);
    const uint64_t made = hy_graph_made_bytes(&network->graph);
    const uint64_t used = network->model->budget.memory_used;
    EXPECT(used > made + BIAS_BYTES);
    /* Working memory takes as much as the constants; a second lowering finds room for both. */
    EXPECT_INT(lower_within(network, 2 * used, NULL), HY_OK);
    REQUIRE(hy_survey_make(&network->graph, &survey, NULL) == HY_OK);
    EXPECT_STR(survey.nodes[0].obstacle, "");
    hy_survey_finish(&survey);
    EXPECT_INT(hy_graph_made_bytes(&network->graph), made);
    hy_network_close(network);
    free(bytes);
}

TEST(budget, constants_of_a_lowering_beyond_the_limit_are_refused_with_their_operator)
{
    struct hy_builder *b = hy_builder_create();
    struct hy_error err = {0};
    uint8_t *bytes;

    add_layer(b);
    struct hy_network *network = open_network(b, &bytes);
    REQUIRE(network != NULL);
    EXPECT_INT(lower_within(network, 200000, &err), HY_OUT_OF_MEMORY);
    EXPECT_CONTAINS(err.text, "operator 0 FULLY_CONNECTED: ");
    EXPECT_CONTAINS(err.text, "exceeds max_memory = 200000");
    hy_network_close(network);
    free(bytes);
}

TEST(budget, constants_of_bodies_count_together)
{
    struct hy_builder *b = hy_builder_create();
    const int32_t condition =
        hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "choice", .type = HY_TFLITE_BOOL});
    const int32_t x = one_number(b, "x"), y = many_numbers(b, "y");
    struct hy_error err = {0};
    uint8_t *bytes;

    add_if(b, condition, x, y);
    for (int i = 0; i < 2; i++) {
        hy_builder_subgraph(b);
        add_layer(b);
    }
    struct hy_network *network = open_network(b, &bytes);
    REQUIRE(network != NULL);
    EXPECT(network->model->budget.memory_used > 2 * BIAS_BYTES);
    EXPECT_INT(lower_within(network, 2 * BIAS_BYTES, &err), HY_OUT_OF_MEMORY);
    EXPECT_CONTAINS(err.text, "operator 0 FULLY_CONNECTED: ");
    EXPECT_CONTAINS(err.text, "exceeds max_memory = 524288");
    hy_network_close(network);
    free(bytes);
}

TEST(budget, working_memory_of_a_lowering_is_bounded)
{
    struct hy_builder *b = hy_builder_create();
    struct hy_lowering lowering;
    struct hy_error err = {0};
    uint8_t *bytes;

    add_layer(b);
    struct hy_network *network = open_network(b, &bytes);
    REQUIRE(network != NULL);
    network->budget.memory_limit = 65536;
    REQUIRE(hy_lowering_begin(&lowering, &network->graph, NULL, NULL, &err) == HY_OK);
    EXPECT(hy_scratch_memory(&lowering, 1000, 4) != NULL);
    EXPECT(hy_scratch_memory(&lowering, 100000, 4) == NULL);
    EXPECT_INT(lowering.code, HY_OUT_OF_MEMORY);
    EXPECT_CONTAINS(err.text, "working memory of 400000 bytes");
    EXPECT_CONTAINS(err.text, "max_memory = 65536");
    lowering.code = HY_OK;
    EXPECT(hy_scratch_memory(&lowering, UINT64_MAX, 4) == NULL);
    hy_lowering_end(&lowering);
    hy_lowered_model_destroy(lowering.model);
    hy_network_close(network);
    free(bytes);
}

/* ---- What counts ----------------------------------------------------------------------------- */

static enum hy_code open_relus(uint32_t count, uint64_t memory, uint32_t operations,
                               struct hy_error *err)
{
    struct hy_tflite_limits limits = hy_tflite_default_limits;
    struct hy_builder *b = hy_builder_create();
    struct hy_network *network = NULL;
    int32_t last = tensor(b, "x", 256, 1024);
    size_t length;

    hy_builder_input(b, last);
    for (uint32_t i = 0; i < count; i++) {
        const int32_t next = tensor(b, "y", 256, 1024);
        operation(b, HY_TFLITE_OP_RELU, last, -1, next);
        last = next;
    }
    hy_builder_output(b, last);
    uint8_t *bytes = hy_builder_finish(b, &length);
    limits.memory = memory;
    limits.operations = operations;
    const enum hy_code code = hy_network_open(bytes, length, &limits, &network, err);
    hy_network_close(network);
    free(bytes);
    return code;
}

/* Of a chain, two tensors are live at a time, beside input and output. */
TEST(budget, tensors_after_their_last_use_do_not_count)
{
    struct hy_error err = {0};
    EXPECT_INT(open_relus(40, 4 * MIB + 65536, 0, &err), HY_OK);
    EXPECT_STR(err.text, "");
    EXPECT_INT(open_relus(40, 4 * MIB - 1, 0, &err), HY_OUT_OF_MEMORY);
}

TEST(budget, operations_beyond_the_limit_are_refused)
{
    struct hy_error err = {0};
    EXPECT_INT(open_relus(5, 0, 5, &err), HY_OK);
    EXPECT_INT(open_relus(6, 0, 5, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "operator 5 RELU: more NNAPI operations than max_operations = 5");
}

TEST(budget, arenas_of_a_graph_and_its_bodies_stop_at_the_limit)
{
    struct hy_budget budget = {.memory_limit = 65536};
    struct hy_graph graph;
    struct hy_error err = {0};
    uint32_t body;

    hy_graph_init(&graph);
    hy_graph_use_budget(&graph, &budget);
    EXPECT(hy_graph_make_constant(&graph, 40000, &err) != NULL);
    EXPECT(hy_graph_made_bytes(&graph) >= 40000);
    EXPECT(hy_graph_make_constant(&graph, 40000, &err) == NULL);
    EXPECT_INT(err.code, HY_OUT_OF_MEMORY);
    EXPECT_CONTAINS(err.text, "a constant of 40000 bytes");
    EXPECT_CONTAINS(err.text, "max_memory = 65536");
    REQUIRE(hy_graph_add_body(&graph, &body, &err) == HY_OK);
    EXPECT(hy_graph_make_constant(graph.bodies[body], 40000, &err) == NULL);
    EXPECT(hy_graph_make_constant(graph.bodies[body], 10000, &err) != NULL);
    hy_graph_finish(&graph);
    EXPECT_INT(budget.memory_used, 0);
}

/* A tensor that no operator computes is nowhere freed. */
TEST(budget, peak_of_a_tensor_without_a_source_is_nothing)
{
    static const uint32_t inputs[] = {0}, outputs[] = {1};
    struct hy_graph graph;
    struct hy_graph_peak peak;
    struct hy_graph_tensor vector = {.name = "v", .rank = 1, .extents = {16}};
    uint32_t index;

    hy_graph_init(&graph);
    REQUIRE(hy_graph_add_tensor(&graph, &vector, &index, NULL) == HY_OK);
    REQUIRE(hy_graph_add_tensor(&graph, &vector, &index, NULL) == HY_OK);
    const struct hy_graph_node node = {.operator_ = HY_OPERATOR_RELU,
                                       .operator_name = "RELU",
                                       .input_count = 1,
                                       .inputs = inputs,
                                       .output_count = 1,
                                       .outputs = outputs};
    REQUIRE(hy_graph_add_node(&graph, &node, NULL) == HY_OK);
    EXPECT_INT(hy_graph_find_peak(&graph, &peak, NULL), HY_OK);
    EXPECT_INT(peak.bytes, 64);
    EXPECT_INT(peak.tensor, 1);
    hy_graph_finish(&graph);
}

TEST(budget, each_failing_allocation_of_a_survey_is_told_and_undone)
{
    size_t length;
    uint8_t *bytes = hy_sample_convolution(&length);
    struct hy_network *network = NULL;
    unsigned failures = 0;

    REQUIRE(hy_network_open(bytes, length, NULL, &network, NULL) == HY_OK);
    for (enum hy_code code = HY_OUT_OF_MEMORY; code != HY_OK && failures < 100;) {
        struct hy_error err = {0};
        struct hy_survey survey;
        struct hy_graph_peak peak;
        countdown = ++failures;
        code = hy_graph_find_peak(&network->graph, &peak, &err);
        if (code == HY_OK)
            code = hy_survey_make(&network->graph, &survey, &err);
        countdown = 0;
        if (code == HY_OK)
            hy_survey_finish(&survey);
        else
            EXPECT(code == HY_OUT_OF_MEMORY && err.text[0] != '\0');
    }
    EXPECT(failures > 4 && failures < 100);
    hy_network_close(network);
    free(bytes);
}
