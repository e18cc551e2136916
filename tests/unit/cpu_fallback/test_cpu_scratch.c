/* Executions in memory that the host gives. */
#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BATCH     2u
#define ALIGNMENT 64u
#define GUARD     64u
#define PATTERN   0xa5

/* The sample network, one request, and memory with a guard behind it. */
struct network {
    struct hy_builder builder;
    struct hy_runner runner;
    float in[BATCH * HY_SAMPLE_PIXELS];
    float out[BATCH * HY_SAMPLE_CLASSES];
    float want[BATCH * HY_SAMPLE_CLASSES];
    uint32_t dims[4];
    struct hy_scratch need;
    uint8_t *memory;
};

static void set_request(struct network *network)
{
    hy_runner_clear(&network->runner);
    hy_runner_input(&network->runner, network->in, sizeof network->in, 4, network->dims);
    hy_runner_output(&network->runner, network->out, sizeof network->out, 0, NULL);
}

/* `batch` 0: unknown to the model. */
static bool open_network(struct network *network, uint32_t batch)
{
    memset(network, 0, sizeof *network);
    memcpy(network->dims, (const uint32_t[]){BATCH, 8, 8, 3}, sizeof network->dims);
    network->need.struct_size = sizeof network->need;
    hy_builder_init(&network->builder);
    hy_sample_network(&network->builder, batch);
    hy_sample_numbers(7, BATCH * HY_SAMPLE_PIXELS, network->in);
    if (hy_runner_open(&network->runner, hy_cpu_driver(), 0) != HY_STATUS_OK ||
        hy_runner_prepare(&network->runner, hy_builder_model(&network->builder)) != HY_STATUS_OK ||
        network->runner.table->scratch_needed(network->runner.prepared, &network->need) !=
            HY_STATUS_OK)
        return false;
    set_request(network);
    if (hy_runner_execute(&network->runner) != HY_STATUS_OK)
        return false;
    memcpy(network->want, network->out, sizeof network->want);
    network->memory = aligned_alloc(ALIGNMENT, (network->need.bytes / ALIGNMENT + 3) * ALIGNMENT);
    return network->memory != NULL;
}

static void close_network(struct network *network)
{
    hy_runner_close(&network->runner);
    hy_builder_finish(&network->builder);
    free(network->memory);
}

static void give(struct network *network, void *memory, uint64_t bytes)
{
    memset(network->memory, PATTERN, network->need.bytes + GUARD);
    memset(network->out, 0, sizeof network->out);
    network->runner.scratch = memory;
    network->runner.scratch_bytes = bytes;
}

static bool is_right(const struct network *network)
{
    return memcmp(network->out, network->want, sizeof network->want) == 0;
}

static bool is_touched(const struct network *network, uint64_t from, uint64_t to)
{
    while (from < to && network->memory[from] == PATTERN)
        from++;
    return from < to;
}

TEST(cpu_scratch, memory_that_will_do_is_used_and_no_more)
{
    static struct network network;
    REQUIRE(open_network(&network, BATCH));
    EXPECT(network.need.bytes > 0);
    EXPECT_INT(network.need.alignment, ALIGNMENT);
    for (uint32_t run = 0; run < 3; run++) {
        give(&network, network.memory, network.need.bytes);
        EXPECT_INT(hy_runner_execute(&network.runner), HY_STATUS_OK);
        EXPECT(is_right(&network));
        EXPECT(is_touched(&network, 0, network.need.bytes));
        EXPECT(!is_touched(&network, network.need.bytes, network.need.bytes + GUARD));
    }
    close_network(&network);
}

TEST(cpu_scratch, memory_that_will_not_do_is_left_alone)
{
    static struct network network;
    REQUIRE(open_network(&network, BATCH));
    const struct {
        uint8_t *memory;
        uint64_t bytes;
    } bad[] = {
        {network.memory, network.need.bytes - 1},
        {network.memory + 1, network.need.bytes},
        {network.memory, 0},
        {NULL, network.need.bytes},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        give(&network, bad[i].memory, bad[i].bytes);
        EXPECT_INT(hy_runner_execute(&network.runner), HY_STATUS_OK);
        EXPECT(is_right(&network));
        EXPECT(!is_touched(&network, 0, network.need.bytes + GUARD));
    }
    close_network(&network);
}

TEST(cpu_scratch, executions_with_and_without_take_turns)
{
    static struct network network;
    REQUIRE(open_network(&network, BATCH));
    uint8_t *other = aligned_alloc(ALIGNMENT, (network.need.bytes / ALIGNMENT + 1) * ALIGNMENT);
    REQUIRE(other != NULL);
    for (uint32_t run = 0; run < 9; run++) {
        give(&network,
             run % 3 == 0   ? network.memory
             : run % 3 == 1 ? other
                            : NULL,
             run % 3 == 2 ? 0 : network.need.bytes);
        EXPECT_INT(hy_runner_execute(&network.runner), HY_STATUS_OK);
        EXPECT(is_right(&network));
        EXPECT(is_touched(&network, 0, network.need.bytes) == (run % 3 == 0));
    }
    free(other);
    close_network(&network);
}

TEST(cpu_scratch, reusable_keeps_to_what_it_was_made_with)
{
    static struct network network;
    void *reusable = NULL, *plain = NULL;
    REQUIRE(open_network(&network, BATCH));
    give(&network, NULL, 0);
    REQUIRE(hy_runner_reuse(&network.runner, &plain) == HY_STATUS_OK);
    give(&network, network.memory, network.need.bytes);
    REQUIRE(hy_runner_reuse(&network.runner, &reusable) == HY_STATUS_OK);
    for (uint32_t run = 0; run < 6; run++) {
        give(&network, network.memory, network.need.bytes);
        EXPECT_INT(hy_runner_execute_reused(&network.runner, run % 2 ? plain : reusable),
                   HY_STATUS_OK);
        EXPECT(is_right(&network));
        EXPECT(is_touched(&network, 0, network.need.bytes) == (run % 2 == 0));
        EXPECT(!is_touched(&network, network.need.bytes, network.need.bytes + GUARD));
    }
    network.runner.table->reusable_destroy(reusable);
    network.runner.table->reusable_destroy(plain);
    close_network(&network);
}

TEST(cpu_scratch, what_only_the_request_tells_is_not_asked_for)
{
    static struct network network;
    REQUIRE(open_network(&network, 0));
    EXPECT_INT(network.need.bytes, 0);
    EXPECT_INT(network.need.alignment, 0);
    close_network(&network);
}

TEST(cpu_scratch, answer_of_an_older_layout_is_refused)
{
    static struct network network;
    REQUIRE(open_network(&network, BATCH));
    struct hy_scratch old = {.struct_size = 8};
    EXPECT_INT(network.runner.table->scratch_needed(network.runner.prepared, &old),
               HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(network.runner.table->scratch_needed(NULL, &network.need),
               HY_STATUS_INVALID_ARGUMENT);
    close_network(&network);
}

/* ---- Scratch among tensors ------------------------------------------------------------------- */

enum { WIDE = 1 << 17, SIDE = 256 };

/* Two operations with WIDE numbers between them, and a FULLY_CONNECTED whose weights come with the
 * request: to pack them takes less than these numbers. */
static void build_two_parts(struct hy_builder *builder)
{
    const struct hy_builder_type wide = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, WIDE}};
    const struct hy_builder_type row = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, SIDE}};
    const struct hy_builder_type matrix = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {SIDE, SIDE}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {SIDE}};
    static const float zeros[SIDE];

    const uint32_t in = hy_builder_input(builder, &wide);
    const uint32_t between = hy_builder_temporary(builder, &wide);
    const uint32_t out = hy_builder_output(builder, &wide);
    hy_builder_operation(builder, HY_OP_NEG, 1, &in, 1, &between);
    hy_builder_operation(builder, HY_OP_EXP, 1, &between, 1, &out);
    const uint32_t operands[] = {
        hy_builder_input(builder, &row), hy_builder_input(builder, &matrix),
        hy_builder_constant(builder, &list, zeros, sizeof zeros), hy_builder_int(builder, 0)};
    const uint32_t product = hy_builder_output(builder, &row);
    hy_builder_operation(builder, HY_OP_FULLY_CONNECTED, 4, operands, 1, &product);
}

TEST(cpu_scratch, large_scratch_lies_where_tensors_of_other_times_do)
{
    static float in[WIDE], out[WIDE], row[SIDE], matrix[SIDE * SIDE], product[SIDE];
    struct hy_scratch need = {.struct_size = sizeof need};
    struct hy_builder builder;
    struct hy_runner runner;

    for (int i = 0; i < SIDE; i++)
        row[i] = matrix[i * SIDE + i] = (float)i;
    hy_builder_init(&builder);
    build_two_parts(&builder);
    EXPECT_INT(hy_runner_open(&runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
    EXPECT_INT(runner.table->scratch_needed(runner.prepared, &need), HY_STATUS_OK);
    EXPECT(need.bytes > sizeof in && need.bytes < sizeof in + sizeof matrix / 2);
    hy_runner_input(&runner, in, sizeof in, 0, NULL);
    hy_runner_input(&runner, row, sizeof row, 0, NULL);
    hy_runner_input(&runner, matrix, sizeof matrix, 0, NULL);
    hy_runner_output(&runner, out, sizeof out, 0, NULL);
    hy_runner_output(&runner, product, sizeof product, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    EXPECT(out[0] == 1 && out[WIDE - 1] == 1);
    for (int i = 0; i < SIDE; i++)
        EXPECT(product[i] == (float)(i * i));
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}
