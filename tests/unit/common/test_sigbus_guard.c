/* Shared memory whose owner cuts it short. */
#include "common/sigbus_guard.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 8 };

/* A mapped file of PAGES pages, each full of its number plus one. */
struct shared {
    int fd;
    size_t page;
    unsigned char *bytes;
    atomic_bool truncated;
    uint32_t slot;
};

static bool share(struct shared *shared)
{
    struct hy_error err;

    *shared = (struct shared){.fd = memfd_create("torn", MFD_CLOEXEC),
                              .page = (size_t)sysconf(_SC_PAGESIZE)};
    if (shared->fd < 0 || ftruncate(shared->fd, (off_t)(PAGES * shared->page)) != 0)
        return false;
    shared->bytes =
        mmap(NULL, PAGES * shared->page, PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, 0);
    if (shared->bytes == MAP_FAILED)
        return false;
    for (size_t i = 0; i < PAGES; i++)
        memset(shared->bytes + i * shared->page, (int)i + 1, shared->page);
    return hy_sigbus_guard_install(&err) == HY_OK &&
           hy_sigbus_guard_add(shared->bytes, PAGES * shared->page, &shared->truncated,
                               &shared->slot, &err) == HY_OK;
}

static void unshare_it(struct shared *shared)
{
    hy_sigbus_guard_remove(shared->slot);
    munmap(shared->bytes, PAGES * shared->page);
    close(shared->fd);
}

static unsigned look(const struct shared *shared, size_t page)
{
    return *(volatile unsigned char *)(shared->bytes + page * shared->page);
}

TEST(sigbus_guard, what_is_cut_off_reads_as_zeros_and_the_rest_stays)
{
    struct shared shared;

    REQUIRE(share(&shared));
    EXPECT_INT(look(&shared, 7), 8);
    EXPECT(!shared.truncated);
    REQUIRE(ftruncate(shared.fd, (off_t)(3 * shared.page)) == 0);
    EXPECT_INT(look(&shared, 2), 3);
    EXPECT(!shared.truncated);
    EXPECT_INT(look(&shared, 5), 0);
    EXPECT(shared.truncated);
    EXPECT_INT(look(&shared, 7), 0);
    EXPECT_INT(look(&shared, 3), 0);
    EXPECT_INT(look(&shared, 2), 3);
    unshare_it(&shared);
}

TEST(sigbus_guard, what_is_cut_off_can_be_written_to)
{
    struct shared shared;

    REQUIRE(share(&shared));
    REQUIRE(ftruncate(shared.fd, 0) == 0);
    *(volatile unsigned char *)(shared.bytes + shared.page) = 9;
    EXPECT(shared.truncated);
    EXPECT_INT(look(&shared, 1), 9);
    unshare_it(&shared);
}

TEST(sigbus_guard, mapping_beside_a_torn_one_is_not_touched)
{
    struct shared truncated, whole;

    REQUIRE(share(&truncated));
    REQUIRE(share(&whole));
    REQUIRE(ftruncate(truncated.fd, 0) == 0);
    EXPECT_INT(look(&truncated, 0), 0);
    for (size_t i = 0; i < PAGES; i++)
        EXPECT_INT(look(&whole, i), i + 1);
    EXPECT(truncated.truncated && !whole.truncated);
    unshare_it(&truncated);
    unshare_it(&whole);
}

struct toucher {
    struct shared *shared;
    unsigned sum;
};

static void touch_all(void *argument)
{
    struct toucher *toucher = argument;
    for (size_t i = PAGES; i-- > 0;)
        toucher->sum += look(toucher->shared, i);
}

TEST(sigbus_guard, threads_may_meet_the_end_together)
{
    for (int round = 0; round < 50; round++) {
        struct shared shared;
        struct toucher touchers[4];

        REQUIRE(share(&shared));
        REQUIRE(ftruncate(shared.fd, (off_t)shared.page) == 0);
        for (int i = 0; i < 4; i++)
            touchers[i] = (struct toucher){.shared = &shared};
        REQUIRE(hy_threads_run(4, touch_all, touchers, sizeof *touchers));
        for (int i = 0; i < 4; i++)
            EXPECT_INT(touchers[i].sum, 1);
        EXPECT(shared.truncated);
        unshare_it(&shared);
    }
}

/* ---- Faults that are none of its ------------------------------------------------------------- */

static void touch_what_is_not_registered(struct shared *shared)
{
    hy_sigbus_guard_remove(shared->slot);
    if (ftruncate(shared->fd, 0) == 0)
        (void)look(shared, 0);
}

static void touch_what_is_next_to_it(struct shared *shared)
{
    unsigned char *other =
        mmap(NULL, shared->page, PROT_READ, MAP_SHARED, shared->fd, (off_t)(PAGES * shared->page));
    if (other != MAP_FAILED)
        (void)*(volatile unsigned char *)other;
}

static void send_the_signal(struct shared *shared)
{
    (void)shared;
    kill(getpid(), SIGBUS);
}

static void expect_death(void (*act)(struct shared *shared))
{
    int status = 0;

    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct shared shared;
        if (share(&shared))
            act(&shared);
        _exit(0);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    /* A sanitizer's handler, which was there before the guard's, makes an end of its own. */
    if (HY_SLOWNESS == 1)
        EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    else
        EXPECT(status != 0);
}

TEST(sigbus_guard, other_faults_take_their_usual_way)
{
    expect_death(touch_what_is_not_registered);
    expect_death(touch_what_is_next_to_it);
    expect_death(send_the_signal);
}

/* ---- Slots ----------------------------------------------------------------------------------- */

TEST(sigbus_guard, full_table_is_told_and_a_slot_that_was_given_back_serves_again)
{
    static uint32_t slots[HY_SIGBUS_GUARD_SLOTS];
    struct shared shared;
    struct hy_error err = {0};
    uint32_t count = 0, more = UINT32_MAX;

    REQUIRE(share(&shared));
    while (count < HY_SIGBUS_GUARD_SLOTS &&
           hy_sigbus_guard_add(shared.bytes, shared.page, &shared.truncated, &slots[count], &err) ==
               HY_OK)
        count++;
    EXPECT_INT(count, HY_SIGBUS_GUARD_SLOTS - 1);
    EXPECT_INT(err.code, HY_EXHAUSTED);
    EXPECT_CONTAINS(err.text, "8192 ranges");
    hy_sigbus_guard_remove(slots[100]);
    EXPECT_INT(hy_sigbus_guard_add(shared.bytes, shared.page, &shared.truncated, &more, &err),
               HY_OK);
    EXPECT_INT(more, slots[100]);
    for (uint32_t i = 0; i < count; i++)
        hy_sigbus_guard_remove(slots[i]);
    unshare_it(&shared);
}
