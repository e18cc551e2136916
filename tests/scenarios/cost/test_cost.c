/*
 * What an inference asks of the system once a few have run: on one thread, without a driver in
 * another process, no memory and no system call. By the library as apps use it.
 */
#include <halyard/halyard.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/kit/test.h"
#include "tests/scenarios/cost/cost.h"
#include "tests/scenarios/cost/ways.h"

enum { WARM_UP = 100, TIMES = 300 };

static bool can_measure(void)
{
    if (hy_cost_can_be_measured())
        return true;
    printf("(skipped: a sanitizer allocates and makes system calls itself) ");
    return false;
}

static bool measure_cost(bool (*work)(void *argument), void *argument, unsigned warm_up,
                         struct hy_cost *cost)
{
    if (!hy_cost_of(work, argument, warm_up, TIMES, cost)) {
        hy_test_fail(__FILE__, __LINE__, "no child process");
        return false;
    }
    if (cost->is_done && !cost->system_calls_watched)
        printf("(skipped: no seccomp filter to watch system calls with) ");
    return true;
}

static void expect_free(const char *what, const struct hy_cost *cost)
{
    EXPECT(cost->is_done);
    EXPECT(!cost->work_failed);
    if (cost->system_call >= 0)
        hy_test_fail(__FILE__, __LINE__, "%s: made system call %d", what, cost->system_call);
    if (cost->allocations > 0)
        hy_test_fail(__FILE__, __LINE__, "%s: %lu allocations in %d inferences", what,
                     cost->allocations, TIMES);
}

static void check_way(const struct hy_inference *inference, enum hy_way_run run, bool in_memory)
{
    struct hy_way *way = NULL;
    struct hy_cost cost;
    if (!hy_way_open(inference, run, in_memory, &way))
        return;
    if (measure_cost(hy_way_infer, way, WARM_UP, &cost))
        expect_free(hy_way_name(way), &cost);
    hy_way_close(way);
}

static void check_ways(const struct hy_inference *inference)
{
    for (int run = 0; run < HY_WAY_RUNS; run++) {
        check_way(inference, (enum hy_way_run)run, false);
        check_way(inference, (enum hy_way_run)run, true);
    }
}

/* NULL is a recorded failure. */
static struct hy_inference *open_model(const char *variable, const char *file, const char *device)
{
    const struct hy_inference_options options = {.device = device};
    const char *dir = getenv(variable);
    struct hy_inference *inference = NULL;
    struct hy_error err = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir ? dir : ".", file);
    if (hy_inference_open(path, &options, &inference, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    return inference;
}

static uint32_t count_steps(const struct hy_inference *inference)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};
    EXPECT_INT(halyard_compilation_get_plan(hy_inference_compilation(inference), &plan), 0);
    return plan.step_count;
}

/* ---- Inferences ------------------------------------------------------------------------------ */

TEST(cost, one_operation_asks_nothing_of_the_system)
{
    if (!can_measure())
        return;
    struct hy_inference *inference = open_model("HALYARD_BENCH_DIR", "add.tflite", "halyard-cpu");
    if (inference)
        check_ways(inference);
    hy_inference_destroy(inference);
}

TEST(cost, network_asks_nothing_of_the_system)
{
    if (!can_measure())
        return;
    struct hy_inference *inference =
        open_model("HALYARD_EXAMPLES_DIR", "digits/digits.tflite", "halyard-cpu");
    if (inference)
        check_ways(inference);
    hy_inference_destroy(inference);
}

/* The sample driver takes a part of it, see meson.build. */
TEST(cost, network_on_two_devices_asks_nothing_of_the_system)
{
    if (!can_measure())
        return;
    struct hy_inference *inference =
        open_model("HALYARD_EXAMPLES_DIR", "digits/digits.tflite", NULL);
    if (inference) {
        EXPECT(count_steps(inference) > 1);
        check_ways(inference);
    }
    hy_inference_destroy(inference);
}

/* ---- That it would be noticed ---------------------------------------------------------------- */

static bool do_nothing(void *argument)
{
    (void)argument;
    return true;
}

static bool call_system(void *argument)
{
    unsigned *times = argument;
    return ++*times <= WARM_UP + 1 || getppid() > 0;
}

static bool allocate(void *argument)
{
    void *volatile *memory = argument;
    *memory = malloc(16);
    free(*memory);
    return true;
}

static bool crash(void *argument)
{
    (void)argument;
    abort();
}

TEST(cost, nothing_is_told_as_nothing)
{
    struct hy_cost cost;
    if (can_measure() && measure_cost(do_nothing, NULL, WARM_UP, &cost))
        expect_free("nothing", &cost);
}

TEST(cost, system_call_is_noticed_by_its_number)
{
    unsigned times = 0;
    struct hy_cost cost;
    if (!can_measure() || !measure_cost(call_system, &times, WARM_UP, &cost))
        return;
    EXPECT(cost.is_done);
    if (cost.system_calls_watched)
        EXPECT_INT(cost.system_call, SYS_getppid);
}

TEST(cost, allocations_are_counted)
{
    void *memory = NULL;
    struct hy_cost cost;
    if (!can_measure() || !measure_cost(allocate, &memory, 1, &cost))
        return;
    EXPECT_INT(cost.allocations, TIMES);
}

TEST(cost, death_is_not_taken_for_success)
{
    struct hy_cost cost;
    if (can_measure() && measure_cost(crash, NULL, 1, &cost))
        EXPECT(!cost.is_done);
}
