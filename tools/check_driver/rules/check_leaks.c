/* What is left when everything was destroyed: B19. */
#include <dirent.h>
#include <malloc.h>
#include <stdio.h>

#include "tools/check_driver/host_cache.h"
#include "tools/check_driver/rules/check.h"

#define WARM_UP 16u
#define ROUNDS  48u
#define WINDOWS 2u

/* The countable resources of a process. */
struct holdings {
    long files, threads, mappings, bytes;
};

static long count_entries(const char *path)
{
    long count = 0;
    DIR *dir = opendir(path);
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

static long count_mappings(void)
{
    long count = 0;
    FILE *file = fopen("/proc/self/maps", "re");
    for (int c; file && (c = getc(file)) != EOF;)
        count += c == '\n';
    if (file)
        fclose(file);
    return count;
}

static struct holdings count(void)
{
    struct holdings holdings = {.files = count_entries("/proc/self/fd"),
                                .threads = count_entries("/proc/self/task"),
                                .mappings = count_mappings()};
    const struct mallinfo2 memory = mallinfo2();
    holdings.bytes = (long)(memory.uordblks + memory.hblkhd);
    return holdings;
}

/* Prepares, runs and destroys. */
static bool do_round(struct hy_check *check, const struct hy_vector *vector)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct hy_sample sample; /* a separate step: many rounds need much time */
    bool done = hy_sample_make(check, HY_RULE_B19, vector, &form, &sample) &&
                hy_call_execute(check, sample.prepared, &sample.test_case) == HY_STATUS_OK;
    if (done && check->table.burst_open) {
        void *burst = NULL;
        if (check->table.burst_open(sample.prepared, &burst) == HY_STATUS_OK)
            check->table.burst_close(burst);
    }
    hy_sample_finish(check, &sample);
    return done;
}

static void check_growth(struct hy_check *check, const char *name, const char *what, long first,
                         long second, long least)
{
    if (first >= least && second >= least)
        hy_result_page_report(
            check->page, HY_RULE_B19,
            "%s: %u rounds of prepare, execute and destroy leave %ld %s, and %u more %ld", name,
            ROUNDS, first, what, ROUNDS, second);
}

/* Growth counts only if it goes on: caches fill up, leaks do not. */
static void check_model(struct hy_check *check, const struct hy_vector *vector)
{
    struct holdings at[WINDOWS + 1];
    hy_result_page_step(check->page, HY_RULE_B19, "preparing and destroying %s many times",
                        vector->name);
    bool done = true;
    for (uint32_t i = 0; i < WARM_UP && done; i++)
        done = do_round(check, vector);
    at[0] = count();
    for (uint32_t window = 1; window <= WINDOWS; window++) {
        for (uint32_t i = 0; i < ROUNDS && done; i++)
            done = do_round(check, vector);
        at[window] = count();
    }
    check_growth(check, vector->name, "files", at[1].files - at[0].files, at[2].files - at[1].files,
                 ROUNDS);
    check_growth(check, vector->name, "threads", at[1].threads - at[0].threads,
                 at[2].threads - at[1].threads, ROUNDS / 2);
    check_growth(check, vector->name, "mappings", at[1].mappings - at[0].mappings,
                 at[2].mappings - at[1].mappings, ROUNDS);
    check_growth(check, vector->name, "bytes of memory", at[1].bytes - at[0].bytes,
                 at[2].bytes - at[1].bytes, (long)ROUNDS * 16);
}

void hy_check_leaks(struct hy_check *check)
{
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));)
        check_model(check, vector);
    hy_result_page_step(check->page, HY_RULE_B19, "destroying the instance");
    hy_host_cache_end_tasks();
    check->driver.destroy(check->instance);
    hy_result_page_pass(check->page, HY_RULE_B19);
}
