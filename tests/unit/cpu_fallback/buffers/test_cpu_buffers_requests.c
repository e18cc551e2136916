/* Executions with memory of halyard-cpu. */
#include "tests/unit/cpu_fallback/kit/buffers_fixture.h"

#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/flow_model.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

#include <android/NeuralNetworks.h>

static const float ones[EXTENT * 2] = {1, 2, 3, 4, 5, 6, 7, 8};
static const float twos[EXTENT] = {2, 4, 6, 8}, squares[EXTENT] = {1, 4, 9, 16};

/* A workshop of tensors of `extent`, a request with all arguments in memory, and two buffers. */
struct fixture {
    struct workshop workshop;
    struct plain plain;
    struct buffer a, b;
};

static void fixture_open(struct fixture *fixture, uint32_t extent)
{
    workshop_open(&fixture->workshop, extent);
    memset(&fixture->plain, 0, sizeof fixture->plain);
    for (uint32_t i = 0; i < 2; i++)
        memcpy(fixture->plain.in[i], ones, EXTENT * sizeof *ones);
    workshop_request(&fixture->workshop, &fixture->plain, EXTENT);
    fixture->a = buffer_of_all(&fixture->workshop);
    fixture->b = buffer_of_all(&fixture->workshop);
}

static void fixture_close(struct fixture *fixture)
{
    buffer_destroy(&fixture->a);
    buffer_destroy(&fixture->b);
    workshop_close(&fixture->workshop);
}

static void expect_run(struct fixture *fixture, int32_t status)
{
    EXPECT_INT(hy_runner_execute(&fixture->workshop.runner), status);
}

/* ---- What goes through ----------------------------------------------------------------------- */

TEST(cpu_buffers_requests, execution_reads_and_writes_buffers)
{
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    EXPECT_INT(buffer_write(&fixture.a, ones, EXTENT), HY_STATUS_OK);
    workshop_use(&fixture.workshop, false, 0, fixture.a.token);
    workshop_use(&fixture.workshop, true, 1, fixture.b.token);
    for (uint32_t i = 0; i < 2; i++) {
        expect_run(&fixture, HY_STATUS_OK);
        EXPECT(memcmp(fixture.plain.out[0], twos, sizeof twos) == 0);
        EXPECT(buffer_holds(&fixture.b, squares, EXTENT));
    }
    EXPECT_INT(fixture.workshop.runner.shapes[1].rank, 1);
    EXPECT_INT(fixture.workshop.runner.shapes[1].dims[0], EXTENT);
    EXPECT_INT(fixture.workshop.runner.shapes[1].sufficient, 1);
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, execution_reads_what_another_has_written)
{
    static const float sums[EXTENT] = {3, 6, 9, 12};
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    workshop_use(&fixture.workshop, true, 0, fixture.a.token);
    expect_run(&fixture, HY_STATUS_OK);
    workshop_request(&fixture.workshop, &fixture.plain, EXTENT);
    workshop_use(&fixture.workshop, false, 1, fixture.a.token);
    expect_run(&fixture, HY_STATUS_OK);
    EXPECT(memcmp(fixture.plain.out[0], sums, sizeof sums) == 0);
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, several_inputs_may_read_one_buffer)
{
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    EXPECT_INT(buffer_write(&fixture.a, ones, EXTENT), HY_STATUS_OK);
    workshop_use(&fixture.workshop, false, 0, fixture.a.token);
    workshop_use(&fixture.workshop, false, 1, fixture.a.token); /* in a pool of its own */
    expect_run(&fixture, HY_STATUS_OK);
    EXPECT(memcmp(fixture.plain.out[1], squares, sizeof squares) == 0);
    workshop_argument(&fixture.workshop, false, 1)->location.pool = 0; /* in the same */
    expect_run(&fixture, HY_STATUS_OK);
    EXPECT(memcmp(fixture.plain.out[1], squares, sizeof squares) == 0);
    fixture_close(&fixture);
}

/* ---- What does not --------------------------------------------------------------------------- */

TEST(cpu_buffers_requests, unknown_token_is_invalid)
{
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    const uint32_t tokens[] = {0, fixture.b.token + 1, fixture.b.token + 65536, UINT32_MAX};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        workshop_use(&fixture.workshop, i % 2, 0, tokens[i]);
        expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
        EXPECT_CONTAINS(fixture.workshop.runner.message, "does not exist on the device");
        workshop_request(&fixture.workshop, &fixture.plain, EXTENT);
    }
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, token_of_a_buffer_that_is_gone_names_no_other)
{
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    for (uint32_t i = 0; i < 100; i++) {
        const uint32_t old = fixture.a.token;
        buffer_destroy(&fixture.a);
        fixture.a = buffer_of_all(&fixture.workshop);
        EXPECT_INT(buffer_write(&fixture.a, ones, EXTENT), HY_STATUS_OK);
        EXPECT(fixture.a.token != old && fixture.a.token != fixture.b.token);
        workshop_use(&fixture.workshop, false, 0, old);
        expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
        EXPECT_INT(buffer_copy(&(struct buffer){fixture.a.table, fixture.a.buffer, old}, &fixture.b,
                               EXTENT),
                   HY_STATUS_INVALID_ARGUMENT);
    }
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, role_that_was_not_announced_is_invalid)
{
    static const struct hy_buffer_role role = {0, 0, 1, 1};
    struct fixture fixture;
    struct buffer narrow;

    fixture_open(&fixture, EXTENT);
    REQUIRE(buffer_make(&fixture.workshop, fixture.workshop.runner.prepared, &role, 1, 0, NULL,
                        &narrow) == HY_STATUS_OK);
    EXPECT_INT(buffer_write(&narrow, ones, EXTENT), HY_STATUS_OK);
    workshop_use(&fixture.workshop, false, 0, narrow.token);
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(fixture.workshop.runner.message, "input 0: buffer");
    workshop_request(&fixture.workshop, &fixture.plain, EXTENT);
    workshop_use(&fixture.workshop, true, 1, narrow.token);
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    workshop_request(&fixture.workshop, &fixture.plain, EXTENT);
    workshop_use(&fixture.workshop, false, 1, narrow.token);
    expect_run(&fixture, HY_STATUS_OK);
    void *first = fixture.workshop.runner.prepared;
    fixture.workshop.runner.prepared = workshop_prepare(&fixture.workshop); /* of the same form */
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    fixture.workshop.runner.table->prepared_destroy(fixture.workshop.runner.prepared);
    fixture.workshop.runner.prepared = first;
    buffer_destroy(&narrow);
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, buffer_is_used_as_a_whole)
{
    static const struct hy_location parts[] = {
        {0, 0, 0, EXTENT * sizeof(float)}, {0, 0, 4, 0}, {0, 4, 0, 0}, {0, 0, UINT64_MAX, 1}};
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    EXPECT_INT(buffer_write(&fixture.a, ones, EXTENT), HY_STATUS_OK);
    for (uint32_t i = 0; i < 2 * sizeof parts / sizeof *parts; i++) {
        workshop_use(&fixture.workshop, i % 2, 0, fixture.a.token);
        struct hy_location *at = &workshop_argument(&fixture.workshop, i % 2, 0)->location;
        const uint32_t pool = at->pool;
        *at = parts[i / 2];
        at->pool = pool;
        expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
        EXPECT_CONTAINS(fixture.workshop.runner.message, "a buffer needs offset 0 and length 0");
        workshop_request(&fixture.workshop, &fixture.plain, EXTENT);
    }
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, buffer_that_holds_nothing_is_no_input)
{
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    workshop_use(&fixture.workshop, false, 0, fixture.a.token);
    expect_run(&fixture, HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(fixture.workshop.runner.message, "has no contents");
    EXPECT_INT(buffer_write(&fixture.a, ones, EXTENT), HY_STATUS_OK);
    expect_run(&fixture, HY_STATUS_OK);
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, shapes_that_do_not_combine_are_invalid)
{
    static const uint32_t other = EXTENT + 1, open = 0, fitting = EXTENT, two[] = {2, 2};
    struct fixture fixture;

    for (uint32_t form = 0; form < 2; form++) {
        fixture_open(&fixture, form ? EXTENT : 0);
        EXPECT_INT(buffer_write(&fixture.a, ones, EXTENT), HY_STATUS_OK);
        workshop_use(&fixture.workshop, false, 0, fixture.a.token);
        struct hy_argument *argument = workshop_argument(&fixture.workshop, false, 0);
        argument->rank = 1;
        argument->dims = &other;
        expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
        argument->dims = &open;
        expect_run(&fixture, HY_STATUS_OK);
        argument->dims = &fitting;
        expect_run(&fixture, HY_STATUS_OK);
        argument->rank = 2;
        argument->dims = two;
        expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
        fixture_close(&fixture);
    }
}

/* Made for one shape of an open model. */
TEST(cpu_buffers_requests, output_has_the_shape_that_its_buffer_is_for)
{
    static const uint32_t extent = EXTENT, other = EXTENT * 2;
    static const struct hy_buffer_role role = {0, 1, 0, 1};
    struct fixture fixture;
    struct buffer fixed;

    fixture_open(&fixture, 0);
    REQUIRE(buffer_make(&fixture.workshop, fixture.workshop.runner.prepared, &role, 1, 1, &extent,
                        &fixed) == HY_STATUS_OK);
    workshop_use(&fixture.workshop, true, 0, fixed.token);
    expect_run(&fixture, HY_STATUS_OK);
    EXPECT(buffer_holds(&fixed, twos, EXTENT));
    workshop_argument(&fixture.workshop, true, 0)->rank = 1;
    workshop_argument(&fixture.workshop, true, 0)->dims = &other;
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    EXPECT(buffer_holds(&fixed, twos, EXTENT)); /* what is refused changes nothing */
    workshop_request(&fixture.workshop, &fixture.plain, EXTENT * 2);
    workshop_use(&fixture.workshop, true, 0, fixed.token);
    expect_run(&fixture, HY_STATUS_GENERAL_FAILURE); /* the result has another shape */
    EXPECT(!buffer_holds(&fixed, twos, EXTENT));
    buffer_destroy(&fixed);
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, output_is_nothing_else)
{
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    EXPECT_INT(buffer_write(&fixture.a, ones, EXTENT), HY_STATUS_OK);
    workshop_use(&fixture.workshop, false, 1, fixture.a.token);
    workshop_use(&fixture.workshop, true, 0, fixture.a.token);
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(fixture.workshop.runner.message, "is also input 1");
    EXPECT(buffer_holds(&fixture.a, ones, EXTENT));
    workshop_request(&fixture.workshop, &fixture.plain, EXTENT);
    workshop_use(&fixture.workshop, true, 0, fixture.a.token);
    workshop_use(&fixture.workshop, true, 1, fixture.a.token);
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(fixture.workshop.runner.message, "is also output 0");
    workshop_use(&fixture.workshop, true, 1, fixture.b.token);
    expect_run(&fixture, HY_STATUS_OK);
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, device_without_buffers_refuses_tokens)
{
    struct fixture fixture;
    struct hy_runner reference;

    fixture_open(&fixture, EXTENT);
    REQUIRE(hy_runner_open(&reference, hy_cpu_driver(), 1) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&reference, hy_builder_model(&fixture.workshop.builder)),
               HY_STATUS_OK);
    const struct hy_runner ours = fixture.workshop.runner;
    fixture.workshop.runner = reference;
    workshop_request(&fixture.workshop, &fixture.plain, EXTENT);
    workshop_use(&fixture.workshop, false, 0, fixture.a.token);
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    fixture.workshop.runner = ours;
    hy_runner_close(&reference);
    fixture_close(&fixture);
}

/* ---- States ---------------------------------------------------------------------------------- */

TEST(cpu_buffers_requests, failed_execution_leaves_nothing)
{
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    EXPECT_INT(buffer_write(&fixture.a, ones, EXTENT), HY_STATUS_OK);
    workshop_use(&fixture.workshop, true, 0, fixture.a.token);
    workshop_argument(&fixture.workshop, true, 1)->location.length =
        1; /* too small for its tensor */
    expect_run(&fixture, HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_INT(buffer_read(&fixture.a, fixture.plain.out[0], EXTENT), HY_STATUS_GENERAL_FAILURE);
    workshop_request(&fixture.workshop, &fixture.plain, EXTENT);
    workshop_use(&fixture.workshop, true, 0, fixture.a.token);
    expect_run(&fixture, HY_STATUS_OK);
    EXPECT(buffer_holds(&fixture.a, twos, EXTENT));
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, execution_that_comes_too_late_leaves_nothing)
{
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    EXPECT_INT(buffer_write(&fixture.a, ones, EXTENT), HY_STATUS_OK);
    workshop_use(&fixture.workshop, true, 0, fixture.a.token);
    fixture.workshop.runner.deadline = 1;
    expect_run(&fixture, HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    EXPECT_INT(buffer_read(&fixture.a, fixture.plain.out[0], EXTENT), HY_STATUS_GENERAL_FAILURE);
    fixture_close(&fixture);
}

TEST(cpu_buffers_requests, refused_execution_changes_nothing)
{
    struct fixture fixture;

    fixture_open(&fixture, EXTENT);
    EXPECT_INT(buffer_write(&fixture.a, ones, EXTENT), HY_STATUS_OK);
    workshop_use(&fixture.workshop, true, 0, fixture.a.token);
    workshop_argument(&fixture.workshop, true, 1)->flags = 0x80;
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    EXPECT(buffer_holds(&fixture.a, ones, EXTENT));
    fixture_close(&fixture);
}

/* ---- Open shapes ----------------------------------------------------------------------------- */

TEST(cpu_buffers_requests, open_buffer_takes_the_shape_of_what_is_written)
{
    static const uint32_t extents[] = {2, 8, 1, 16, 3};
    struct fixture fixture;
    float sums[EXTENT * 4];

    fixture_open(&fixture, 0);
    for (uint32_t i = 0; i < EXTENT * 4; i++) {
        fixture.plain.in[0][i] = fixture.plain.in[1][i] = (float)i;
        sums[i] = 2 * (float)i;
    }
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        workshop_request(&fixture.workshop, &fixture.plain, extents[i]);
        workshop_use(&fixture.workshop, true, 0, fixture.a.token);
        expect_run(&fixture, HY_STATUS_OK);
        EXPECT_INT(fixture.workshop.runner.shapes[0].dims[0], extents[i]);
        EXPECT(buffer_holds(&fixture.a, sums, extents[i]));
        EXPECT_INT(buffer_read(&fixture.a, fixture.plain.out[0], extents[i] + 1),
                   HY_STATUS_INVALID_ARGUMENT);
        workshop_request(&fixture.workshop, &fixture.plain,
                         extents[i]); /* and has it as an input */
        workshop_use(&fixture.workshop, false, 0, fixture.a.token);
        expect_run(&fixture, HY_STATUS_OK);
        EXPECT_INT(fixture.workshop.runner.shapes[0].dims[0], extents[i]);
    }
    fixture_close(&fixture);
}

/* RESHAPE to a shape that is an input, too: the output is known when it has run. */
TEST(cpu_buffers_requests, shape_that_only_the_run_tells_is_taken)
{
    static const int32_t shapes[][2] = {{2, 2}, {1, 4}, {4, 1}};
    const struct hy_builder_type floats = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {EXTENT}};
    const struct hy_builder_type pair = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {2}};
    const struct hy_builder_type any = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {0, 0}};
    static const struct hy_buffer_role role = {0, 1, 0, 1};
    struct workshop workshop;
    struct buffer buffer;

    hy_builder_init(&workshop.builder);
    const uint32_t inputs[] = {hy_builder_input(&workshop.builder, &floats),
                               hy_builder_input(&workshop.builder, &pair)};
    const uint32_t output = hy_builder_output(&workshop.builder, &any);
    hy_builder_operation(&workshop.builder, ANEURALNETWORKS_RESHAPE, 2, inputs, 1, &output);
    REQUIRE(hy_runner_open(&workshop.runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    REQUIRE(hy_runner_prepare(&workshop.runner, hy_builder_model(&workshop.builder)) ==
            HY_STATUS_OK);
    REQUIRE(buffer_make(&workshop, workshop.runner.prepared, &role, 1, 0, NULL, &buffer) ==
            HY_STATUS_OK);
    for (uint32_t i = 0; i < 3; i++) {
        hy_runner_clear(&workshop.runner);
        hy_runner_input(&workshop.runner, ones, sizeof twos, 0, NULL);
        hy_runner_input(&workshop.runner, shapes[i], sizeof shapes[i], 0, NULL);
        hy_runner_output(&workshop.runner, NULL, 0, 0, NULL);
        workshop_use(&workshop, true, 0, buffer.token);
        EXPECT_INT(hy_runner_execute(&workshop.runner), HY_STATUS_OK);
        EXPECT_INT(workshop.runner.shapes[0].rank, 2);
        EXPECT_INT(workshop.runner.shapes[0].dims[0], shapes[i][0]);
        EXPECT(buffer_holds(&buffer, ones, EXTENT));
    }
    buffer_destroy(&buffer);
    workshop_close(&workshop);
}

/* BOX_WITH_NMS_LIMIT finds as many boxes as it does, or none. */
TEST(cpu_buffers_requests, shape_that_the_operation_sets_is_taken)
{
    static const float scores[][6] = {{0, .9f, 0, .75f, 0, .1f}, {0, .1f, 0, .1f, 0, .2f}};
    static const float found[] = {.9f, .75f};
    static const float corners[24] = {0, 0, 1, 1, 0,  0,  1,  1,  4,  4,  5,  5,
                                      4, 4, 5, 5, 16, 16, 17, 17, 16, 16, 17, 17};
    static const int32_t images[3] = {0, 0, 0};
    static const struct hy_buffer_role role = {0, 1, 0, 1};
    static float outputs_of[3][64];
    const struct hy_builder_type lists[] = {{ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {0}},
                                            {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {0, 4}},
                                            {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {0}},
                                            {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {0}}};
    struct hy_op_case test;
    struct workshop workshop;
    struct buffer buffer;
    uint32_t outputs[4];

    hy_op_case_init(&test, ANEURALNETWORKS_BOX_WITH_NMS_LIMIT);
    const struct hy_builder_type by_class = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {3, 2}};
    const struct hy_builder_type boxes = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {3, 8}};
    hy_op_case_tensor(&test, &by_class, scores[0], false);
    hy_op_case_tensor(&test, &boxes, corners, true);
    hy_op_case_ints(&test, 1, (const uint32_t[]){3}, images, true);
    hy_op_case_float(&test, .4f);
    hy_op_case_int(&test, -1);
    hy_op_case_int(&test, 0);
    hy_op_case_float(&test, .3f);
    hy_op_case_float(&test, 1);
    hy_op_case_float(&test, .1f);
    for (uint32_t i = 0; i < 4; i++)
        outputs[i] = hy_builder_output(&test.builder, &lists[i]);
    hy_builder_operation(&test.builder, ANEURALNETWORKS_BOX_WITH_NMS_LIMIT, test.input_count,
                         test.inputs, 4, outputs);
    REQUIRE(hy_runner_open(&workshop.runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    REQUIRE(hy_runner_prepare(&workshop.runner, hy_builder_model(&test.builder)) == HY_STATUS_OK);
    REQUIRE(buffer_make(&workshop, workshop.runner.prepared, &role, 1, 0, NULL, &buffer) ==
            HY_STATUS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        hy_runner_clear(&workshop.runner);
        hy_runner_input(&workshop.runner, scores[i % 2], sizeof scores[0], 0, NULL);
        hy_runner_output(&workshop.runner, NULL, 0, 0, NULL);
        for (uint32_t k = 0; k < 3; k++)
            hy_runner_output(&workshop.runner, outputs_of[k], sizeof outputs_of[k], 0, NULL);
        workshop_use(&workshop, true, 0, buffer.token);
        EXPECT_INT(hy_runner_execute(&workshop.runner), HY_STATUS_OK);
        EXPECT_INT(workshop.runner.shapes[0].dims[0], i % 2 ? 0 : 2);
        EXPECT_INT(workshop.runner.shapes[0].sufficient, 1);
        EXPECT(buffer_holds(&buffer, found, i % 2 ? 0 : 2));
    }
    buffer_destroy(&buffer);
    hy_runner_close(&workshop.runner);
    hy_op_case_finish(&test);
}

/* The outputs of bodies go to buffers, of known shapes and of open ones. */
TEST(cpu_buffers_requests, control_flow_reads_and_writes_buffers)
{
    static const struct hy_buffer_role roles[] = {{0, 0, 1, 1}, {0, 1, 0, 1}};
    static const float expected[2][EXTENT] = {{3, 4, 5, 6}, {2, 3, 4, 5}};

    for (uint32_t form = 0; form < 2; form++) {
        struct workshop workshop;
        struct buffer in, out;
        struct hy_flow flow;
        hy_flow_init(&flow);
        const uint32_t extent = form ? EXTENT : 0;
        const uint32_t one = hy_flow_add_body(&flow, extent, 1);
        hy_flow_if_main(&flow, extent, one, hy_flow_add_body(&flow, extent, 2));
        REQUIRE(hy_runner_open(&workshop.runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
        REQUIRE(hy_runner_prepare(&workshop.runner, hy_flow_model(&flow)) == HY_STATUS_OK);
        EXPECT_INT(buffer_make(&workshop, workshop.runner.prepared, &roles[0], 1, 0, NULL, &in),
                   HY_STATUS_OK);
        EXPECT_INT(buffer_make(&workshop, workshop.runner.prepared, &roles[1], 1, 0, NULL, &out),
                   HY_STATUS_OK);
        EXPECT_INT(buffer_write(&in, ones, EXTENT), HY_STATUS_OK);
        for (uint8_t condition = 0; condition < 2; condition++) {
            hy_runner_clear(&workshop.runner);
            hy_runner_input(&workshop.runner, &condition, 1, 0, NULL);
            hy_runner_input(&workshop.runner, NULL, 0, 0, NULL);
            hy_runner_output(&workshop.runner, NULL, 0, 0, NULL);
            workshop_use(&workshop, false, 1, in.token);
            workshop_use(&workshop, true, 0, out.token);
            EXPECT_INT(hy_runner_execute(&workshop.runner), HY_STATUS_OK);
            EXPECT(buffer_holds(&out, expected[condition], EXTENT));
        }
        buffer_destroy(&in);
        buffer_destroy(&out);
        hy_runner_close(&workshop.runner);
        hy_flow_finish(&flow);
    }
}

/* ---- Reusable -------------------------------------------------------------------------------- */

TEST(cpu_buffers_requests, reusable_looks_at_its_buffers_in_every_run)
{
    struct fixture fixture;
    void *reusable = NULL;

    fixture_open(&fixture, EXTENT);
    workshop_use(&fixture.workshop, false, 0, fixture.a.token);
    workshop_use(&fixture.workshop, true, 0, fixture.b.token);
    REQUIRE(hy_runner_reuse(&fixture.workshop.runner, &reusable) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_execute_reused(&fixture.workshop.runner, reusable),
               HY_STATUS_GENERAL_FAILURE); /* there is nothing in it */
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT_INT(buffer_write(&fixture.a, i ? twos : ones, EXTENT), HY_STATUS_OK);
        EXPECT_INT(hy_runner_execute_reused(&fixture.workshop.runner, reusable), HY_STATUS_OK);
        EXPECT_INT(buffer_holds(&fixture.b, twos, EXTENT), i == 0);
    }
    buffer_destroy(&fixture.a);
    EXPECT_INT(hy_runner_execute_reused(&fixture.workshop.runner, reusable),
               HY_STATUS_INVALID_ARGUMENT);
    fixture.workshop.runner.table->reusable_destroy(reusable);
    reusable = &reusable;
    EXPECT_INT(hy_runner_reuse(&fixture.workshop.runner, &reusable), HY_STATUS_INVALID_ARGUMENT);
    EXPECT(reusable == &reusable);
    fixture_close(&fixture);
}
