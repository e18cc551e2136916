#include "runtime/cache/setting.h"

#include "common/byte_count.h"
#include "common/system_code.h"
#include "runtime/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_files(int *files, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        close(files[i]);
    free(files);
}

void hy_caching_finish(struct hy_caching *caching)
{
    close_files(caching->files, (uint64_t)caching->model_file_count + caching->data_file_count);
    free(caching->dir);
    *caching = (struct hy_caching){0};
}

static void replace(struct hy_caching *caching, struct hy_caching by, const uint8_t *token)
{
    by.cpu_features = caching->cpu_features;
    hy_caching_finish(caching);
    by.is_wanted = true;
    memcpy(by.token, token, sizeof by.token);
    *caching = by;
}

/* Returns a copy that is empty or ends in '/'. NULL: out of memory. */
static char *copy_cache_dir(const char *dir)
{
    const size_t length = strlen(dir);
    char *copy = malloc(length + 2);

    if (!copy)
        return NULL;
    memcpy(copy, dir, length + 1);
    if (length > 0 && copy[length - 1] != '/')
        memcpy(copy + length, "/", 2);
    return copy;
}

enum hy_code hy_caching_set_dir(struct hy_caching *caching, const char *dir, const uint8_t *token,
                                struct hy_error *err)
{
    char *copy = copy_cache_dir(dir);
    if (!copy)
        return hy_fail(err, HY_OUT_OF_MEMORY, "name of a cache directory, %zu bytes", strlen(dir));

    replace(caching, (struct hy_caching){.dir = copy}, token);
    return HY_OK;
}

void hy_caching_set_automatic(struct hy_caching *caching, const char *dir)
{
    if (caching->is_wanted || caching->dir)
        return;
    caching->dir = copy_cache_dir(dir);
    if (!caching->dir)
        hy_log(HY_LOG_WARNING, "cache",
               "cache directory %s: no memory for the name; nothing is cached", dir);
    caching->is_automatic = caching->dir != NULL;
}

uint64_t hy_caching_limit(const char *text)
{
    uint64_t limit = HY_DEFAULT_CACHE_LIMIT;

    if (!text || hy_byte_count_read(text, &limit))
        return limit;
    hy_log(HY_LOG_WARNING, "cache",
           "HALYARD_CACHE_LIMIT is \"%s\", needs a number of bytes; using %llu", text,
           (unsigned long long)HY_DEFAULT_CACHE_LIMIT);
    return HY_DEFAULT_CACHE_LIMIT;
}

/* Stops at the first failure; `*done` copies are open then. */
static enum hy_code duplicate(const char *kind, const int *files, uint32_t count, int *copies,
                              uint64_t *done, struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const int copy = fcntl(files[i], F_DUPFD_CLOEXEC, 0);
        if (copy < 0) {
            const int reason = errno;
            return hy_fail(err, hy_system_code(reason, HY_BAD_DATA),
                           "%s cache file %u, descriptor %d: %s", kind, i, files[i],
                           strerror(reason));
        }
        copies[(*done)++] = copy;
    }
    return HY_OK;
}

enum hy_code hy_caching_set_files(struct hy_caching *caching, const struct hy_caching_files *files,
                                  const uint8_t *token, struct hy_error *err)
{
    const uint64_t count = (uint64_t)files->model_file_count + files->data_file_count;
    uint64_t done = 0;
    int *copies = calloc(count + 1, sizeof *copies); /* + 1, as calloc(0) may return NULL */
    if (!copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%llu cache files", (unsigned long long)count);

    enum hy_code code =
        duplicate("model", files->model_files, files->model_file_count, copies, &done, err);
    if (code == HY_OK)
        code = duplicate("data", files->data_files, files->data_file_count, copies, &done, err);
    if (code != HY_OK) {
        close_files(copies, done);
        return code;
    }
    const struct hy_caching by = {.files = copies,
                                  .model_file_count = files->model_file_count,
                                  .data_file_count = files->data_file_count};
    replace(caching, by, token);
    return HY_OK;
}
