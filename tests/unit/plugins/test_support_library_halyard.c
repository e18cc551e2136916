/* Halyard itself as a support library, by the driver ABI: what no vector makes use of. */
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/support_library_fixture.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

static bool open_fixture(struct sl_fixture *fixture)
{
    if (!sl_fixture_init(fixture))
        return false;
    fixture->library = HALYARD_LIBRARY_PATH;
    return sl_fixture_prepare(fixture);
}

/* An argument of the request, wherever its memory is. */
static float *values_of(const struct sl_fixture *fixture, uint32_t argument)
{
    return (float *)((char *)fixture->pools[argument].address +
                     fixture->arguments[argument].location.offset);
}

TEST(support_library_halyard, runs_what_it_is_given)
{
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    EXPECT_STR(plugin_fixture_names(&fixture.plugins), "halyard-cpu ");
    fixture.in[1] = -7;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OK);
    EXPECT(fixture.out[0] == 1 && fixture.out[1] == 0 && fixture.out[3] == 4);
    fixture.arguments[0].location.length = 12;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_INVALID_ARGUMENT);
    sl_fixture_finish(&fixture);
}

TEST(support_library_halyard, burst_reads_and_writes_shared_memory_run_after_run)
{
    struct sl_fixture fixture;
    void *burst = NULL;
    REQUIRE(open_fixture(&fixture));
    REQUIRE(fixture.table->burst_open(fixture.prepared, &burst) == HY_STATUS_OK);
    for (uint64_t id = 1; id < 6; id += 2) {
        sl_fixture_use_fd(&fixture, 0, id, 64);
        sl_fixture_use_fd(&fixture, 1, id + 1, 128);
        for (int run = 0; run < 3; run++) {
            values_of(&fixture, 0)[2] = (float)(id * 10) + (float)run;
            EXPECT_INT(fixture.table->burst_execute(burst, &fixture.request, &fixture.options,
                                                    &fixture.result),
                       HY_STATUS_OK);
            EXPECT(values_of(&fixture, 1)[2] == (float)(id * 10) + (float)run);
            EXPECT_INT(fixture.shape.dims[1], 4);
        }
        fixture.table->burst_release(burst, id);
        fixture.table->burst_release(burst, id + 1);
        sl_fixture_close_fds(&fixture);
    }
    fixture.table->burst_close(burst);
    sl_fixture_finish(&fixture);
}

/* A second thread that lets go of memory which the burst does not use any more. */
struct releaser {
    const struct hy_device *table;
    void *burst;
    atomic_uint_fast64_t last; /* all ids up to this are done with */
};

#define LAST_ID 400u

static void *release_all(void *argument)
{
    struct releaser *releaser = argument;

    for (uint64_t id = 1; id <= LAST_ID; id++) {
        while (atomic_load(&releaser->last) < id)
            sched_yield();
        releaser->table->burst_release(releaser->burst, id);
    }
    return NULL;
}

TEST(support_library_halyard, memory_is_released_from_another_thread_during_an_execution)
{
    struct sl_fixture fixture;
    struct releaser releaser = {0};
    pthread_t thread;
    REQUIRE(open_fixture(&fixture));
    releaser.table = fixture.table;
    REQUIRE(fixture.table->burst_open(fixture.prepared, &releaser.burst) == HY_STATUS_OK);
    sl_fixture_use_fd(&fixture, 0, 1, 64);
    sl_fixture_use_fd(&fixture, 1, LAST_ID + 1, 128);
    REQUIRE(pthread_create(&thread, NULL, release_all, &releaser) == 0);
    for (uint64_t id = 1; id <= LAST_ID; id++) {
        fixture.pools[0].id = id;
        values_of(&fixture, 0)[0] = (float)id;
        for (int run = 0; run < 2; run++)
            EXPECT_INT(fixture.table->burst_execute(releaser.burst, &fixture.request,
                                                    &fixture.options, &fixture.result),
                       HY_STATUS_OK);
        EXPECT(values_of(&fixture, 1)[0] == (float)id);
        atomic_store(&releaser.last, id);
    }
    pthread_join(thread, NULL);
    fixture.table->burst_close(releaser.burst);
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

TEST(support_library_halyard, fenced_execution_waits_for_its_dependency)
{
    const int32_t dependency = eventfd(0, EFD_CLOEXEC);
    struct hy_fenced_result result = {.struct_size = sizeof result};
    struct sl_fixture fixture;
    int32_t fence = -1;
    void *fenced = NULL;
    REQUIRE(open_fixture(&fixture));
    sl_fixture_use_fd(&fixture, 0, 1, 0);
    sl_fixture_use_fd(&fixture, 1, 2, 0);
    REQUIRE(fixture.table->execute_fenced(fixture.prepared, &fixture.request, &fixture.options,
                                          &dependency, 1, &fence, &fenced) == HY_STATUS_OK);
    REQUIRE(fence >= 0);
    struct pollfd look = {.fd = fence, .events = POLLIN};
    EXPECT_INT(poll(&look, 1, 20), 0);
    EXPECT_INT(fixture.table->fenced_result(fenced, &result), HY_STATUS_GENERAL_FAILURE);
    EXPECT(values_of(&fixture, 1)[3] == -1);

    values_of(&fixture, 0)[3] = 44;
    EXPECT_INT(eventfd_write(dependency, 1), 0);
    EXPECT_INT(poll(&look, 1, 60000), 1); /* only a failing test waits so long */
    EXPECT_INT(fixture.table->fenced_result(fenced, &result), HY_STATUS_OK);
    EXPECT_INT(result.status, HY_STATUS_OK);
    EXPECT(values_of(&fixture, 1)[3] == 44);
    fixture.table->fenced_destroy(fenced);
    close(fence);
    close(dependency);
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}
