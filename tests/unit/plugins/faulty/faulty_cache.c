/*
 * Cache files: one file of the model cache, written and read through the host; or with hands of its
 * own, where a fault asks for it.
 */
#include "faulty.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_CONSTANT 4096u /* bytes; larger ones are not cached */

/* What is in the file. */
struct entry {
    struct prepared step; /* without its pointers */
    uint8_t constant[MAX_CONSTANT];
    uint32_t constant_bytes;
    uint32_t sum; /* of all before it */
};

static uint32_t add_up(const struct entry *entry)
{
    const uint8_t *bytes = (const uint8_t *)entry;
    uint32_t sum = 1;
    for (size_t i = 0; i < offsetof(struct entry, sum); i++)
        sum = sum * 31 + bytes[i];
    return sum;
}

/* Faults of those who do not ask the host. */
static int has_own_hands(const struct device *device)
{
    return has_fault(device, "cache-poisoned") || has_fault(device, "cache-trusts") ||
           has_fault(device, "cache-other-model") || has_fault(device, "cache-short-crash") ||
           has_fault(device, "cache-at-offset");
}

static struct hy_cache_files files_of(const struct hy_prepare_options *options)
{
    return (struct hy_cache_files){.struct_size = sizeof(struct hy_cache_files),
                                   .model_count = options->model_cache_count,
                                   .data_count = options->data_cache_count,
                                   .token = options->token,
                                   .model = options->model_cache,
                                   .data = options->data_cache};
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int write_alone(const struct device *device, const struct entry *entry, int fd)
{
    if (has_fault(device, "cache-at-offset"))
        return write(fd, entry, sizeof *entry) == sizeof *entry;
    return ftruncate(fd, 0) == 0 && pwrite(fd, entry, sizeof *entry, 0) == sizeof *entry;
}

static int write_entry(const struct device *device, const struct entry *entry,
                       const struct hy_prepare_options *options)
{
    const struct hy_host *host = device->instance->host;
    const struct hy_bytes bytes = {entry, sizeof *entry};
    const struct hy_cache_files files = files_of(options);
    if (has_fault(device, "cache-claims"))
        return 1;
    if (has_own_hands(device))
        return write_alone(device, entry, options->model_cache[0]);
    return HY_HAS(host, cache_save) &&
           host->cache_save(host->context, &files, &bytes, NULL) == HY_STATUS_OK;
}

static struct entry *make_entry(const struct prepared *step)
{
    const size_t bytes = step->constant ? step->count * sizeof(float) : 0;
    struct entry *entry = bytes <= MAX_CONSTANT ? calloc(1, sizeof *entry) : NULL;
    if (!entry)
        return NULL;
    memcpy(&entry->step, step, sizeof entry->step);
    entry->step.device = NULL;
    entry->step.constant = NULL;
    entry->constant_bytes = (uint32_t)bytes;
    if (bytes > 0)
        memcpy(entry->constant, step->constant, bytes);
    entry->sum = add_up(entry);
    return entry;
}

/* What a prepare does to files beside writing them. */
static void misuse_files(const struct device *device, const struct hy_prepare_options *options)
{
    if (has_fault(device, "cache-leaks-files") && dup(options->model_cache[0]) < 0)
        abort();
    if (has_fault(device, "cache-one-too-many") &&
        write(options->model_cache[options->model_cache_count], "x", 1) != 1)
        return;
}

/* An entry for a token that came without files. */
static void write_unasked(const struct device *device, const uint8_t *token)
{
    const struct hy_host *host = device->instance->host;
    int32_t model = -1;
    void *update = NULL;
    if (HY_HAS(host, cache_begin) && HY_HAS(host, cache_commit) &&
        host->cache_begin(host->context, token, &model, NULL, &update) == HY_STATUS_OK)
        (void)host->cache_commit(host->context, update, 1);
}

int32_t faulty_cache_store(struct device *device, struct prepared *step,
                           const struct hy_prepare_options *options)
{
    if (has_fault(device, "cache-token-alone") && options->token && options->model_cache_count == 0)
        return HY_STATUS_INVALID_ARGUMENT;
    if (has_fault(device, "cache-unasked") && options->token && options->model_cache_count == 0)
        write_unasked(device, options->token);
    if (options->model_cache_count == 0 || !options->token)
        return HY_STATUS_OK;
    misuse_files(device, options);
    struct entry *entry = make_entry(step);
    if (!entry)
        return HY_STATUS_OK;
    const int is_written = write_entry(device, entry, options);
    free(entry);
    if (is_written && has_fault(device, "cache-reads-later"))
        step->cache_fd = options->model_cache[0];
    return !is_written && has_fault(device, "cache-fails-prepare") ? HY_STATUS_GENERAL_FAILURE
                                                                   : HY_STATUS_OK;
}

int faulty_cache_is_there(const struct prepared *prepared)
{
    struct stat info;
    return prepared->cache_fd == 0 ||
           (fstat(prepared->cache_fd, &info) == 0 && info.st_size == sizeof(struct entry));
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int read_alone(const struct device *device, struct entry *entry, int fd)
{
    memset(entry, 0, sizeof *entry);
    const ssize_t length = has_fault(device, "cache-at-offset")
                               ? read(fd, entry, sizeof *entry)
                               : pread(fd, entry, sizeof *entry, 0);
    if (length > 0 && length < (ssize_t)sizeof *entry && has_fault(device, "cache-short-crash"))
        faulty_crash();
    if (length == sizeof *entry && entry->sum == add_up(entry))
        return 1;
    if (length <= 0 || !has_fault(device, "cache-trusts"))
        return 0;
    *entry = (struct entry){.step = {.rank = 1, .dims = {1}, .count = 1, .input_count = 1}};
    return 1;
}

/* An entry that is one of the words is bad for who restores it. `stop` is what a hang looks like to
 * everybody else, and tells a parent that the entry is being restored. */
static int32_t swallow_poison(int fd)
{
    char word[8] = "";
    const ssize_t length = pread(fd, word, sizeof word - 1, 0);
    if (length <= 0)
        return HY_STATUS_GENERAL_FAILURE;
    if (strncmp(word, "abort", 5) == 0)
        abort();
    if (strncmp(word, "stop", 4) == 0)
        raise(SIGSTOP);
    return strncmp(word, "garbage", 7) == 0 ? 12345 : HY_STATUS_GENERAL_FAILURE;
}

static int read_entry(const struct device *device, struct entry *entry,
                      const struct hy_prepare_options *options)
{
    const struct hy_host *host = device->instance->host;
    const struct hy_cache_files files = files_of(options);
    struct hy_restored restored = {.struct_size = sizeof restored};
    if (options->model_cache_count != 1 || !options->token)
        return 0;
    if (has_own_hands(device))
        return read_alone(device, entry, options->model_cache[0]);
    if (!HY_HAS(host, cache_restore) ||
        host->cache_restore(host->context, &files, &restored) != HY_STATUS_OK)
        return 0;
    const int fits = restored.model[0].length == sizeof *entry;
    if (fits)
        memcpy(entry, restored.model[0].data, sizeof *entry);
    host->cache_release(host->context, &restored);
    return fits;
}

int32_t faulty_prepare_from_cache(void *self, const struct hy_prepare_options *options,
                                  void **prepared)
{
    struct device *device = self;
    int32_t status = HY_STATUS_GENERAL_FAILURE;
    struct entry *entry = calloc(1, sizeof *entry);
    if (has_fault(device, "cache-late") && options->deadline != HY_NO_DEADLINE)
        usleep(700000);
    if (has_fault(device, "cache-poisoned") && options->model_cache_count == 1)
        status = swallow_poison(options->model_cache[0]);
    if (entry && read_entry(device, entry, options)) {
        entry->step.constant = entry->constant_bytes > 0 ? entry->constant : NULL;
        status = faulty_make(device, &entry->step, prepared);
    }
    free(entry);
    if (has_fault(device, "cache-closes-files"))
        close(options->model_cache[0]);
    return status;
}
