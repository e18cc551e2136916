/* Graphs made by chance, on devices that share out their operations by chance: what comes out has
 * the bits that one device with the same kernels gives alone. */
#include "common/random.h"
#include "tests/kit/test.h"
#include "tests/scenarios/graphs/graph_run.h"
#include "tests/scenarios/graphs/random_graph.h"
#include "tests/scenarios/graphs/random_partition.h"

#include <dlfcn.h>
#include <halyard/halyard.h>
#include <stdlib.h>

#define PARTITIONERS 3u /* of a compilation */

static dealing_deal_fn *deal;

/* The one that has the kernels of the dealers: HALYARD_TEST_DEVICE, or nnapi-reference. */
static const char *whole_device(void)
{
    const char *name = getenv("HALYARD_TEST_DEVICE");
    return name ? name : "nnapi-reference";
}

/* What the plans were like. */
static struct {
    uint32_t graphs;
    uint32_t split;
    uint32_t steps;
} plans;

static void count_plan(const ANeuralNetworksCompilation *compilation)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};
    if (halyard_compilation_get_plan(compilation, &plan) != ANEURALNETWORKS_NO_ERROR)
        return;
    plans.graphs++;
    plans.split += plan.step_count > 1;
    plans.steps += plan.step_count;
}

/* Some of the devices, and the one that always can. */
static void choose_devices(uint64_t seed, char names[PARTITIONERS][sizeof "deal-a"],
                           const char *devices[PARTITIONERS + 1])
{
    const uint32_t first = (uint32_t)(hy_random_mix(seed, 2) % RANDOM_PARTITION_DEVICES);
    for (uint32_t i = 0; i < PARTITIONERS; i++) {
        snprintf(names[i], sizeof names[i], "deal-%c", 'a' + (int)((first + i * 3) % 8));
        devices[i] = names[i];
    }
    devices[PARTITIONERS] = whole_device();
}

static enum hy_code run_split(uint64_t seed, ANeuralNetworksModel *model,
                              const struct graph_run *want, struct hy_error *err)
{
    static const struct graph_course courses[] = {
        {HY_RUN_SYNC, false}, {HY_RUN_SYNC, true}, {HY_RUN_BURST, false}};
    char names[PARTITIONERS][sizeof "deal-a"];
    const char *devices[PARTITIONERS + 1];
    struct graph_run run;
    choose_devices(seed, names, devices);
    deal(seed);
    enum hy_code code = graph_run_start(&run, want->graph, model, devices, PARTITIONERS + 1, err);
    if (code == HY_OK)
        count_plan(run.compilation);
    for (size_t i = 0; code == HY_OK && i < sizeof courses / sizeof *courses; i++) {
        code = graph_run_execute(&run, &courses[i], err);
        if (code == HY_OK)
            code = graph_run_compare(&run, want, err);
        if (code != HY_OK)
            code = hy_error_prefix(err, code, "%s%s", hy_run_mode_name(courses[i].mode),
                                   courses[i].is_reused ? ", reusable" : "");
    }
    graph_run_finish(&run);
    return code;
}

static enum hy_code run_whole(const struct graph *graph, ANeuralNetworksModel *model,
                              struct graph_run *want, struct hy_error *err)
{
    const char *const device = whole_device();
    enum hy_code code = graph_run_start(want, graph, model, &device, 1, err);
    if (code == HY_OK)
        code = graph_run_execute(want, &(struct graph_course){HY_RUN_SYNC, false}, err);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "%s alone", device);
}

/* The first `count` operations of the graph of a seed. */
static enum hy_code check(uint64_t seed, uint32_t count, struct hy_error *err)
{
    struct hy_arena arena = {0};
    static struct graph_models models; /* large */
    static struct graph_run want;
    enum hy_code code = HY_OK;
    want = (struct graph_run){0};
    const struct graph *graph = random_graph_make(seed, count, &arena);
    if (!graph)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "the graph");
    if (code == HY_OK)
        code = graph_build(graph, &models, err);
    if (code == HY_OK)
        code = run_whole(graph, models.main, &want, err);
    if (code == HY_OK)
        code = run_split(seed, models.main, &want, err);
    graph_run_finish(&want);
    graph_models_finish(&models);
    hy_arena_finish(&arena);
    return code;
}

/* Fewer operations are easier to look at. */
static void check_seed(uint64_t seed)
{
    struct hy_error err;
    const uint32_t size = random_graph_size(seed);
    if (check(seed, size, &err) == HY_OK) {
        hy_test_pass(__FILE__, __LINE__);
        return;
    }
    uint32_t count = 1;
    while (count < size && check(seed, count, &err) == HY_OK)
        count++;
    if (count == size)
        (void)check(seed, size, &err);
    hy_test_fail(__FILE__, __LINE__, "seed %llu, %u of %u operations: %s", (unsigned long long)seed,
                 count, size, err.text);
}

static void check_seeds(uint64_t first, uint64_t count)
{
    void *library = dlopen(DEALING_PATH, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != NULL);
    deal = (dealing_deal_fn *)dlsym(library, DEALING_SYMBOL);
    REQUIRE(deal != NULL);
    memset(&plans, 0, sizeof plans);
    for (uint64_t seed = first; seed < first + count; seed++)
        check_seed(seed);
    printf("%u graphs, %u of them split, %u steps\n", plans.graphs, plans.split, plans.steps);
    dlclose(library);
}

TEST(random_graphs, quick_split_as_whole)
{
    check_seeds(0, 500);
    EXPECT(plans.split > plans.graphs / 2);
}

TEST(random_graphs, slow_split_as_whole)
{
    check_seeds(500, 4500);
    EXPECT(plans.split > plans.graphs / 2);
}

/* HALYARD_TEST_SEED: the seed that a failure told. */
TEST(random_graphs, seed_of_choice)
{
    const char *seed = getenv("HALYARD_TEST_SEED");
    if (seed)
        check_seeds(strtoull(seed, NULL, 10), 1);
}
