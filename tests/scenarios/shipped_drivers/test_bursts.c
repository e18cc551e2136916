/* What a driver of ours keeps in a burst, and drops. The same tests for each of the drivers. */
#include "opened_driver.h"

#include "tests/kit/test.h"

#include <pthread.h>
#include <time.h>

#define ABI_1_0 HY_ABI(1, 0)

/* An opened driver with one burst. False: it could not be opened. */
static bool open_burst(struct opened_driver *opened, uint32_t abi, void **burst)
{
    *burst = NULL;
    if (!opened_open(opened, abi))
        return false;
    EXPECT(opened->table->burst_open != NULL);
    if (!opened->table->burst_open)
        return false;
    const int32_t status = opened->table->burst_open(opened->prepared, burst);
    EXPECT_INT(status, HY_STATUS_OK);
    return status == HY_STATUS_OK;
}

/* 0 + 1 = 2, with numbers that follow from the seed. */
static void expect_sum(struct opened_driver *opened, void *burst, unsigned seed)
{
    opened_fill(opened, 0, (float)seed);
    opened_fill(opened, 1, 0.5f);
    EXPECT_INT(opened_add(opened, burst, 0, 1, 2), HY_STATUS_OK);
    EXPECT(opened_value(opened, 2) == (float)seed + 0.5f);
}

TEST(driver_bursts, address_of_memory_is_asked_once_for_many_executions)
{
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < 20; i++)
            expect_sum(&opened, burst, i);
        for (unsigned i = 0; i < 3; i++)
            EXPECT_INT(opened.memories[i].map_calls, 1);
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

TEST(driver_bursts, released_memory_is_asked_for_anew_and_other_memory_is_not)
{
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < 4; i++)
            expect_sum(&opened, burst, i);
        opened.table->burst_release(burst, opened.memories[0].id);
        opened_unmap(&opened, 0);
        for (unsigned i = 4; i < 8; i++)
            expect_sum(&opened, burst, i);
        EXPECT_INT(opened.memories[0].map_calls, 2);
        EXPECT_INT(opened.memories[1].map_calls, 1);
        EXPECT_INT(opened.memories[2].map_calls, 1);
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

/* What the driver had is gone with what the host had: nobody else keeps the memory alive. */
TEST(driver_bursts, released_memory_leaves_no_mapping)
{
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        EXPECT_INT(opened_mappings(), 0);
        for (unsigned i = 0; i < 4; i++)
            expect_sum(&opened, burst, i);
        EXPECT_INT(opened_mappings(), 3);
        for (unsigned i = 0; i < 3; i++) {
            opened.table->burst_release(burst, opened.memories[i].id);
            opened_unmap(&opened, i);
        }
        EXPECT_INT(opened_mappings(), 0);
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

/* 0 is no id; 65 and 129 have the same lower bits as memory that is in use. */
TEST(driver_bursts, release_of_an_unknown_id_drops_nothing)
{
    static const uint64_t unknown[] = {0, 65, 129, 0x7fffffff, UINT64_MAX};
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++) {
            expect_sum(&opened, burst, i);
            opened.table->burst_release(burst, unknown[i]);
        }
        expect_sum(&opened, burst, 9);
        EXPECT_INT(opened_map_calls(&opened), 3);
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

TEST(driver_bursts, memory_whose_ids_have_the_same_lower_bits_is_told_apart)
{
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        opened.memories[3].id = opened.memories[0].id + 64;
        opened_fill(&opened, 3, 100);
        for (unsigned i = 0; i < 6; i++) {
            expect_sum(&opened, burst, i);
            EXPECT_INT(opened_add(&opened, burst, 3, 1, 4), HY_STATUS_OK);
            EXPECT(opened_value(&opened, 4) == 100.5f);
        }
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

TEST(driver_bursts, what_one_burst_drops_another_keeps)
{
    struct opened_driver opened;
    void *burst, *other = NULL;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst) &&
        opened.table->burst_open(opened.prepared, &other) == HY_STATUS_OK) {
        for (unsigned i = 0; i < 4; i++)
            expect_sum(&opened, i % 2 ? burst : other, i);
        EXPECT_INT(opened_map_calls(&opened), 6);
        opened.table->burst_release(burst, opened.memories[1].id);
        expect_sum(&opened, other, 4);
        EXPECT_INT(opened_map_calls(&opened), 6);
        expect_sum(&opened, burst, 5);
        EXPECT_INT(opened_map_calls(&opened), 7);
        opened.table->burst_close(burst);
        expect_sum(&opened, other, 6);
        EXPECT_INT(opened_map_calls(&opened), 7);
        opened.table->burst_close(other);
    }
    opened_close(&opened);
}

TEST(driver_bursts, prepared_model_goes_on_after_the_burst)
{
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        expect_sum(&opened, burst, 1);
        expect_sum(&opened, NULL, 2);
        expect_sum(&opened, burst, 3);
        opened.table->burst_close(burst);
        opened_unmap(&opened, 2);
        expect_sum(&opened, NULL, 4);
        EXPECT_INT(opened.table->burst_open(opened.prepared, &burst), HY_STATUS_OK);
        expect_sum(&opened, burst, 5);
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

TEST(driver_bursts, memory_without_an_id_is_asked_for_at_each_execution)
{
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        opened.memories[1].id = 0;
        for (unsigned i = 0; i < 5; i++) {
            expect_sum(&opened, burst, i);
            opened_unmap(&opened, 1);
        }
        EXPECT(opened.memories[1].map_calls >= 5);
        EXPECT_INT(opened.memories[0].map_calls, 1);
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

/* Such a host has promised an address for the call alone. */
TEST(driver_bursts, host_of_1_0_is_asked_at_each_execution)
{
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, ABI_1_0, &burst)) {
        for (unsigned i = 0; i < 5; i++) {
            expect_sum(&opened, burst, i);
            for (unsigned k = 0; k < 3; k++)
                opened_unmap(&opened, k);
        }
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

TEST(driver_bursts, several_sets_of_memory_take_turns)
{
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < 12; i++) {
            const unsigned first = i % 3;
            opened_fill(&opened, first, (float)i);
            opened_fill(&opened, first + 1, 1000);
            EXPECT_INT(opened_add(&opened, burst, first, first + 1, first + 3), HY_STATUS_OK);
            EXPECT(opened_value(&opened, first + 3) == (float)i + 1000);
        }
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

TEST(driver_bursts, execution_after_a_rest_is_as_any_other)
{
    const struct timespec rest = {.tv_nsec = 3000000}; /* idle after 1 ms */
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < 3; i++) {
            expect_sum(&opened, burst, i);
            nanosleep(&rest, NULL);
        }
        EXPECT_INT(opened_map_calls(&opened), 3);
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

/* ---- Wrong requests -------------------------------------------------------------------------- */

/* One execution of a request that is right but for what `spoil` does. */
static int32_t execute_corrupted(struct opened_driver *opened, void *burst,
                                 void (*corrupt)(struct hy_pool *pools,
                                                 struct hy_argument *arguments))
{
    struct opened_request request;
    opened_request_init(&request, opened, 0, 1, 2);
    corrupt(request.pools, request.arguments);
    return opened->table->burst_execute(burst, &request.view, &request.options, &request.result);
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
    static const uint32_t dims[] = {OPENED_EXTENT / 2};
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
    struct opened_driver opened;
    void *burst;
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            expect_sum(&opened, burst, i);
            const int32_t status = execute_corrupted(&opened, burst, wrong[i]);
            if (status == HY_STATUS_OK)
                hy_test_fail(__FILE__, __LINE__, "wrong request %u was executed", i);
            EXPECT(opened_value(&opened, 2) == (float)i + 0.5f);
        }
        expect_sum(&opened, burst, 99);
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct releaser {
    struct opened_driver *opened;
    void *burst;
    atomic_bool is_over;
};

/* Memory that no execution uses, also with the lower bits of memory that one does. */
static void *release_others(void *argument)
{
    struct releaser *releaser = argument;
    for (uint64_t id = 4; !releaser->is_over; id = id < 200 ? id + 1 : 4)
        releaser->opened->table->burst_release(releaser->burst, id);
    return NULL;
}

TEST(driver_bursts, other_memory_is_released_during_executions)
{
    struct opened_driver opened;
    struct releaser releaser = {.opened = &opened};
    pthread_t thread;
    if (open_burst(&opened, HY_DRIVER_ABI, &releaser.burst) &&
        pthread_create(&thread, NULL, release_others, &releaser) == 0) {
        for (unsigned i = 0; i < 500; i++)
            expect_sum(&opened, releaser.burst, i);
        releaser.is_over = true;
        pthread_join(thread, NULL);
        EXPECT_INT(opened_map_calls(&opened), 3);
        opened.table->burst_close(releaser.burst);
    }
    opened_close(&opened);
}

struct runner {
    struct opened_driver *opened;
    unsigned out;
    atomic_uint *failures;
};

static void *run_a_burst(void *argument)
{
    const struct runner *runner = argument;
    void *burst = NULL;
    if (runner->opened->table->burst_open(runner->opened->prepared, &burst) != HY_STATUS_OK) {
        ++*runner->failures;
        return NULL;
    }
    for (unsigned i = 0; i < 200; i++) {
        const bool is_right = opened_add(runner->opened, burst, 0, 1, runner->out) == HY_STATUS_OK;
        *runner->failures += !is_right || opened_value(runner->opened, runner->out) != 7;
    }
    runner->opened->table->burst_close(burst);
    return NULL;
}

/* All of one prepared model. The host has mapped everything before. */
TEST(driver_bursts, bursts_of_several_threads_do_not_disturb_one_another)
{
    struct opened_driver opened;
    atomic_uint failures = 0;
    void *burst;
    pthread_t threads[4];
    struct runner runners[4];
    if (open_burst(&opened, HY_DRIVER_ABI, &burst)) {
        opened_fill(&opened, 0, 3);
        opened_fill(&opened, 1, 4);
        for (unsigned i = 0; i < 4; i++)
            EXPECT_INT(opened_add(&opened, burst, 0, 1, 2 + i), HY_STATUS_OK);
        for (unsigned i = 0; i < 4; i++) {
            runners[i] = (struct runner){&opened, 2 + i, &failures};
            EXPECT_INT(pthread_create(&threads[i], NULL, run_a_burst, &runners[i]), 0);
        }
        for (unsigned i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        EXPECT_INT(failures, 0);
        opened.table->burst_close(burst);
    }
    opened_close(&opened);
}
