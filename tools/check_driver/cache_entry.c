#include "tools/check_driver/cache_entry.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/check_driver/host_cache.h"

#define RUNS_MAX     24u /* for a driver that writes in the background; the last runs with pauses */
#define RUNS_AT_ONCE 8u
#define PAUSE_NS     10000000L

/* ---- Files ----------------------------------------------------------------------------------- */

int32_t hy_cache_entry_file(const struct hy_cache_entry *entry, uint32_t index)
{
    return index < entry->model_count ? entry->model[index]
                                      : entry->data[index - entry->model_count];
}

uint32_t hy_cache_entry_count(const struct hy_cache_entry *entry)
{
    return entry->model_count + entry->data_count;
}

int64_t hy_cache_entry_length(const struct hy_cache_entry *entry, uint32_t index)
{
    struct stat file_info;
    return fstat(hy_cache_entry_file(entry, index), &file_info) == 0 ? file_info.st_size : -1;
}

bool hy_cache_entry_has_bytes(const struct hy_cache_entry *entry)
{
    for (uint32_t i = 0; i < hy_cache_entry_count(entry); i++)
        if (hy_cache_entry_length(entry, i) > 0)
            return true;
    return false;
}

static bool open_files(int32_t *fds, uint32_t count)
{
    bool done = true;
    for (uint32_t i = 0; i <= count; i++) {
        fds[i] = memfd_create("halyard-check-cache", MFD_CLOEXEC);
        done = fds[i] >= 0 && done;
    }
    return done;
}

static void close_files(int32_t *fds, uint32_t count)
{
    for (uint32_t i = 0; i <= count; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

bool hy_cache_entry_make(const struct hy_check *check, uint8_t number, struct hy_cache_entry *out)
{
    *out = (struct hy_cache_entry){.model_count = check->info.model_cache_files,
                                   .data_count = check->info.data_cache_files};
    if (out->model_count > HY_MAX_CACHE_FILES || out->data_count > HY_MAX_CACHE_FILES)
        out->model_count = out->data_count = 0; /* D6 reports the fault */
    memset(out->token, number, sizeof out->token);
    const bool has_model = open_files(out->model, out->model_count);
    return open_files(out->data, out->data_count) && has_model;
}

void hy_cache_entry_close(struct hy_cache_entry *entry)
{
    close_files(entry->model, entry->model_count);
    close_files(entry->data, entry->data_count);
}

static bool copy_file(int32_t from, int32_t to)
{
    char bytes[16384];
    off_t at = 0;
    for (ssize_t length; (length = pread(from, bytes, sizeof bytes, at)) != 0; at += length)
        if (length < 0 || pwrite(to, bytes, (size_t)length, at) != length)
            return false;
    return lseek(to, at / 2 + 1, SEEK_SET) >= 0;
}

bool hy_cache_entry_copy(const struct hy_check *check, const struct hy_cache_entry *from,
                         struct hy_cache_entry *out)
{
    bool done = hy_cache_entry_make(check, from->token[0], out);
    for (uint32_t i = 0; i < hy_cache_entry_count(from) && done; i++)
        done = copy_file(hy_cache_entry_file(from, i), hy_cache_entry_file(out, i));
    return done;
}

struct hy_prepare_options hy_cache_entry_options(const struct hy_cache_entry *entry)
{
    return (struct hy_prepare_options){
        .struct_size = sizeof(struct hy_prepare_options),
        .preference = HY_PREFER_FAST_SINGLE_ANSWER,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = HY_NO_DEADLINE,
        .model_cache = entry->model,
        .data_cache = entry->data,
        .model_cache_count = entry->model_count,
        .data_cache_count = entry->data_count,
        .token = entry->token,
    };
}

/* ---- Calls ----------------------------------------------------------------------------------- */

bool hy_cache_run(struct hy_check *check, enum hy_rule rule, struct hy_sample *sample,
                  void *prepared)
{
    void *saved = sample->prepared;
    sample->prepared = prepared;
    const bool is_right = hy_sample_run(check, rule, sample);
    sample->prepared = saved;
    return is_right;
}

/* True if the driver has committed an entry, whose files become the entry's files. */
static bool reopen_committed(struct hy_cache_entry *entry)
{
    struct hy_cache_entry other = *entry;
    if (!hy_host_cache_open(entry->token, other.model, other.data))
        return false;
    for (uint32_t i = 0; i < entry->model_count; i++)
        close(entry->model[i]);
    for (uint32_t i = 0; i < entry->data_count; i++)
        close(entry->data[i]);
    *entry = other;
    return true;
}

bool hy_cache_entry_fill(struct hy_check *check, enum hy_rule rule, struct hy_sample *sample,
                         struct hy_cache_entry *entry)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const struct hy_prepare_options options = hy_cache_entry_options(entry);
    void *prepared = NULL;
    hy_host_cache_watch(entry->token);
    hy_result_page_step(check->page, rule, "%s, prepared with empty cache files",
                        sample->vector->name);
    const int32_t status =
        check->table.prepare(check->device, &sample->model_view.model, &options, &prepared);
    hy_check_status(check, "prepare", status);
    if (status != HY_STATUS_OK || !prepared) {
        hy_result_page_report(check->page, rule, "%s: the driver returned %s", check->page->doing,
                              hy_status_text(status));
        return false;
    }
    bool is_right = true;
    for (uint32_t i = 0; i < RUNS_MAX && is_right && !hy_cache_entry_has_bytes(entry) &&
                         hy_host_cache_counts().committed == 0;
         i++) {
        is_right = hy_cache_run(check, rule, sample, prepared);
        if (i >= RUNS_AT_ONCE)
            nanosleep(&pause, NULL);
    }
    is_right = is_right && hy_cache_run(check, rule, sample, prepared);
    check->table.prepared_destroy(prepared);
    if (hy_host_cache_counts().committed > 0)
        reopen_committed(entry);
    return is_right && hy_cache_entry_has_bytes(entry);
}

enum hy_cache_try hy_cache_entry_try(struct hy_check *check, enum hy_rule rule,
                                     struct hy_sample *sample, const struct hy_cache_entry *entry)
{
    const struct hy_prepare_options options = hy_cache_entry_options(entry);
    void *prepared = NULL;
    const int32_t status = check->table.prepare_from_cache(check->device, &options, &prepared);
    hy_check_status(check, "prepare_from_cache", status);
    if (status != HY_STATUS_OK)
        return HY_CACHE_FAILED;
    if (!prepared) {
        hy_result_page_report(check->page, HY_RULE_B6, "prepare_from_cache returned OK and NULL");
        return HY_CACHE_WRONG;
    }
    bool is_right = true;
    for (int i = 0; i < 2 && is_right; i++)
        is_right = hy_cache_run(check, rule, sample, prepared);
    check->table.prepared_destroy(prepared);
    return is_right ? HY_CACHE_RIGHT : HY_CACHE_WRONG;
}
