#include "tests/kit/test.h"

#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>

/*
 * The wall clock jumps, so nothing waits by it: the text of all that is installed names neither
 * functions that wait by that clock alone, nor the clock itself but for what is kept in files or
 * told to people.
 */
static const char *const dirs[] = {
    "common",  "cpu_fallback",  "cache_store",    "plugins", "hardware_buffer", "runtime",
    "driverd", "sample_driver", "xnnpack_driver", "tools",   "include",
};

static const char *const forbidden[] = {
    "CLOCK_REALTIME",
    "pthread_cond_timedwait",
    "pthread_mutex_timedlock",
    "sem_timedwait",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_timedwrlock",
    "mq_timedreceive",
    "mq_timedsend",
    "cnd_timedwait",
    "mtx_timedlock",
    "gettimeofday",
    "setitimer",
    "timespec_get",
    "FUTEX_CLOCK_REALTIME",
};

/* When an entry was last used, which files tell, and when a line was written. */
static const char *const exceptions[] = {"/cache_store/used.c", "/runtime/log.c",
                                         "/runtime/report/report_file.c"};

static unsigned files;

static bool is_source(const char *path)
{
    const char *end = strrchr(path, '.');
    return end && (strcmp(end, ".c") == 0 || strcmp(end, ".h") == 0);
}

static bool is_exception(const char *path)
{
    bool is = false;

    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        is |= strstr(path, exceptions[i]) != NULL;
    return is;
}

static void check_line(const char *path, unsigned number, const char *line)
{
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        if (strstr(line, forbidden[i]))
            hy_test_fail(__FILE__, __LINE__, "%s:%u: %s", path, number, forbidden[i]);
    }
}

static int check_file(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    char *line = NULL;
    size_t capacity = 0;
    unsigned number = 0;

    (void)info, (void)at;
    if (kind != FTW_F || !is_source(path) || is_exception(path))
        return 0;
    FILE *file = fopen(path, "re");
    while (file && getline(&line, &capacity, file) >= 0)
        check_line(path, ++number, line);
    free(line);
    if (file)
        fclose(file);
    files += number > 0;
    return 0;
}

TEST(wait_clocks, nothing_waits_by_a_clock_that_jumps)
{
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", HY_SOURCE_DIR, dirs[i]);
        EXPECT_INT(nftw(path, check_file, 16, FTW_PHYS), 0);
    }
    EXPECT(files > 500);
}
