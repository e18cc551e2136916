#include "records_fixture.h"
#include "tests/kit/test.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How a process with a file system of its own ends. */
enum { HELD, NOT_PERMITTED = 77 };

static struct hy_records_fixture fixture;

static int mount_small(void)
{
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return NOT_PERMITTED;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || mkdir(fixture.dir, 0700) != 0 ||
        mount("none", fixture.dir, "tmpfs", 0, "size=256k,mode=0700") != 0)
        return NOT_PERMITTED;
    return HELD;
}

/* Runs it in a child that sees a small file system where the records lie. */
static void run_on_small_disk(int (*part)(void))
{
    int status = 0;
    hy_records_fixture_make(&fixture);
    const pid_t child = fork();
    if (child == 0) {
        const int mounted = mount_small();
        _exit(mounted == HELD ? part() : mounted);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_PERMITTED)
        printf("(skipped: mounting is not permitted) ");
    else
        EXPECT_INT(status, HELD);
    hy_records_fixture_end(&fixture);
}

/* What does not fit in is a failure; what was there stays, and what fits goes in. */
static int fill_disk(void)
{
    struct hy_records *records;
    if (hy_records_open(fixture.dir, &records, NULL) != HY_OK ||
        hy_store_number(records, 1) != HY_OK || hy_store_blob_number(records, 1, 20000) != HY_OK)
        return 1;
    if (hy_store_blob_number(records, 2, 1 << 20) != HY_FAILED)
        return 2;
    if (hy_find_number(records, 1) != HY_FOUND_RIGHT ||
        hy_load_blob_number(records, 1, 20000) != HY_FOUND_RIGHT ||
        hy_load_blob_number(records, 2, 1 << 20) != HY_FOUND_NONE)
        return 3;
    enum hy_code code = HY_OK;
    uint32_t stored = 10;
    for (; stored < 5000 && code == HY_OK; stored++)
        code = hy_store_number(records, stored);
    if (code != HY_FAILED || hy_find_number(records, stored - 2) != HY_FOUND_RIGHT)
        return 4;
    hy_records_close(records);
    if (hy_records_open(fixture.dir, &records, NULL) != HY_OK ||
        hy_find_number(records, 1) != HY_FOUND_RIGHT ||
        hy_load_blob_number(records, 1, 20000) != HY_FOUND_RIGHT)
        return 5;
    hy_records_close(records);
    return access(fixture.damaged, F_OK) == 0 ? 6 : HELD;
}

TEST(records, full_disk_is_a_failure_and_loses_nothing)
{
    run_on_small_disk(fill_disk);
}

static int freeze_disk(void)
{
    const struct hy_records_owner newer = {1000, "npu", "1.1 abd"};
    struct hy_records *records;
    if (hy_records_open(fixture.dir, &records, NULL) != HY_OK ||
        hy_store_number(records, 1) != HY_OK || hy_store_blob_number(records, 1, 100) != HY_OK ||
        hy_store_blob_number(records, 2, 100) != HY_OK ||
        hy_blob_store(records, &newer, "k", 1, "b", 1, NULL) != HY_OK)
        return 1;
    hy_records_close(records);
    if (mount("none", fixture.dir, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) != 0)
        return NOT_PERMITTED;
    if (hy_records_open(fixture.dir, &records, NULL) != HY_OK ||
        hy_find_number(records, 1) != HY_FOUND_RIGHT ||
        hy_load_blob_number(records, 1, 100) != HY_FOUND_RIGHT) /* no use can be noted */
        return 2;
    if (hy_store_number(records, 2) != HY_FAILED || hy_find_number(records, 1) != HY_FOUND_RIGHT)
        return 3;
    hy_records_close(records);
    return HELD;
}

TEST(records, read_only_disk_is_read)
{
    run_on_small_disk(freeze_disk);
}

static int freeze_empty_disk(void)
{
    struct hy_records *records;
    if (mount("none", fixture.dir, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) != 0)
        return NOT_PERMITTED;
    return hy_records_open(fixture.dir, &records, NULL) == HY_FAILED ? HELD : 1;
}

TEST(records, read_only_disk_without_records_is_a_failure)
{
    run_on_small_disk(freeze_empty_disk);
}
