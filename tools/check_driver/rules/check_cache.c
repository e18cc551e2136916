/* Cache files: B24 (faulty files), B30 (restoring), B7 for both. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tools/check_driver/cache_entry.h"

#include "common/clock.h"
#include "tools/check_driver/host_cache.h"

#define GARBAGE         "these bytes are no cache of anybody, and there are more of them than it takes"
#define LATENESS_MAX_NS INT64_C(500000000)
#define ATTEMPTS        3 /* a busy machine delays one call, a faulty driver every call */

/* ---- Trouble --------------------------------------------------------------------------------- */

/* Every file of the entry becomes `path`, opened so. */
static bool use_path(struct hy_cache_entry *entry, const char *path, int flags)
{
    for (uint32_t i = 0; i < hy_cache_entry_count(entry); i++) {
        const int fd = open(path, flags | O_CLOEXEC);
        if (fd < 0 || dup3(fd, hy_cache_entry_file(entry, i), O_CLOEXEC) < 0)
            return false;
        close(fd);
    }
    return true;
}

/* Fills every file with garbage, and moves the file offset to the end. */
static bool fill_with_garbage(const struct hy_cache_entry *entry)
{
    bool done = true;
    for (uint32_t i = 0; i < hy_cache_entry_count(entry); i++)
        done =
            write(hy_cache_entry_file(entry, i), GARBAGE, sizeof GARBAGE) == sizeof GARBAGE && done;
    return done;
}

/* A prepare with these files must succeed, and the prepared model must compute correctly. */
static void prepare_with(struct hy_check *check, struct hy_sample *sample,
                         const struct hy_cache_entry *entry, const char *description)
{
    const struct hy_prepare_options options = hy_cache_entry_options(entry);
    void *prepared = NULL;
    hy_result_page_step(check->page, HY_RULE_B24, "%s, prepared with %s", sample->vector->name,
                        description);
    const int32_t status =
        check->table.prepare(check->device, &sample->model_view.model, &options, &prepared);
    hy_check_status(check, "prepare", status);
    if (status != HY_STATUS_OK || !prepared) {
        hy_result_page_report(check->page, HY_RULE_B24, "%s: the driver returned %s",
                              check->page->doing, hy_status_text(status));
        return;
    }
    if (hy_cache_run(check, HY_RULE_B24, sample, prepared))
        hy_cache_run(check, HY_RULE_B24, sample, prepared);
    check->table.prepared_destroy(prepared);
}

static void check_trouble(struct hy_check *check, struct hy_sample *sample)
{
    static const struct {
        const char *path;
        int flags;
        const char *description;
    } troubles[] = {
        {NULL, 0, "empty cache files"},
        {NULL, 1, "cache files full of other bytes"},
        {"/dev/null", O_RDONLY, "read-only cache files"},
        {"/dev/full", O_RDWR, "cache files on a full disk"},
        {"/", O_RDONLY | O_DIRECTORY, "directories as cache files"},
    };
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++) {
        struct hy_cache_entry entry;
        bool ready = hy_cache_entry_make(check, 1, &entry);
        if (ready && troubles[i].path)
            ready = use_path(&entry, troubles[i].path, troubles[i].flags);
        else if (ready && troubles[i].flags)
            ready = fill_with_garbage(&entry);
        if (ready)
            prepare_with(check, sample, &entry, troubles[i].description);
        hy_cache_entry_close(&entry);
    }
}

void hy_check_cache(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    if (!hy_cache_is_supported(check, HY_RULE_B24, false))
        return;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B24, vector, &form, &sample))
            check_trouble(check, &sample);
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B24);
}

bool hy_cache_is_supported(struct hy_check *check, enum hy_rule rule, bool needs_restoring)
{
    hy_host_cache_expect(check->info.model_cache_files, check->info.data_cache_files);
    if (check->info.model_cache_files + check->info.data_cache_files == 0)
        hy_result_page_skip(check->page, rule, "the device has no cache files");
    else if (needs_restoring && !check->table.prepare_from_cache)
        hy_result_page_skip(check->page, rule, "the device has no prepare_from_cache");
    else
        return true;
    return false;
}

/* ---- Good use -------------------------------------------------------------------------------- */

/* What comes out of unchanged files, through other descriptors at another offset. */
static void restore(struct hy_check *check, struct hy_sample *sample,
                    const struct hy_cache_entry *entry)
{
    struct hy_cache_entry copy;
    if (hy_cache_entry_copy(check, entry, &copy)) {
        hy_result_page_step(check->page, HY_RULE_B30, "%s, prepared from its cache files",
                            sample->vector->name);
        if (hy_cache_entry_try(check, HY_RULE_B30, sample, &copy) == HY_CACHE_FAILED)
            hy_result_page_report(
                check->page, HY_RULE_B30,
                "%s: the files were written before, and prepare_from_cache failed",
                check->page->doing);
    }
    hy_cache_entry_close(&copy);
}

/* Restores two models; after the end of one the other continues. */
static void restore_two(struct hy_check *check, struct hy_sample *sample,
                        const struct hy_cache_entry *entry)
{
    const struct hy_prepare_options options = hy_cache_entry_options(entry);
    void *prepared[2] = {NULL, NULL};
    hy_result_page_step(check->page, HY_RULE_B30, "%s, prepared from its cache files twice",
                        sample->vector->name);
    for (uint32_t i = 0; i < 2; i++)
        if (check->table.prepare_from_cache(check->device, &options, &prepared[i]) != HY_STATUS_OK)
            prepared[i] = NULL;
    if (prepared[0])
        check->table.prepared_destroy(prepared[0]);
    if (prepared[1]) {
        hy_cache_run(check, HY_RULE_B30, sample, prepared[1]);
        check->table.prepared_destroy(prepared[1]);
    }
}

/* By how much the call came back after its deadline, or after its start if that was later. */
static int64_t restore_expired(struct hy_check *check, const struct hy_cache_entry *entry,
                               int64_t from_now)
{
    struct hy_prepare_options options = hy_cache_entry_options(entry);
    void *prepared = NULL;
    const int64_t start = hy_clock_boot();
    options.deadline = start + from_now;
    const int32_t status = check->table.prepare_from_cache(check->device, &options, &prepared);
    const int64_t due = from_now > 0 ? options.deadline : start;
    const int64_t overdue_ns = hy_clock_boot() - due;
    hy_check_status(check, "prepare_from_cache", status);
    if (status == HY_STATUS_OK && prepared)
        check->table.prepared_destroy(prepared);
    return overdue_ns;
}

/* An expired deadline, or a sufficient one: the reply must come in time, whatever its code. */
static void restore_in_time(struct hy_check *check, struct hy_sample *sample,
                            const struct hy_cache_entry *entry, int64_t from_now)
{
    int64_t overdue_ns = LATENESS_MAX_NS + 1;
    for (int i = 0; i < ATTEMPTS && overdue_ns > LATENESS_MAX_NS; i++) {
        hy_result_page_step(check->page, HY_RULE_B7,
                            "%s, prepared from its cache files with a deadline",
                            sample->vector->name);
        overdue_ns = restore_expired(check, entry, from_now);
    }
    if (overdue_ns > LATENESS_MAX_NS)
        hy_result_page_report(check->page, HY_RULE_B7,
                              "%s: the call returned %lld ms after the deadline",
                              check->page->doing, (long long)(overdue_ns / 1000000));
}

/* True: there was something to restore. */
static bool check_restoring(struct hy_check *check, struct hy_sample *sample, uint8_t number)
{
    struct hy_cache_entry entry;
    const bool has_bytes = hy_cache_entry_make(check, number, &entry) &&
                           hy_cache_entry_fill(check, HY_RULE_B30, sample, &entry);
    if (has_bytes) {
        restore(check, sample, &entry);
        restore_two(check, sample, &entry);
        restore_in_time(check, sample, &entry, -LATENESS_MAX_NS);
        restore_in_time(check, sample, &entry, LATENESS_MAX_NS / 10);
    }
    hy_cache_entry_close(&entry);
    return has_bytes;
}

void hy_check_cache_restored(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    uint32_t written = 0;
    if (!hy_cache_is_supported(check, HY_RULE_B30, true))
        return;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B30, vector, &form, &sample))
            written += check_restoring(check, &sample, (uint8_t)next);
        hy_sample_finish(check, &sample);
    }
    if (written == 0)
        hy_result_page_report(check->page, HY_RULE_B30,
                              "the device asks for cache files and wrote to none");
    hy_result_page_pass(check->page, HY_RULE_B30);
}
