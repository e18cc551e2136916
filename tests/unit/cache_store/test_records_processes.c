#include "common/random.h"
#include "records_copy.h"
#include "records_fixture.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DIGESTS = 64, BLOBS = 8, BLOB = 20000 };

static struct hy_records_fixture fixture;

/* Stores and looks until it is killed; ends by itself only if something is wrong or fails. */
static void work_until_killed(uint32_t seed)
{
    struct hy_records *records;
    if (hy_records_open(fixture.dir, &records, NULL) != HY_OK)
        _exit(1);
    for (struct hy_random random = {seed};;) {
        const uint32_t index = (uint32_t)hy_random_next(&random);
        if (hy_store_number(records, index % DIGESTS) != HY_OK ||
            hy_find_number(records, index % DIGESTS) == HY_FOUND_WRONG)
            _exit(2);
        if (index % 4 == 0 && hy_store_blob_number(records, index % BLOBS, BLOB) != HY_OK)
            _exit(3);
        if (hy_load_blob_number(records, index % BLOBS, BLOB) == HY_FOUND_WRONG)
            _exit(4);
    }
}

static pid_t start(uint32_t seed)
{
    const pid_t child = fork();
    if (child == 0)
        work_until_killed(seed);
    return child;
}

/* What the crashes have left is whole, and nobody holds it. */
static void expect_whole(void)
{
    struct hy_records *records = NULL;
    REQUIRE(hy_records_open(fixture.dir, &records, NULL) == HY_OK);
    for (uint32_t i = 0; i < DIGESTS; i++) {
        EXPECT(hy_find_number(records, i) != HY_FOUND_WRONG);
        EXPECT_INT(hy_store_number(records, i), HY_OK);
        EXPECT_INT(hy_find_number(records, i), HY_FOUND_RIGHT);
    }
    for (uint32_t i = 0; i < BLOBS; i++)
        EXPECT(hy_load_blob_number(records, i, BLOB) != HY_FOUND_WRONG);
    hy_records_close(records);
    EXPECT(access(fixture.damaged, F_OK) != 0); /* never was anything damaged */
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM pragma_integrity_check()"
                                                   " WHERE integrity_check = 'ok'"),
               1);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT bytes - (SELECT sum(charge) FROM blobs)"
                                                   " FROM owners"),
               0);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT digests - (SELECT count(*) FROM digests)"
                                                   " FROM owners"),
               0);
}

static void kill_many(unsigned processes, unsigned kills)
{
    pid_t workers[16];
    hy_records_fixture_begin(&fixture);
    struct hy_random random = {processes};
    for (unsigned i = 0; i < processes; i++)
        workers[i] = start(i);
    for (unsigned i = 0; i < kills; i++) {
        const unsigned victim = hy_random_below(&random, processes);
        int status = 0;
        usleep(hy_random_below(&random, 5000));
        kill(workers[victim], SIGKILL);
        waitpid(workers[victim], &status, 0);
        if (!WIFSIGNALED(status))
            hy_test_fail(__FILE__, __LINE__, "before kill %u a process ended with %d", i,
                         WEXITSTATUS(status));
        workers[victim] = start(processes + i);
    }
    for (unsigned i = 0; i < processes; i++) {
        kill(workers[i], SIGKILL);
        waitpid(workers[i], NULL, 0);
    }
    expect_whole();
    hy_records_fixture_end(&fixture);
}

TEST(records, killed_processes_leave_a_whole_file)
{
    kill_many(4, 50);
}

TEST(records_slow, a_thousand_killed_processes_leave_a_whole_file)
{
    kill_many(8, 1000);
}

/* In a child of a fork: 0 if the records that the parent opened serve it. */
static int use_in_child(uint32_t index)
{
    if (hy_find_number(fixture.records, 1) != HY_FOUND_RIGHT)
        return 1;
    if (hy_store_number(fixture.records, index) != HY_OK ||
        hy_find_number(fixture.records, index) != HY_FOUND_RIGHT)
        return 2;
    hy_records_close(fixture.records);
    return 0;
}

static int status_of_child(uint32_t index)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(use_in_child(index));
    waitpid(child, &status, 0);
    return status;
}

TEST(records, forked_child_goes_on_with_a_file_of_its_own)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    EXPECT_INT(status_of_child(2), 0);
    EXPECT_INT(hy_find_number(fixture.records, 2), HY_FOUND_RIGHT);
    EXPECT_INT(hy_store_number(fixture.records, 3), HY_OK);
    hy_records_fixture_end(&fixture);
}

static atomic_bool is_over;

static void *store_until_over(void *failed)
{
    for (uint32_t i = 0; !is_over; i++)
        *(unsigned *)failed += hy_store_number(fixture.records, i % DIGESTS) != HY_OK;
    return NULL;
}

TEST(records, fork_while_threads_store_hurts_neither_side)
{
    unsigned failed[2] = {0};
    pthread_t threads[2];
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    is_over = false;
    for (unsigned i = 0; i < 2; i++)
        REQUIRE(pthread_create(&threads[i], NULL, store_until_over, &failed[i]) == 0);
    for (uint32_t i = 0; i < 50; i++)
        EXPECT_INT(status_of_child(1000 + i), 0);
    is_over = true;
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_INT(failed[i], 0);
    }
    for (uint32_t i = 0; i < 50; i++)
        EXPECT_INT(hy_find_number(fixture.records, 1000 + i), HY_FOUND_RIGHT);
    hy_records_fixture_end(&fixture);
    EXPECT(access(fixture.damaged, F_OK) != 0);
}

struct copy {
    hy_records_copy_fn store;
    uint32_t first;
    int failed;
};

static void *store_in_copy(void *argument)
{
    struct copy *copy = argument;
    copy->failed = copy->store(fixture.dir, copy->first, copy->first + 300);
    return NULL;
}

/* Each copy comes with an embedded store of its own, which knows nothing of the other one's locks;
 * sanitizers do not bear a second C library, and see two copies over one store. */
static void *load_copy(unsigned index)
{
    (void)index;
#if HY_SLOWNESS == 1
    return dlmopen(LM_ID_NEWLM, RECORDS_COPY_PATH, RTLD_NOW | RTLD_LOCAL);
#else
    return dlopen(index == 0 ? RECORDS_COPY_PATH : RECORDS_COPY_PATH_2, RTLD_NOW | RTLD_LOCAL);
#endif
}

TEST(records, two_copies_in_one_process_do_not_disturb_each_other)
{
    struct copy copies[2] = {{.first = 0}, {.first = 1000}};
    void *libraries[2];
    pthread_t threads[2];
    hy_records_fixture_begin(&fixture);
    for (unsigned i = 0; i < 2; i++) {
        libraries[i] = load_copy(i);
        if (!libraries[i])
            hy_test_fail(__FILE__, __LINE__, "%s", dlerror());
        REQUIRE(libraries[i] != NULL);
        copies[i].store = (hy_records_copy_fn)dlsym(libraries[i], "hy_records_copy_store");
        REQUIRE(copies[i].store != NULL);
    }
    EXPECT(copies[0].store != copies[1].store);
    for (unsigned i = 0; i < 2; i++)
        REQUIRE(pthread_create(&threads[i], NULL, store_in_copy, &copies[i]) == 0);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_INT(copies[i].failed, 0);
        hy_records_copy_fn find = (hy_records_copy_fn)dlsym(libraries[i], "hy_records_copy_find");
        EXPECT_INT(find(fixture.dir, copies[i].first, copies[i].first + 300), 0);
    }
    EXPECT(access(fixture.damaged, F_OK) != 0);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM digests"), 600);
    for (unsigned i = 0; i < 2; i++)
        dlclose(libraries[i]);
    hy_records_fixture_end(&fixture);
}
