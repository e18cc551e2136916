#include "kept.h"

#include "artefact.h"
#include "digest.h"
#include "driver_kit/quota_memory.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALIGNMENT UINT64_C(64)
#define LOCK_NS   INT64_C(1000000000) /* as long as an execution waits to write */

/* Bytes of a file that somebody else may have made. */
#define MAX_MODEL (UINT64_C(64) << 20)
#define MAX_DATA  (UINT64_C(4) << 30)

static bool can_keep(const struct hy_host *host)
{
    return HY_HAS(host, cache_keep_open) && HY_HAS(host, cache_lock) &&
           HY_HAS(host, cache_unlock) && HY_HAS(host, digest_store) && HY_HAS(host, digest_find);
}

/* ---- Keeping --------------------------------------------------------------------------------- */

/* The caller closes its own after prepare: ours are duplicates. */
static bool duplicate(const int32_t *from, uint32_t count, int32_t *to)
{
    bool done = true;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 0);
        done = to[i] >= 0 && done;
    }
    return done;
}

void sample_kept_open(const struct hy_host *host, const struct hy_cache_files *files,
                      struct sample_kept *kept)
{
    if (!can_keep(host))
        return;
    const bool has_model = duplicate(files->model, files->model_count, kept->model);
    const bool has_data = duplicate(files->data, files->data_count, kept->data);
    kept->is_open = true;
    kept->data_count = files->data_count;
    memcpy(kept->token, files->token, sizeof kept->token);
    if (!has_model || !has_data ||
        host->cache_keep_open(host->context, files->token) != HY_STATUS_OK)
        sample_kept_close(kept);
}

static void close_all(const int32_t *fds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

void sample_kept_close(struct sample_kept *kept)
{
    if (!kept->is_open)
        return;
    close_all(kept->model, SAMPLE_MODEL_FILES);
    close_all(kept->data, kept->data_count);
    *kept = (struct sample_kept){0};
}

/* ---- Writing --------------------------------------------------------------------------------- */

static bool write_whole(int fd, const struct hy_bytes *bytes)
{
    uint64_t written = 0;
    if (ftruncate(fd, 0) != 0)
        return false;
    while (written < bytes->length) {
        const ssize_t part = pwrite(fd, (const uint8_t *)bytes->data + written,
                                    bytes->length - written, (off_t)written);
        if (part < 0 && errno != EINTR)
            return false;
        written += part > 0 ? (uint64_t)part : 0;
    }
    return true;
}

/* A file that could not be written whole is emptied: half of it is of no use to anybody. */
static void write_files(const struct sample_kept *kept, const struct sample_artefact *artefact)
{
    bool done = write_whole(kept->model[0], &artefact->model);
    for (uint32_t i = 0; i < kept->data_count && done; i++)
        done = write_whole(kept->data[i], &artefact->data[i]);
    if (!done && ftruncate(kept->model[0], 0) != 0)
        return; /* the digest will tell */
}

/*
 * The order matters. The digest is recorded first, from memory of ours: were it made from the file,
 * it would vouch for whatever somebody has written there meanwhile. Who reads between the two finds
 * a digest that does not fit, and compiles. The lock is that of the first model file, for all.
 */
void sample_kept_write(const struct hy_host *host, const struct sample_kept *kept,
                       const struct sample_program *program)
{
    struct sample_artefact artefact = {0};
    uint8_t digest[HY_DIGEST_SIZE];
    if (kept->is_open && sample_artefact_make(program, kept->data_count, &artefact) &&
        host->cache_lock(host->context, kept->model[0], 1, sample_now() + LOCK_NS) ==
            HY_STATUS_OK) {
        sample_digest(artefact.model.data, artefact.model.length, digest);
        if (host->digest_store(host->context, kept->token, digest) == HY_STATUS_OK)
            write_files(kept, &artefact);
        host->cache_unlock(host->context, kept->model[0]);
    }
    sample_artefact_finish(&artefact);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Lengths first, so that one piece of memory takes all: the model's bytes, then the data's. */
static bool measure(const struct hy_cache_files *files, uint64_t *lengths, uint64_t *total)
{
    *total = 0;
    for (uint32_t i = 0; i < files->model_count + files->data_count; i++) {
        const bool is_model = i < files->model_count;
        struct stat facts;
        if (fstat(is_model ? files->model[i] : files->data[i - files->model_count], &facts) != 0 ||
            facts.st_size < (is_model ? 1 : 0) ||
            (uint64_t)facts.st_size > (is_model ? MAX_MODEL : MAX_DATA))
            return false;
        lengths[i] = (uint64_t)facts.st_size;
        *total += (lengths[i] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return true;
}

static bool read_whole(int fd, uint8_t *out, uint64_t length)
{
    uint64_t got = 0;
    while (got < length) {
        const ssize_t part = pread(fd, out + got, length - got, (off_t)got);
        if (part == 0 || (part < 0 && errno != EINTR))
            return false;
        got += part > 0 ? (uint64_t)part : 0;
    }
    return true;
}

/* Copies all files; `bytes` gets the model's, then the data's. NULL: they cannot be read. */
static uint8_t *copy_files(const struct hy_host *host, const struct hy_cache_files *files,
                           struct hy_bytes *bytes)
{
    uint64_t lengths[SAMPLE_MODEL_FILES + HY_MAX_CACHE_FILES], total = 0, used = 0;
    if (!measure(files, lengths, &total))
        return NULL;
    uint8_t *memory = hy_quota_bytes(host, total);
    bool done = memory != NULL;
    for (uint32_t i = 0; i < files->model_count + files->data_count && done; i++) {
        const bool is_model = i < files->model_count;
        bytes[i] = (struct hy_bytes){memory + used, lengths[i]};
        done = read_whole(is_model ? files->model[i] : files->data[i - files->model_count],
                          memory + used, lengths[i]);
        used += (lengths[i] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    if (!done) {
        hy_quota_free(memory);
        return NULL;
    }
    return memory;
}

/* Somebody who may write to the files can see the digests of other people's caches at most: there
 * is nothing to learn from how long a comparison takes. */
static bool is_ours(const struct hy_host *host, const uint8_t *token, const struct hy_bytes *model)
{
    uint8_t expected[HY_DIGEST_SIZE], found[HY_DIGEST_SIZE];
    if (host->digest_find(host->context, token, expected) != HY_STATUS_OK)
        return false;
    sample_digest(model->data, model->length, found);
    return memcmp(expected, found, sizeof found) == 0;
}

/* Under the lock files are only copied: checking and using happen in the copy. */
int32_t sample_kept_restore(const struct hy_host *host, const struct hy_cache_files *files,
                            int64_t deadline, struct sample_restored *restored)
{
    struct hy_bytes bytes[SAMPLE_MODEL_FILES + HY_MAX_CACHE_FILES];
    const struct hy_bytes *model = bytes, *data = bytes + SAMPLE_MODEL_FILES;
    if (!can_keep(host))
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = host->cache_lock(host->context, files->model[0], 0, deadline);
    if (status != HY_STATUS_OK)
        return status;
    uint8_t *memory = copy_files(host, files, bytes);
    host->cache_unlock(host->context, files->model[0]);

    struct sample_program *program = NULL;
    if (memory && is_ours(host, files->token, model) &&
        sample_artefact_has_data(model, data, files->data_count))
        program = sample_artefact_read(host, model, data, files->data_count);
    if (!program) {
        hy_quota_free(memory);
        return HY_STATUS_GENERAL_FAILURE;
    }
    *restored = (struct sample_restored){.program = program, .memory = memory};
    return HY_STATUS_OK;
}
