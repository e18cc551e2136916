/*
 * What an inference in a burst asks of the system when its device is in another process, on both
 * sides: nothing, while both are awake. By the library as apps use it.
 */
#include "tests/kit/test.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#include "tests/scenarios/cost/cost.h"
#include "tests/scenarios/cost/ways.h"

enum { WARM_UP = 120, TIMES = 100 };

/* Nobody can keep other programs from taking a CPU away in the middle: then one side sleeps, which
 * is a system call. So it is tried until it comes out once, or for so long. */
#define LONG_ENOUGH 60 /* seconds */

static bool has_two_cpus(cpu_set_t *cpus)
{
    return sched_getaffinity(0, sizeof *cpus, cpus) == 0 && CPU_COUNT(cpus) > 1;
}

/* The library is to see two CPUs when it opens the burst; the first is that of the app's thread. */
static bool infer_on_first_cpu(void *way)
{
    static bool is_there;
    cpu_set_t cpus, one;

    const bool is_done = hy_way_infer(way);
    if (is_there || !has_two_cpus(&cpus))
        return is_done;
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &cpus))
            CPU_SET(cpu, &one);
    }
    (void)sched_setaffinity(0, sizeof one, &one);
    is_there = true;
    return is_done;
}

static struct hy_way *open_way(struct hy_inference **inference)
{
    const struct hy_inference_options options = {.device = "quiet"};
    struct hy_way *way = NULL;
    struct hy_error err = {0};
    char path[1024];

    snprintf(path, sizeof path, "%s/add.tflite", getenv("HALYARD_BENCH_DIR"));
    if (hy_inference_open(path, &options, inference, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    else
        (void)hy_way_open(*inference, HY_WAY_BURST, true, &way);
    return way;
}

static bool is_free(const struct hy_cost *cost)
{
    return cost->is_done && !cost->work_failed && cost->system_call < 0 && cost->allocations == 0;
}

/* Until it costs nothing. False: there is nothing to be told here. */
static bool measure(unsigned warm_up, struct hy_cost *cost)
{
    struct hy_inference *inference = NULL;
    cpu_set_t cpus;
    const time_t end = time(NULL) + LONG_ENOUGH;
    bool is_measured = true;

    if (!hy_cost_can_be_measured() || !has_two_cpus(&cpus))
        return false;
    struct hy_way *way = open_way(&inference);
    EXPECT(way != NULL);
    do {
        is_measured = way && hy_cost_of(infer_on_first_cpu, way, warm_up, TIMES, cost);
    } while (is_measured && !is_free(cost) && time(NULL) < end);
    EXPECT(is_measured);
    hy_way_close(way);
    hy_inference_destroy(inference);
    return true;
}

static void expect_free(unsigned warm_up)
{
    struct hy_cost cost = {0};

    if (!measure(warm_up, &cost))
        return;
    EXPECT(cost.is_done);
    EXPECT(!cost.work_failed);
    EXPECT_INT(cost.system_call, -1);
    EXPECT_INT(cost.allocations, 0);
}

TEST(isolated_cost, burst_asks_nothing_of_the_system_on_either_side)
{
    expect_free(WARM_UP);
}

/* ---- HALYARD_BURST_WAIT ---------------------------------------------------------------------- */

/* From the first execution on: there is nothing to learn. The first opens the queues. */
TEST(burst_wait_poll, burst_asks_nothing_of_the_system)
{
    expect_free(2);
}

/* However quick the answers are: the app's thread sleeps, which is a system call. Where it looks
 * first, some of so many answers come without one, on a machine that is busy, too. */
TEST(burst_wait_block, each_wait_sleeps)
{
    struct hy_inference *inference = NULL;
    cpu_set_t cpus;

    if (!hy_cost_can_be_measured() || !has_two_cpus(&cpus))
        return;
    struct hy_way *way = open_way(&inference);
    REQUIRE(way != NULL);
    for (int i = 0; i < 300; i++) {
        struct hy_cost cost = {0};
        REQUIRE(hy_cost_of(infer_on_first_cpu, way, WARM_UP, 1, &cost));
        EXPECT_INT(cost.system_call, SYS_futex);
    }
    hy_way_close(way);
    hy_inference_destroy(inference);
}
