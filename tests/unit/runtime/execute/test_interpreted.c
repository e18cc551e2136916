/* IF and WHILE that the runtime interprets, with their bodies on devices. */
#include "common/clock.h"
#include "runtime/compile/compile.h"
#include "runtime/event/event.h"
#include "runtime/execute/execution_burst.h"
#include "runtime/plan/bodies.h"
#include "tests/kit/allocation_count.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/unit/runtime/kit/loop_fixture.h"
#include "tests/unit/runtime/kit/partial_device.h"

static struct partial_device one, two;
static const float x[EXTENT] = {-1.5f, .25f, 3, 1000};

/* Devices that have the operations of the models between them, none of them IF or WHILE. */
static void init_devices(void)
{
    static const int32_t first[] = {ANEURALNETWORKS_LESS, ANEURALNETWORKS_MUL},
                         second[] = {ANEURALNETWORKS_ADD, ANEURALNETWORKS_RELU};
    partial_device_init(&one, "acme-one", 1, 2, first);
    partial_device_init(&two, "acme-two", 1, 2, second);
}

static struct hy_compilation *compile_split(struct hy_app_model *model)
{
    const struct hy_runtime_device *devices[] = {&one.device, &two.device};
    struct hy_error err = {0};

    init_devices();
    struct hy_compilation *compilation = compile_on(model, devices, 2, &err);
    EXPECT_STR(err.text, "");
    return compilation;
}

/* What halyard-cpu alone makes of it. */
static void run_whole(struct hy_app_model *model, const void *second, size_t size, float *out)
{
    const struct hy_runtime_device *cpu = real_cpu();
    struct hy_compilation *compilation = compile_on(model, &cpu, 1, NULL);

    REQUIRE(compilation);
    EXPECT_INT(run_with(compilation, x, second, size, out, NULL), HY_OK);
    hy_compilation_release(compilation);
}

static void expect_same_as_whole(bool nested, float limit)
{
    float whole[EXTENT], split[EXTENT];
    struct hy_compilation *compilation = compile_split(count_model(nested));

    REQUIRE(compilation);
    run_whole(count_model(nested), &limit, sizeof limit, whole);
    EXPECT_INT(run_with(compilation, x, &limit, sizeof limit, split, NULL), HY_OK);
    EXPECT(memcmp(whole, split, sizeof whole) == 0);
    EXPECT(one.runs > 0);
    EXPECT(limit == 0 || two.runs > 0);
    hy_compilation_release(compilation);
    EXPECT_INT(one.prepared + two.prepared, 0);
}

TEST(interpreted, loop_over_two_devices_gives_what_one_gives)
{
    for (int limit = 1; limit <= 6; limit++)
        expect_same_as_whole(false, (float)limit);
}

TEST(interpreted, loop_without_a_round_gives_what_it_got)
{
    float limit = 0, out[EXTENT];
    struct hy_compilation *compilation = compile_split(count_model(false));

    REQUIRE(compilation);
    EXPECT_INT(run_with(compilation, x, &limit, sizeof limit, out, NULL), HY_OK);
    EXPECT(memcmp(x, out, sizeof out) == 0);
    EXPECT_INT(one.runs, 1);
    EXPECT_INT(two.runs, 0);
    hy_compilation_release(compilation);
}

TEST(interpreted, branch_inside_a_loop)
{
    for (int limit = 0; limit <= 5; limit++)
        expect_same_as_whole(true, (float)limit);
}

TEST(interpreted, either_branch_runs_on_its_device)
{
    for (uint8_t condition = 0; condition < 2; condition++) {
        float whole[EXTENT], split[EXTENT];
        struct hy_compilation *compilation = compile_split(if_model());
        REQUIRE(compilation);
        run_whole(if_model(), &condition, 1, whole);
        EXPECT_INT(run_with(compilation, x, &condition, 1, split, NULL), HY_OK);
        EXPECT(memcmp(whole, split, sizeof whole) == 0);
        EXPECT_INT(one.runs, condition);
        EXPECT_INT(two.runs, condition ? 1 : 2);
        hy_compilation_release(compilation);
    }
}

/* Interpreting prepares nothing itself; the steps of the bodies have the setting of the whole. */
TEST(interpreted, bodies_come_from_the_cache_alone_where_the_whole_has_to)
{
    const struct hy_runtime_device *devices[] = {&one.device, &two.device};
    struct hy_compilation *compilation = NULL;
    struct hy_app_model *model = if_model();
    struct hy_error err = {0};

    init_devices();
    EXPECT_INT(hy_compilation_create(model, devices, 2, true, &compilation, &err), HY_OK);
    hy_app_model_release(model);
    REQUIRE(compilation);
    compilation->only_cached = true;
    EXPECT_INT(hy_compilation_finish(compilation, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "not in the cache");
    EXPECT_INT(one.prepared + two.prepared, 0);
    hy_compilation_release(compilation);
}

/* ---- Time ------------------------------------------------------------------------------------ */

static enum hy_code run_limited(float limit, uint64_t loop_timeout, struct hy_error *err)
{
    float out[EXTENT];
    struct hy_compilation *compilation = compile_split(count_model(false));
    struct hy_execution *execution =
        compilation ? execution_with(compilation, x, &limit, sizeof limit, out) : NULL;
    enum hy_code code = HY_OUT_OF_MEMORY;

    if (execution) {
        execution->loop_timeout = loop_timeout;
        code = compute(execution, err);
    }
    hy_execution_release(execution);
    hy_compilation_release(compilation);
    return code;
}

/* Devices that do not look at the time themselves. */
TEST(interpreted, deadline_of_a_compilation_ends_the_planning_of_bodies)
{
    const struct hy_runtime_device *devices[] = {&one.device, &two.device};
    struct hy_app_model *model = count_model(true);
    struct hy_error err = {0};
    struct hy_compilation *compilation = NULL;

    init_devices();
    REQUIRE(model);
    REQUIRE(hy_compilation_create(model, devices, 2, true, &compilation, &err) == HY_OK);
    compilation->timeout = 1;
    EXPECT_INT(hy_compilation_finish(compilation, &err), HY_MISSED_DEADLINE_FOR_GOOD);
    EXPECT_CONTAINS(err.text, "the deadline passed before the plan was made");
    hy_compilation_release(compilation);
    hy_app_model_release(model);
    EXPECT_INT(one.prepared + two.prepared, 0);
}

/* On a busy machine the time may be over before the first body has run: then there is more. */
enum { SHORT_NS = 2000000, LONGEST_NS = 1500000000 };

TEST(interpreted, endless_loop_ends_at_its_timeout)
{
    for (uint32_t timeout = SHORT_NS; timeout < LONGEST_NS; timeout *= 3) {
        struct hy_error err = {0};
        char expected[96];
        snprintf(expected, sizeof expected,
                 "interpreter: execute failed: the loop timeout of %u ns has passed", timeout);
        EXPECT_INT(run_limited(1e30f, timeout, &err), HY_MISSED_DEADLINE);
        EXPECT_STR(err.text, expected);
        if (two.runs > 0)
            break;
    }
    EXPECT(two.runs > 0);
}

TEST(interpreted, loop_timeout_of_zero_ends_before_the_first_round)
{
    EXPECT_INT(run_limited(1, 0, NULL), HY_MISSED_DEADLINE);
    EXPECT_INT(one.runs, 1);
    EXPECT_INT(two.runs, 0);
    EXPECT_INT(run_limited(0, 0, NULL), HY_OK);
}

static void run_until_deadline(uint32_t timeout)
{
    float limit = 1e30f, out[EXTENT];
    struct hy_error err = {0};
    struct hy_compilation *compilation = compile_split(count_model(false));
    REQUIRE(compilation);
    struct hy_execution *execution = execution_with(compilation, x, &limit, sizeof limit, out);

    REQUIRE(execution);
    EXPECT_INT(hy_execution_begin(execution, HY_RUN_SYNC, &err), HY_OK);
    const enum hy_code code = hy_execution_run(execution, NULL, hy_clock_deadline(timeout), &err);
    /* It is between two bodies that the loop looks; a device that is about to start does, too. */
    EXPECT(code == HY_MISSED_DEADLINE || code == HY_MISSED_DEADLINE_FOR_GOOD);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(interpreted, deadline_ends_a_loop)
{
    uint32_t timeout = SHORT_NS;

    do {
        run_until_deadline(timeout);
        timeout *= 3;
    } while (two.runs == 0 && timeout < LONGEST_NS);
    EXPECT(two.runs > 0);
}

/* ---- Failures -------------------------------------------------------------------------------- */

TEST(interpreted, body_that_nobody_can_run_fails_the_loop)
{
    float limit = 2, out[EXTENT];
    struct hy_error err = {0};
    struct hy_compilation *compilation = compile_split(count_model(false));

    REQUIRE(compilation);
    two.execute_status = HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
    EXPECT_INT(run_with(compilation, x, &limit, sizeof limit, out, &err), HY_EXHAUSTED_FOR_GOOD);
    EXPECT_STR(err.text, "interpreter: execute failed: body model: acme-two: execute failed: out "
                         "of order");
    two.execute_status = HY_STATUS_OK;
    EXPECT_INT(run_with(compilation, x, &limit, sizeof limit, out, &err), HY_OK);
    hy_compilation_release(compilation);
}

TEST(interpreted, step_of_a_body_has_fallback_steps)
{
    static const int32_t third[] = {ANEURALNETWORKS_ADD};
    static struct partial_device fallback_device;
    const struct hy_runtime_device *devices[] = {&one.device, &two.device, &fallback_device.device};
    float limit = 3, whole[EXTENT], out[EXTENT];

    init_devices();
    partial_device_init(&fallback_device, "acme-spare", 2, 1, third);
    struct hy_compilation *compilation = compile_on(count_model(false), devices, 3, NULL);
    REQUIRE(compilation);
    two.execute_status = HY_STATUS_GENERAL_FAILURE;
    run_whole(count_model(false), &limit, sizeof limit, whole);
    EXPECT_INT(run_with(compilation, x, &limit, sizeof limit, out, NULL), HY_OK);
    EXPECT(memcmp(whole, out, sizeof out) == 0);
    EXPECT_INT(fallback_device.runs, 3); /* once a round */
    hy_compilation_release(compilation);
    EXPECT_INT(fallback_device.prepared, 0);
}

TEST(interpreted, body_that_cannot_be_prepared_leaves_the_loop_to_others)
{
    static const int32_t all[] = {ANEURALNETWORKS_LESS, ANEURALNETWORKS_MUL, ANEURALNETWORKS_ADD,
                                  ANEURALNETWORKS_RELU, ANEURALNETWORKS_WHILE};
    static struct partial_device slow;
    const struct hy_runtime_device *devices[] = {&one.device, &two.device, &slow.device};
    float limit = 3, out[EXTENT];

    init_devices();
    partial_device_init(&slow, "acme-slow", 1000, 5, all);
    one.prepare_status = two.prepare_status = HY_STATUS_INVALID_ARGUMENT;
    struct hy_compilation *compilation = compile_on(count_model(false), devices, 3, NULL);
    REQUIRE(compilation);
    EXPECT_INT(run_with(compilation, x, &limit, sizeof limit, out, NULL), HY_OK);
    EXPECT(slow.runs > 0);
    hy_compilation_release(compilation);
}

/* ---- Ways to run ----------------------------------------------------------------------------- */

TEST(interpreted, reusable_execution_runs_again)
{
    float limit = 0, whole[EXTENT], out[EXTENT];
    struct hy_compilation *compilation = compile_split(count_model(true));
    REQUIRE(compilation);
    struct hy_execution *execution = execution_with(compilation, x, &limit, sizeof limit, out);

    REQUIRE(execution);
    execution->reusable = true;
    for (; limit < 5; limit++) {
        EXPECT_INT(compute(execution, NULL), HY_OK);
        run_whole(count_model(true), &limit, sizeof limit, whole);
        EXPECT(memcmp(whole, out, sizeof out) == 0);
    }
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(interpreted, burst_and_fenced_execution)
{
    float limit = 4, whole[EXTENT], out[2][EXTENT];
    struct hy_compilation *compilation = compile_split(count_model(true));
    struct hy_burst *burst = NULL;
    struct hy_event *event = NULL;
    REQUIRE(compilation);
    struct hy_execution *first = execution_with(compilation, x, &limit, sizeof limit, out[0]);
    struct hy_execution *second = execution_with(compilation, x, &limit, sizeof limit, out[1]);

    REQUIRE(first && second);
    run_whole(count_model(true), &limit, sizeof limit, whole);
    EXPECT_INT(hy_burst_create(compilation, &burst, NULL), HY_OK);
    EXPECT_INT(hy_burst_compute(burst, first, NULL), HY_OK);
    EXPECT_INT(hy_event_start_fenced(second, NULL, 0, 0, &event, NULL), HY_OK);
    EXPECT_INT(hy_event_wait(event, NULL), HY_OK);
    EXPECT(memcmp(whole, out[0], sizeof whole) == 0);
    EXPECT(memcmp(whole, out[1], sizeof whole) == 0);
    hy_event_destroy(event);
    hy_burst_destroy(burst);
    hy_execution_release(first);
    hy_execution_release(second);
    hy_compilation_release(compilation);
}

struct part {
    struct hy_compilation *compilation;
    float limit;
    float want[EXTENT];
    unsigned wrong;
};

static void run_part(void *argument)
{
    struct part *part = argument;

    for (int i = 0; i < 50; i++) {
        float out[EXTENT];
        const enum hy_code code =
            run_with(part->compilation, x, &part->limit, sizeof part->limit, out, NULL);
        part->wrong += code != HY_OK || memcmp(out, part->want, sizeof out) != 0;
    }
}

TEST(interpreted, threads_run_one_loop_at_once)
{
    struct part parts[4];
    struct hy_compilation *compilation = compile_split(count_model(true));

    REQUIRE(compilation);
    for (unsigned i = 0; i < 4; i++) {
        parts[i] = (struct part){.compilation = compilation, .limit = (float)i + 1};
        run_whole(count_model(true), &parts[i].limit, sizeof(float), parts[i].want);
    }
    EXPECT(hy_threads_run(4, run_part, parts, sizeof *parts));
    for (unsigned i = 0; i < 4; i++)
        EXPECT_INT(parts[i].wrong, 0);
    hy_compilation_release(compilation);
}

TEST(interpreted, loop_that_has_run_allocates_nothing)
{
    float limit = 5, out[EXTENT];
    struct hy_compilation *compilation = compile_split(count_model(true));

    REQUIRE(compilation);
    for (int i = 0; i < 3; i++)
        EXPECT_INT(run_with(compilation, x, &limit, sizeof limit, out, NULL), HY_OK);
    const unsigned long before = hy_allocation_count();
    for (int i = 0; i < 10; i++)
        EXPECT_INT(run_with(compilation, x, &limit, sizeof limit, out, NULL), HY_OK);
    EXPECT_INT(hy_allocation_count() - before, 0);
    hy_compilation_release(compilation);
}

TEST(interpreted, what_a_loop_gives_is_copied_once_and_counted)
{
    float limit = 5, out[EXTENT];
    struct hy_compilation *compilation = compile_split(count_model(false));

    REQUIRE(compilation);
    for (unsigned i = 1; i <= 3; i++) {
        EXPECT_INT(run_with(compilation, x, &limit, sizeof limit, out, NULL), HY_OK);
        EXPECT_INT(compilation->copied_bytes, i * sizeof out);
    }
    hy_compilation_release(compilation);
}

/* Whatever allocation fails, the compilation or the run does, and the next is in order. */
TEST(interpreted, lack_of_memory_is_an_error)
{
    const struct hy_runtime_device *devices[] = {&one.device, &two.device};
    bool is_over = false;

    for (unsigned long i = 1; !is_over && i < 2000; i++) {
        float limit = 2, out[EXTENT];
        struct hy_app_model *model = count_model(true);
        struct hy_error err = {0};
        init_devices();
        REQUIRE(model);
        const unsigned long number = hy_allocation_count() + i;
        hy_allocation_fail_at(number);
        struct hy_compilation *compilation = compile_on(model, devices, 2, &err);
        enum hy_code code = HY_OUT_OF_MEMORY;
        if (compilation)
            code = run_with(compilation, x, &limit, sizeof limit, out, &err);
        is_over = hy_allocation_count() < number;
        hy_allocation_fail_at(0);
        EXPECT(code == HY_OK || code == HY_OUT_OF_MEMORY || code == HY_EXHAUSTED ||
               code == HY_BAD_DATA);
        if (is_over)
            EXPECT_INT(code, HY_OK);
        if (compilation)
            EXPECT_INT(run_with(compilation, x, &limit, sizeof limit, out, NULL), HY_OK);
        hy_compilation_release(compilation);
        EXPECT_INT(one.prepared + two.prepared, 0);
    }
    EXPECT(is_over);
}

/* ---- Planning and reports -------------------------------------------------------------------- */

TEST(interpreted, report_names_the_devices_of_the_bodies)
{
    struct hy_compilation *compilation = compile_split(count_model(true));

    REQUIRE(compilation);
    const struct hy_plan *plan = compilation->plan;
    EXPECT_STR(plan->why[0], "interpreted: bodies on acme-one, acme-two");
    EXPECT_INT(plan->fallback_count, 0);
    EXPECT_INT(plan->step_count, 1);
    const struct hy_runtime_device *seen = hy_bodies_seen_device(plan, plan->assigned[0].device, 0);
    EXPECT(seen == &one.device || seen == &two.device);
    hy_compilation_release(compilation);
}

TEST(interpreted, search_state_of_bodies_is_freed_once_all_is_prepared)
{
    struct hy_compilation *compilation = compile_split(count_model(true));

    REQUIRE(compilation);
    const struct hy_bodies *bodies = compilation->plan->bodies;
    REQUIRE(bodies && bodies->count > 0);
    for (uint32_t i = 0; i < bodies->count; i++)
        EXPECT(bodies->list[i].plan && !bodies->list[i].plan->search);
    hy_compilation_release(compilation);
}

/* (x) -> WHILE with tensors of `extent` floats */
static struct hy_app_model *large_loop(uint32_t extent)
{
    struct fixture c = fixture_create(), b = fixture_create(), f = fixture_create();
    const uint32_t c_in[] = {floats(&c, extent), floats(&c, 1)};
    const uint32_t c_out = bools(&c, 1), limit = float_constant(&c, 1, 3);
    const uint32_t b_in[] = {floats(&b, extent), floats(&b, 1)};
    const uint32_t b_out[] = {floats(&b, extent), floats(&b, 1)};
    const uint32_t none = constant(&b, 0), step = float_constant(&b, 1, 1);
    bool ok = op(&c, ANEURALNETWORKS_LESS, 2, (const uint32_t[]){c_in[1], limit}, c_out) == HY_OK &&
              add_op(&b, b_in[0], b_in[0], none, b_out[0]) == HY_OK &&
              add_op(&b, b_in[1], step, none, b_out[1]) == HY_OK;
    struct hy_app_model *condition = finished(&c, ok, 2, c_in, 1, &c_out);
    struct hy_app_model *body = finished(&b, ok, 2, b_in, 2, b_out);
    const uint32_t in = floats(&f, extent), out = floats(&f, extent);
    const uint32_t inputs[] = {model_operand(&f, condition), model_operand(&f, body), in,
                               float_constant(&f, 1, 0)};

    ok = op(&f, ANEURALNETWORKS_WHILE, 4, inputs, out) == HY_OK;
    hy_app_model_release(condition);
    hy_app_model_release(body);
    return finished(&f, ok, 1, &in, 1, &out);
}

/* The device of the loop: halyard-cpu, or the interpreter with the body on acme-two. */
static const char *device_of_loop(uint32_t extent, float cost)
{
    static const int32_t adds[] = {ANEURALNETWORKS_ADD};
    const struct hy_runtime_device *devices[] = {&two.device, real_cpu()};
    const char *name = "nowhere";

    partial_device_init(&two, "acme-two", cost, 1, adds);
    struct hy_compilation *compilation = compile_on(large_loop(extent), devices, 2, NULL);
    if (compilation)
        name = compilation->plan->steps[0].device->info.name;
    hy_compilation_release(compilation);
    return name;
}

TEST(interpreted, loop_goes_where_its_bodies_cost_less)
{
    EXPECT_STR(device_of_loop(1u << 20, .1f), "interpreter");
    EXPECT_STR(device_of_loop(1u << 20, 2), "halyard-cpu");
    EXPECT_STR(device_of_loop(4, .1f), "halyard-cpu"); /* less is saved than interpreting costs */
}

TEST(interpreted, loop_over_unknown_sizes_stays_on_the_cpu)
{
    const struct hy_runtime_device *devices[] = {&two.device};
    struct hy_error err = {0};

    EXPECT_STR(device_of_loop(0, .1f), "halyard-cpu");
    EXPECT(compile_on(large_loop(0), devices, 1, &err) == NULL);
    EXPECT_INT(err.code, HY_BAD_DATA);
}
