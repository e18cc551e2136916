/* What a driver of ours keeps in a burst, and drops. The same tests for each of the drivers. */
#include "scene.h"

#include "test.h"

#include <pthread.h>
#include <time.h>

#define ABI_1_0 HY_ABI(1, 0)

/* A scene with one burst. False: it could not be opened. */
static bool open_burst(struct scene *scene, uint32_t abi, void **burst)
{
    *burst = NULL;
    if (!scene_open(scene, abi))
        return false;
    EXPECT(scene->table->burst_open != NULL);
    if (!scene->table->burst_open)
        return false;
    const int32_t status = scene->table->burst_open(scene->prepared, burst);
    EXPECT_INT(status, HY_STATUS_OK);
    return status == HY_STATUS_OK;
}

/* 0 + 1 = 2, with numbers that follow from the seed. */
static void expect_sum(struct scene *scene, void *burst, unsigned seed)
{
    scene_fill(scene, 0, (float)seed);
    scene_fill(scene, 1, 0.5f);
    EXPECT_INT(scene_add(scene, burst, 0, 1, 2), HY_STATUS_OK);
    EXPECT(scene_value(scene, 2) == (float)seed + 0.5f);
}

TEST(driver_bursts, address_of_memory_is_asked_once_for_many_executions)
{
    struct scene scene;
    void *burst;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < 20; i++)
            expect_sum(&scene, burst, i);
        for (unsigned i = 0; i < 3; i++)
            EXPECT_INT(scene.memories[i].map_calls, 1);
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

TEST(driver_bursts, released_memory_is_asked_for_anew_and_other_memory_is_not)
{
    struct scene scene;
    void *burst;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < 4; i++)
            expect_sum(&scene, burst, i);
        scene.table->burst_release(burst, scene.memories[0].id);
        scene_unmap(&scene, 0);
        for (unsigned i = 4; i < 8; i++)
            expect_sum(&scene, burst, i);
        EXPECT_INT(scene.memories[0].map_calls, 2);
        EXPECT_INT(scene.memories[1].map_calls, 1);
        EXPECT_INT(scene.memories[2].map_calls, 1);
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

/* What the driver had is gone with what the host had: nobody else keeps the memory alive. */
TEST(driver_bursts, released_memory_leaves_no_mapping)
{
    struct scene scene;
    void *burst;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        EXPECT_INT(scene_mappings(), 0);
        for (unsigned i = 0; i < 4; i++)
            expect_sum(&scene, burst, i);
        EXPECT_INT(scene_mappings(), 3);
        for (unsigned i = 0; i < 3; i++) {
            scene.table->burst_release(burst, scene.memories[i].id);
            scene_unmap(&scene, i);
        }
        EXPECT_INT(scene_mappings(), 0);
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

/* 0 is no id; 65 and 129 have the same lower bits as memory that is in use. */
TEST(driver_bursts, release_of_an_unknown_id_drops_nothing)
{
    static const uint64_t unknown[] = {0, 65, 129, 0x7fffffff, UINT64_MAX};
    struct scene scene;
    void *burst;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++) {
            expect_sum(&scene, burst, i);
            scene.table->burst_release(burst, unknown[i]);
        }
        expect_sum(&scene, burst, 9);
        EXPECT_INT(scene_map_calls(&scene), 3);
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

TEST(driver_bursts, memory_whose_ids_have_the_same_lower_bits_is_told_apart)
{
    struct scene scene;
    void *burst;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        scene.memories[3].id = scene.memories[0].id + 64;
        scene_fill(&scene, 3, 100);
        for (unsigned i = 0; i < 6; i++) {
            expect_sum(&scene, burst, i);
            EXPECT_INT(scene_add(&scene, burst, 3, 1, 4), HY_STATUS_OK);
            EXPECT(scene_value(&scene, 4) == 100.5f);
        }
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

TEST(driver_bursts, what_one_burst_drops_another_keeps)
{
    struct scene scene;
    void *burst, *other = NULL;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst) &&
        scene.table->burst_open(scene.prepared, &other) == HY_STATUS_OK) {
        for (unsigned i = 0; i < 4; i++)
            expect_sum(&scene, i % 2 ? burst : other, i);
        EXPECT_INT(scene_map_calls(&scene), 6);
        scene.table->burst_release(burst, scene.memories[1].id);
        expect_sum(&scene, other, 4);
        EXPECT_INT(scene_map_calls(&scene), 6);
        expect_sum(&scene, burst, 5);
        EXPECT_INT(scene_map_calls(&scene), 7);
        scene.table->burst_close(burst);
        expect_sum(&scene, other, 6);
        EXPECT_INT(scene_map_calls(&scene), 7);
        scene.table->burst_close(other);
    }
    scene_close(&scene);
}

TEST(driver_bursts, prepared_model_goes_on_after_the_burst)
{
    struct scene scene;
    void *burst;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        expect_sum(&scene, burst, 1);
        expect_sum(&scene, NULL, 2);
        expect_sum(&scene, burst, 3);
        scene.table->burst_close(burst);
        scene_unmap(&scene, 2);
        expect_sum(&scene, NULL, 4);
        EXPECT_INT(scene.table->burst_open(scene.prepared, &burst), HY_STATUS_OK);
        expect_sum(&scene, burst, 5);
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

TEST(driver_bursts, memory_without_an_id_is_asked_for_at_each_execution)
{
    struct scene scene;
    void *burst;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        scene.memories[1].id = 0;
        for (unsigned i = 0; i < 5; i++) {
            expect_sum(&scene, burst, i);
            scene_unmap(&scene, 1);
        }
        EXPECT(scene.memories[1].map_calls >= 5);
        EXPECT_INT(scene.memories[0].map_calls, 1);
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

/* Such a host has promised an address for the call alone. */
TEST(driver_bursts, host_of_1_0_is_asked_at_each_execution)
{
    struct scene scene;
    void *burst;
    if (open_burst(&scene, ABI_1_0, &burst)) {
        for (unsigned i = 0; i < 5; i++) {
            expect_sum(&scene, burst, i);
            for (unsigned k = 0; k < 3; k++)
                scene_unmap(&scene, k);
        }
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

TEST(driver_bursts, several_sets_of_memory_take_turns)
{
    struct scene scene;
    void *burst;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < 12; i++) {
            const unsigned first = i % 3;
            scene_fill(&scene, first, (float)i);
            scene_fill(&scene, first + 1, 1000);
            EXPECT_INT(scene_add(&scene, burst, first, first + 1, first + 3), HY_STATUS_OK);
            EXPECT(scene_value(&scene, first + 3) == (float)i + 1000);
        }
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

TEST(driver_bursts, execution_after_a_rest_is_as_any_other)
{
    const struct timespec rest = {.tv_nsec = 3000000}; /* idle after 1 ms */
    struct scene scene;
    void *burst;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < 3; i++) {
            expect_sum(&scene, burst, i);
            nanosleep(&rest, NULL);
        }
        EXPECT_INT(scene_map_calls(&scene), 3);
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

/* ---- Wrong requests -------------------------------------------------------------------------- */

/* One execution of a request that is right but for what `spoil` does. */
static int32_t execute_spoiled(struct scene *scene, void *burst,
                               void (*spoil)(struct hy_pool *pools, struct hy_argument *arguments))
{
    struct scene_request request;
    scene_request_init(&request, scene, 0, 1, 2);
    spoil(request.pools, request.arguments);
    return scene->table->burst_execute(burst, &request.view, &request.options, &request.result);
}

static void name_no_pool(struct hy_pool *pools, struct hy_argument *arguments)
{
    (void)pools;
    arguments[0].location.pool = 3;
}

static void leave_the_pool(struct hy_pool *pools, struct hy_argument *arguments)
{
    (void)pools;
    arguments[1].location.offset = 8;
}

static void wrap_around(struct hy_pool *pools, struct hy_argument *arguments)
{
    (void)pools;
    arguments[1].location.offset = UINT64_MAX - 15;
}

static void shrink_the_pool(struct hy_pool *pools, struct hy_argument *arguments)
{
    (void)arguments;
    pools[2].size = 16;
}

static void protect_the_output(struct hy_pool *pools, struct hy_argument *arguments)
{
    (void)arguments;
    pools[2].protection = HY_PROTECT_READ;
}

static void change_the_shape(struct hy_pool *pools, struct hy_argument *arguments)
{
    static const uint32_t dims[] = {SCENE_EXTENT / 2};
    (void)pools;
    arguments[0].rank = 1;
    arguments[0].dims = dims;
}

static void leave_out_with_a_rank(struct hy_pool *pools, struct hy_argument *arguments)
{
    (void)pools;
    arguments[0] = (struct hy_argument){.flags = HY_ARGUMENT_NO_VALUE, .rank = 1};
}

/* Of memory that the burst knows, and of a request that it may know. */
TEST(driver_bursts, wrong_request_fails_and_the_burst_goes_on)
{
    static void (*const wrong[])(struct hy_pool * pools, struct hy_argument * arguments) = {
        name_no_pool,       leave_the_pool,   wrap_around,          shrink_the_pool,
        protect_the_output, change_the_shape, leave_out_with_a_rank};
    struct scene scene;
    void *burst;
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            expect_sum(&scene, burst, i);
            const int32_t status = execute_spoiled(&scene, burst, wrong[i]);
            if (status == HY_STATUS_OK)
                hy_test_fail(__FILE__, __LINE__, "wrong request %u was executed", i);
            EXPECT(scene_value(&scene, 2) == (float)i + 0.5f);
        }
        expect_sum(&scene, burst, 99);
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct releaser {
    struct scene *scene;
    void *burst;
    atomic_bool is_over;
};

/* Memory that no execution uses, also with the lower bits of memory that one does. */
static void *release_others(void *argument)
{
    struct releaser *releaser = argument;
    for (uint64_t id = 4; !releaser->is_over; id = id < 200 ? id + 1 : 4)
        releaser->scene->table->burst_release(releaser->burst, id);
    return NULL;
}

TEST(driver_bursts, other_memory_is_released_during_executions)
{
    struct scene scene;
    struct releaser releaser = {.scene = &scene};
    pthread_t thread;
    if (open_burst(&scene, HY_DRIVER_ABI, &releaser.burst) &&
        pthread_create(&thread, NULL, release_others, &releaser) == 0) {
        for (unsigned i = 0; i < 500; i++)
            expect_sum(&scene, releaser.burst, i);
        releaser.is_over = true;
        pthread_join(thread, NULL);
        EXPECT_INT(scene_map_calls(&scene), 3);
        scene.table->burst_close(releaser.burst);
    }
    scene_close(&scene);
}

struct runner {
    struct scene *scene;
    unsigned out;
    atomic_uint *failures;
};

static void *run_a_burst(void *argument)
{
    const struct runner *runner = argument;
    void *burst = NULL;
    if (runner->scene->table->burst_open(runner->scene->prepared, &burst) != HY_STATUS_OK) {
        ++*runner->failures;
        return NULL;
    }
    for (unsigned i = 0; i < 200; i++) {
        const bool is_right = scene_add(runner->scene, burst, 0, 1, runner->out) == HY_STATUS_OK;
        *runner->failures += !is_right || scene_value(runner->scene, runner->out) != 7;
    }
    runner->scene->table->burst_close(burst);
    return NULL;
}

/* All of one prepared model. The host has mapped everything before. */
TEST(driver_bursts, bursts_of_several_threads_do_not_disturb_one_another)
{
    struct scene scene;
    atomic_uint failures = 0;
    void *burst;
    pthread_t threads[4];
    struct runner runners[4];
    if (open_burst(&scene, HY_DRIVER_ABI, &burst)) {
        scene_fill(&scene, 0, 3);
        scene_fill(&scene, 1, 4);
        for (unsigned i = 0; i < 4; i++)
            EXPECT_INT(scene_add(&scene, burst, 0, 1, 2 + i), HY_STATUS_OK);
        for (unsigned i = 0; i < 4; i++) {
            runners[i] = (struct runner){&scene, 2 + i, &failures};
            EXPECT_INT(pthread_create(&threads[i], NULL, run_a_burst, &runners[i]), 0);
        }
        for (unsigned i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        EXPECT_INT(failures, 0);
        scene.table->burst_close(burst);
    }
    scene_close(&scene);
}
