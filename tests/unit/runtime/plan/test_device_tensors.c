/* Tensors between steps that stay in memory of the device that computes them. */
#include "runtime/compile/compile.h"
#include "runtime/execute/execution_burst.h"
#include "runtime/plan/boundary_tensors.h"
#include "runtime/report/report.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/device_memory_fixture.h"

#include <stdlib.h>

enum { FLOATS = EXTENT * sizeof(float) };

/* Moving a byte to the npu or from it takes a nanosecond, starting it `launch_ns`. */
static void init_costly_devices(uint32_t npu_operations, uint64_t launch_ns)
{
    init_devices(npu_operations);
    npu.fake.device.capabilities.bytes_per_second = UINT64_C(1000000000);
    npu.fake.device.capabilities.launch_ns = launch_ns;
}

/* Each operation is a step, on the npu if it takes it. */
static struct hy_compilation *split(struct hy_app_model *model)
{
    struct fake_device *const both[] = {&npu.fake, &cpu};
    struct hy_compilation *compilation = compile_start(model, both, 2, false);

    if (!compilation)
        return NULL;
    compilation->split_operations = true;
    if (hy_compilation_finish(compilation, NULL) == HY_OK)
        return compilation;
    hy_compilation_release(compilation);
    return NULL;
}

/* y = RELU(x) + FLOOR(RELU(x)): what the first step gives is read by the next two. */
static struct hy_app_model *fork_model(void)
{
    struct fixture f = fixture_create();
    const uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), b = floats(&f, EXTENT);
    const uint32_t y = floats(&f, EXTENT), none = constant(&f, 0);
    const bool ok = relu(&f, x, a) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &a, b) == HY_OK &&
                    add_op(&f, a, b, none, y) == HY_OK && identify(&f, x, y) == HY_OK &&
                    finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}
static const float forked[EXTENT] = {2, 0, 6.25f, 0};

/* One run on memory of the app's own. */
static bool runs_right(struct hy_compilation *compilation, const float *expected)
{
    float output[EXTENT] = {-1, -1, -1, -1};
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    const bool is_right = execution && compute(execution, NULL) == HY_OK &&
                          memcmp(output, expected, sizeof output) == 0;

    hy_execution_release(execution);
    return is_right;
}

/* ---- Where they lie -------------------------------------------------------------------------- */

TEST(device_tensors, steps_of_one_device_find_tensors_in_its_memory)
{
    init_costly_devices(FAKE_ALL, 0);
    struct hy_compilation *compilation = split(chain_model());
    REQUIRE(compilation && compilation->plan->step_count == 4);

    EXPECT_INT(compilation->plan->device_tensor_count, 3);
    EXPECT_INT(compilation->plan->device_tensor_bytes, 3 * FLOATS);
    EXPECT_INT(npu.creates, 0); /* nothing has run */
    EXPECT(runs_right(compilation, result));
    EXPECT_INT(npu.creates, 3);
    EXPECT_INT(npu.last_role_count, 2);
    EXPECT_INT(npu.last_prepared_count, 2);
    EXPECT(npu.last_roles[0].is_output && !npu.last_roles[1].is_output);
    EXPECT_INT(npu.last_extent, EXTENT);
    EXPECT_INT(npu.tokens_seen, 6);
    EXPECT_INT(npu.copies_to + npu.copies_from, 0);
    EXPECT_INT(compilation->copied_bytes, 0);
    EXPECT_INT(npu.refusals, 0);
    hy_compilation_release(compilation);
    EXPECT_INT(npu.live, 0);
}

TEST(device_tensors, each_execution_that_runs_at_once_has_its_own_for_good)
{
    float outputs[2][EXTENT];
    init_costly_devices(FAKE_ALL, 0);
    struct hy_compilation *compilation = split(chain_model());
    REQUIRE(compilation);

    for (unsigned i = 0; i < 5; i++)
        EXPECT(runs_right(compilation, result));
    EXPECT_INT(npu.creates, 3);
    struct hy_execution *a = execution_of(compilation, input, (float *[]){outputs[0]});
    struct hy_execution *b = execution_of(compilation, input, (float *[]){outputs[1]});
    REQUIRE(a && b);
    EXPECT_INT(compute(a, NULL), HY_OK);
    EXPECT_INT(compute(b, NULL), HY_OK);
    EXPECT_INT(npu.creates, 6);
    EXPECT_INT(npu.live, 6);
    hy_execution_release(a);
    hy_execution_release(b);
    EXPECT(runs_right(compilation, result));
    EXPECT_INT(npu.creates, 6);
    hy_compilation_release(compilation);
    EXPECT_INT(npu.live, 0);
}

TEST(device_tensors, device_that_moves_nothing_shares_one_block_with_the_others)
{
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = split(chain_model());
    REQUIRE(compilation);

    EXPECT_INT(compilation->plan->device_tensor_count, 0);
    EXPECT(runs_right(compilation, result));
    EXPECT_INT(npu.creates, 0);
    hy_compilation_release(compilation);
}

TEST(device_tensors, tensor_that_another_device_reads_is_copied_out_once)
{
    init_costly_devices(FAKE_RELU | FAKE_ADD, 0);
    struct hy_compilation *compilation = split(fork_model());
    REQUIRE(compilation && compilation->plan->step_count == 3);

    EXPECT_INT(compilation->plan->device_tensor_count, 1);
    for (uint32_t i = 1; i <= 3; i++) {
        EXPECT(runs_right(compilation, forked));
        EXPECT_INT(npu.copies_to, i);
        EXPECT_INT(compilation->copied_bytes, i * FLOATS);
    }
    EXPECT_INT(npu.creates, 1);
    EXPECT_INT(npu.last_role_count, 2); /* the cpu has none */
    EXPECT_INT(npu.tokens_seen, 6);
    hy_compilation_release(compilation);
}

TEST(device_tensors, tensor_stays_in_shared_memory_where_a_copy_costs_more_than_it_saves)
{
    init_costly_devices(FAKE_RELU | FAKE_ADD, FLOATS);
    struct hy_compilation *compilation = split(fork_model());
    REQUIRE(compilation);

    EXPECT_INT(compilation->plan->device_tensor_count, 0);
    EXPECT(runs_right(compilation, forked));
    EXPECT_INT(npu.creates, 0);
    EXPECT_INT(compilation->copied_bytes, 0);
    hy_compilation_release(compilation);
}

TEST(device_tensors, prediction_counts_what_still_crosses)
{
    init_costly_devices(FAKE_ALL, 0);
    struct hy_compilation *compilation = split(chain_model());
    REQUIRE(compilation);
    const struct hy_plan *plan = compilation->plan;

    EXPECT_INT(hy_boundary_tensors_spared(plan, &plan->steps[0]), FLOATS);
    EXPECT_INT(hy_boundary_tensors_spared(plan, &plan->steps[1]), 2 * FLOATS);
    EXPECT_INT(hy_boundary_tensors_spared(plan, &plan->steps[3]), FLOATS);
    hy_compilation_release(compilation);
    init_costly_devices(FAKE_RELU | FAKE_ADD, 0);
    compilation = split(fork_model());
    REQUIRE(compilation);
    plan = compilation->plan;
    EXPECT_INT(hy_boundary_tensors_spared(plan, &plan->steps[0]), 0); /* it is copied out */
    EXPECT_INT(hy_boundary_tensors_spared(plan, &plan->steps[1]), 0);
    EXPECT_INT(hy_boundary_tensors_spared(plan, &plan->steps[2]), FLOATS);
    hy_compilation_release(compilation);
}

TEST(device_tensors, tensors_of_unknown_size_and_outputs_of_the_model_do_not_lie_there)
{
    float outputs[2][EXTENT];
    init_costly_devices(FAKE_ALL, 0);
    struct hy_compilation *open = split(dynamic_model(0, 0, 0));
    struct hy_compilation *shared = split(shared_output_model());
    REQUIRE(open && shared);

    EXPECT_INT(open->plan->device_tensor_count, 0);
    EXPECT_INT(shared->plan->device_tensor_count, 0);
    struct hy_execution *execution =
        execution_of(shared, input, (float *[]){outputs[0], outputs[1]});
    REQUIRE(execution);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT_INT(npu.creates, 0);
    hy_execution_release(execution);
    hy_compilation_release(open);
    hy_compilation_release(shared);
}

TEST(device_tensors, report_and_graph_show_where_they_lie)
{
    char *text = NULL;
    size_t length;
    init_costly_devices(FAKE_ALL, 0);
    struct hy_compilation *compilation = split(chain_model());
    REQUIRE(compilation);

    REQUIRE(hy_report_json(compilation, NULL, &text, &length, NULL) == HY_OK);
    EXPECT_CONTAINS(text,
                    "{\"first_step\":0,\"last_step\":1,\"bytes\":16,\"device\":\"acme-npu\"}");
    EXPECT_CONTAINS(text, "\"boundary_bytes\":48,\"device_boundary_bytes\":48");
    free(text);
    REQUIRE(hy_report_dot(compilation, &text, &length, NULL) == HY_OK);
    EXPECT_CONTAINS(text, "o0 -> o1 [style=dashed, penwidth=2, label=\"16 B\"]");
    free(text);
    hy_compilation_release(compilation);
}

/* ---- State ----------------------------------------------------------------------------------- */

TEST(device_tensors, state_that_goes_round_through_several_steps_never_leaves_the_device)
{
    static const float start[EXTENT] = {1, 2, 3, 4};
    init_costly_devices(FAKE_ALL, 0);
    struct hy_compilation *compilation = split(chain_model());
    REQUIRE(compilation);
    struct hy_memory *state[2] = {both_roles(compilation), both_roles(compilation)};
    float expected[EXTENT];

    EXPECT_INT(kind_of(state[0]), HY_POOL_BUFFER);
    EXPECT_INT(npu.last_prepared_count, 2); /* the first step reads it, the last one writes it */
    EXPECT_INT(fill(state[0], EXTENT, start), HY_OK);
    const unsigned before = npu.copies_from;
    for (unsigned i = 0; i < 6; i++)
        EXPECT_INT(run_on(compilation, state[i % 2], 0, state[1 - i % 2], 0, NULL), HY_OK);
    EXPECT_INT(npu.copies_from, before);
    EXPECT_INT(npu.copies_to, 0);
    EXPECT_INT(npu.tokens_seen, 6 * (2 + 6));
    EXPECT_INT(compilation->copied_bytes, 0);
    for (unsigned k = 0; k < EXTENT; k++) {
        expected[k] = start[k];
        for (unsigned i = 0; i < 6; i++)
            expected[k] = chain_result(expected[k]);
    }
    EXPECT(holds(state[0], EXTENT, expected));
    hy_memory_release(state[0]);
    hy_memory_release(state[1]);
    hy_compilation_release(compilation);
}

/* ---- Ways to run ----------------------------------------------------------------------------- */

TEST(device_tensors, reusable_and_burst_executions_use_them)
{
    float output[EXTENT];
    init_costly_devices(FAKE_ALL, 0);
    struct hy_compilation *compilation = split(chain_model());
    struct hy_burst *burst = NULL;
    REQUIRE(compilation && hy_burst_create(compilation, &burst, NULL) == HY_OK);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);

    execution->reusable = true;
    for (unsigned i = 0; i < 3; i++) {
        memset(output, 0, sizeof output);
        EXPECT_INT(i < 2 ? compute(execution, NULL) : hy_burst_compute(burst, execution, NULL),
                   HY_OK);
        EXPECT(memcmp(output, result, sizeof output) == 0);
    }
    EXPECT_INT(npu.tokens_seen, 3 * 6);
    hy_execution_release(execution);
    hy_burst_destroy(burst);
    hy_compilation_release(compilation);
}

enum { THREADS = 4, RUNS = 100 };
static atomic_uint right_runs;

static void *run_many(void *compilation)
{
    for (unsigned i = 0; i < RUNS; i++)
        right_runs += runs_right(compilation, result);
    return NULL;
}

TEST(device_tensors, threads_run_at_once)
{
    init_costly_devices(FAKE_ALL, 0);
    struct hy_compilation *compilation = split(chain_model());
    pthread_t threads[THREADS];
    REQUIRE(compilation);

    for (unsigned i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run_many, compilation) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    EXPECT_INT(right_runs, THREADS * RUNS);
    EXPECT_INT(npu.refusals, 0);
    EXPECT_INT(npu.tokens_seen, THREADS * RUNS * 6);
    hy_compilation_release(compilation);
    EXPECT_INT(npu.live, 0);
}

/* ---- Failures -------------------------------------------------------------------------------- */

TEST(device_tensors, device_that_gives_no_memory_computes_in_shared_memory)
{
    init_costly_devices(FAKE_ALL, 0);
    npu.create_status = HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
    struct hy_compilation *compilation = split(chain_model());
    REQUIRE(compilation);

    EXPECT(runs_right(compilation, result));
    EXPECT(runs_right(compilation, result));
    EXPECT_INT(npu.tokens_seen, 0);
    EXPECT_INT(npu.fake.runs, 8);
    EXPECT_INT(cpu.runs, 0);
    hy_compilation_release(compilation);
}

TEST(device_tensors, fallback_steps_compute_in_shared_memory_and_the_device_returns_to_its_own)
{
    init_costly_devices(FAKE_ALL, 0);
    struct hy_compilation *compilation = split(chain_model());
    REQUIRE(compilation);

    EXPECT(runs_right(compilation, result));
    npu.fake.execute_status = HY_STATUS_DEAD_OBJECT; /* nothing comes out of it any more */
    npu.copy_to_status = npu.copy_from_status = HY_STATUS_DEAD_OBJECT;
    EXPECT(runs_right(compilation, result));
    EXPECT_INT(cpu.runs, 4);
    EXPECT_INT(npu.tokens_seen, 6);
    npu.fake.execute_status = npu.copy_to_status = npu.copy_from_status = HY_STATUS_OK;
    EXPECT(runs_right(compilation, result));
    EXPECT_INT(cpu.runs, 4);
    EXPECT_INT(npu.tokens_seen, 12);
    EXPECT_INT(npu.creates, 3);
    EXPECT_INT(compilation->copied_bytes, 0);
    hy_compilation_release(compilation);
}

TEST(device_tensors, copy_out_that_fails_begins_again_in_shared_memory)
{
    init_costly_devices(FAKE_RELU | FAKE_ADD, 0);
    struct hy_compilation *compilation = split(fork_model());
    REQUIRE(compilation);

    npu.copy_to_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT(runs_right(compilation, forked));
    EXPECT_INT(npu.fake.runs, 3); /* the first step twice */
    EXPECT_INT(compilation->copied_bytes, 0);
    npu.copy_to_status = HY_STATUS_OK;
    EXPECT(runs_right(compilation, forked));
    EXPECT_INT(compilation->copied_bytes, FLOATS);
    hy_compilation_release(compilation);
}

TEST(device_tensors, device_alone_that_fails_says_so)
{
    struct hy_error err = {0};
    float output[EXTENT];
    init_costly_devices(FAKE_ALL, 0);
    struct hy_compilation *compilation =
        compile_start(chain_model(), (struct fake_device *[]){&npu.fake}, 1, true);
    REQUIRE(compilation);
    compilation->split_operations = true;
    REQUIRE(hy_compilation_finish(compilation, NULL) == HY_OK);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);

    npu.fake.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(compute(execution, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "acme-npu: execute failed");
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}
