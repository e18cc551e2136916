/* Cache files belong to the caller: B32. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/check_driver/cache_entry.h"
#include "tools/check_driver/host_cache.h"

#define ROUNDS 16

/* ---- What a call leaves ---------------------------------------------------------------------- */

static void find(struct hy_check *check, const char *text)
{
    hy_result_page_report(check->page, HY_RULE_B32, "%s: %s", check->page->doing, text);
}

/* Checks that the descriptors are open, and the additional ones unchanged. */
static void check_files(struct hy_check *check, const struct hy_cache_entry *entry)
{
    struct stat model, data;
    for (uint32_t i = 0; i < hy_cache_entry_count(entry); i++)
        if (fcntl(hy_cache_entry_file(entry, i), F_GETFD) < 0)
            find(check, "the driver closed a descriptor of the caller");
    if (fstat(entry->model[entry->model_count], &model) != 0 ||
        fstat(entry->data[entry->data_count], &data) != 0)
        find(check, "the driver closed the descriptor after the last cache file");
    else if (model.st_size > 0 || data.st_size > 0)
        find(check, "the driver wrote to the file after the last cache file");
}

/* Checks the descriptors after the end of the prepared model and of its background tasks. */
static void check_end(struct hy_check *check, const struct hy_cache_entry *entry)
{
    hy_host_cache_end_tasks();
    check_files(check, entry);
    if (hy_host_cache_counts().locks > 0)
        find(check, "a lock is still held");
}

/* The caller closes its files and opens others, which get the same numbers. */
static bool put_others(const struct hy_cache_entry *entry, struct hy_cache_entry *others)
{
    for (uint32_t i = 0; i < hy_cache_entry_count(entry); i++)
        if (dup3(hy_cache_entry_file(others, i), hy_cache_entry_file(entry, i), O_CLOEXEC) < 0)
            return false;
    return true;
}

/* Runs the prepared model after its files were removed. */
static void run_without_files(struct hy_check *check, struct hy_sample *sample, void *prepared,
                              const struct hy_cache_entry *entry)
{
    struct hy_cache_entry others;
    if (hy_cache_entry_make(check, 0, &others) && put_others(entry, &others)) {
        for (uint32_t i = 0; i < ROUNDS; i++)
            hy_cache_run(check, HY_RULE_B32, sample, prepared);
        if (hy_cache_entry_has_bytes(&others))
            find(check, "the driver wrote to another file that reuses the descriptor number");
    }
    hy_cache_entry_close(&others);
}

static void check_prepare(struct hy_check *check, struct hy_sample *sample, uint8_t number)
{
    struct hy_cache_entry entry;
    void *prepared = NULL;
    hy_result_page_step(check->page, HY_RULE_B32, "%s, after it was prepared with cache files",
                        sample->vector->name);
    if (hy_cache_entry_make(check, number, &entry)) {
        const struct hy_prepare_options options = hy_cache_entry_options(&entry);
        if (check->table.prepare(check->device, &sample->model_view.model, &options, &prepared) ==
                HY_STATUS_OK &&
            prepared) {
            check_files(check, &entry);
            run_without_files(check, sample, prepared, &entry);
            check->table.prepared_destroy(prepared);
            check_end(check, &entry);
        }
    }
    hy_cache_entry_close(&entry);
}

static void check_restored(struct hy_check *check, struct hy_sample *sample, uint8_t number)
{
    struct hy_cache_entry entry;
    void *prepared = NULL;
    if (check->table.prepare_from_cache && hy_cache_entry_make(check, number, &entry)) {
        const struct hy_prepare_options options = hy_cache_entry_options(&entry);
        const bool is_filled = hy_cache_entry_fill(check, HY_RULE_B32, sample, &entry);
        hy_result_page_step(check->page, HY_RULE_B32, "%s, after it was prepared from cache files",
                            sample->vector->name);
        if (is_filled &&
            check->table.prepare_from_cache(check->device, &options, &prepared) == HY_STATUS_OK &&
            prepared) {
            check_files(check, &entry);
            run_without_files(check, sample, prepared, &entry);
            check->table.prepared_destroy(prepared);
            check_end(check, &entry);
            if (hy_host_cache_counts().handles > 0)
                find(check, "the driver did not release the files restored by the host");
        }
        hy_cache_entry_close(&entry);
    }
}

/* ---- A token alone --------------------------------------------------------------------------- */

static void check_token(struct hy_check *check, struct hy_sample *sample)
{
    static const uint8_t token[HY_TOKEN_SIZE] = {200};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .preference = HY_PREFER_FAST_SINGLE_ANSWER,
                                               .priority = HY_PRIORITY_MEDIUM,
                                               .deadline = HY_NO_DEADLINE,
                                               .token = token};
    void *prepared = NULL;
    hy_host_cache_watch(token);
    hy_result_page_step(check->page, HY_RULE_B32, "%s, prepared with a token and no files",
                        sample->vector->name);
    const int32_t status =
        check->table.prepare(check->device, &sample->model_view.model, &options, &prepared);
    if (status != HY_STATUS_OK || !prepared) {
        hy_result_page_report(check->page, HY_RULE_B32, "%s: the driver returned %s",
                              check->page->doing, hy_status_text(status));
        return;
    }
    for (uint32_t i = 0; i < ROUNDS; i++)
        hy_cache_run(check, HY_RULE_B32, sample, prepared);
    check->table.prepared_destroy(prepared);
    if (hy_host_cache_counts().written > 0)
        find(check, "the driver wrote to a cache without a request");
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

static uint32_t count_descriptors(void)
{
    uint32_t count = 0;
    hy_host_cache_end_tasks(); /* which may have some open */
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

static void do_round(struct hy_check *check, struct hy_sample *sample)
{
    struct hy_cache_entry entry;
    void *prepared = NULL;
    if (hy_cache_entry_make(check, 201, &entry)) {
        const struct hy_prepare_options options = hy_cache_entry_options(&entry);
        if (check->table.prepare(check->device, &sample->model_view.model, &options, &prepared) ==
                HY_STATUS_OK &&
            prepared)
            check->table.prepared_destroy(prepared);
        prepared = NULL;
        if (check->table.prepare_from_cache &&
            check->table.prepare_from_cache(check->device, &options, &prepared) == HY_STATUS_OK &&
            prepared)
            check->table.prepared_destroy(prepared);
    }
    hy_cache_entry_close(&entry);
}

static void check_descriptors(struct hy_check *check, struct hy_sample *sample)
{
    hy_result_page_step(check->page, HY_RULE_B32, "%s, prepared with cache files many times",
                        sample->vector->name);
    do_round(check, sample);
    const uint32_t before = count_descriptors();
    for (uint32_t i = 0; i < ROUNDS; i++)
        do_round(check, sample);
    const uint32_t after = count_descriptors();
    if (after >= before + ROUNDS)
        hy_result_page_report(check->page, HY_RULE_B32, "%s: %d rounds leave %u descriptors open",
                              check->page->doing, ROUNDS, after - before);
}

void hy_check_cache_owned(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    if (!hy_cache_is_supported(check, HY_RULE_B32, false))
        return;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B32, vector, &form, &sample)) {
            check_prepare(check, &sample, (uint8_t)(2 * next));
            check_restored(check, &sample, (uint8_t)(2 * next + 1));
            check_token(check, &sample);
            check_descriptors(check, &sample);
        }
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B32);
}
