#ifndef HY_TESTS_UNIT_RUNTIME_KIT_CRASH_FIXTURE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_CRASH_FIXTURE_H

/* A directory for crash records, a library as their subject, and records of fictitious
 * processes. */
#include "runtime/drivers/crash_dir.h"
#include "tests/kit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CRASH_DAY (24 * 60 * 60)

struct crash_fixture {
    char root[64];
    char library[96];
    struct hy_process_identity own;
    struct hy_driver_build build;
};

static inline void crash_fixture_write(const char *path, const void *bytes, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    close(fd);
}

static inline void crash_fixture_init(struct crash_fixture *fixture)
{
    *fixture = (struct crash_fixture){.root = "/tmp/halyard-crash-XXXXXX"};
    if (!mkdtemp(fixture->root))
        abort();
    snprintf(fixture->library, sizeof fixture->library, "%s/driver.so", fixture->root);
    crash_fixture_write(fixture->library, "build 1", 7);
    EXPECT(hy_process_identity_read(&fixture->own));
    EXPECT(hy_driver_build_read("npu", fixture->library, &fixture->build));
}

static inline int crash_fixture_remove_one(const char *path, const struct stat *info, int kind,
                                           struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static inline void crash_fixture_finish(struct crash_fixture *fixture)
{
    nftw(fixture->root, crash_fixture_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The record left `age` seconds ago by process number `index`. The pid is this process's pid, as
 * after reuse of the pid; the start time is different. */
static inline struct hy_crash_record crash_fixture_left(const struct crash_fixture *fixture,
                                                        unsigned index, int64_t age)
{
    struct hy_crash_record record;

    hy_crash_record_init(&record, &fixture->own, &fixture->build);
    record.process.start += 1 + index;
    record.time -= age;
    strcpy(record.call, "create");
    return record;
}

static inline int crash_fixture_count_files(const char *dir)
{
    DIR *entries = opendir(dir);
    int count = 0;

    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        count += entry->d_name[0] != '.';
    if (entries)
        closedir(entries);
    return count;
}

#endif
