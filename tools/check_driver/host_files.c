#include "tools/check_driver/host_files.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/check_driver/host_records.h"

#define ALIGNMENT 64u
#define FILES_MAX (2 * HY_MAX_CACHE_FILES)

/* ---- Saving ---------------------------------------------------------------------------------- */

static const struct hy_bytes *piece(const struct hy_cache_files *files,
                                    const struct hy_bytes *model, const struct hy_bytes *data,
                                    uint32_t index)
{
    return index < files->model_count ? &model[index] : &data[index - files->model_count];
}

static int32_t file(const struct hy_cache_files *files, uint32_t index)
{
    return index < files->model_count ? files->model[index]
                                      : files->data[index - files->model_count];
}

static bool write_whole(int fd, const struct hy_bytes *bytes)
{
    uint64_t written = 0;
    if (ftruncate(fd, 0) != 0)
        return false;
    while (written < bytes->length) {
        const ssize_t part = pwrite(fd, (const uint8_t *)bytes->data + written,
                                    bytes->length - written, (off_t)written);
        if (part <= 0)
            return false;
        written += (uint64_t)part;
    }
    return true;
}

/* Every piece with its length in front: no two entries have the same bytes. */
static bool record(const struct hy_cache_files *files, const struct hy_bytes *model,
                   const struct hy_bytes *data)
{
    const uint32_t total = files->model_count + files->data_count;
    uint64_t length = 0, used = 0;
    for (uint32_t i = 0; i < total; i++)
        length += sizeof length + piece(files, model, data, i)->length;
    uint8_t *all = calloc(1, length + 1);
    for (uint32_t i = 0; i < total && all; i++) {
        const struct hy_bytes *bytes = piece(files, model, data, i);
        memcpy(all + used, &bytes->length, sizeof bytes->length);
        used += sizeof bytes->length;
        if (bytes->length > 0)
            memcpy(all + used, bytes->data, bytes->length);
        used += bytes->length;
    }
    const bool done =
        all && hy_record_store(HY_RECORD_SAVED, files->token, HY_TOKEN_SIZE, all, length);
    free(all);
    return done;
}

int32_t hy_host_files_save(const struct hy_cache_files *files, const struct hy_bytes *model,
                           const struct hy_bytes *data)
{
    const uint32_t total = files->model_count + files->data_count;
    if (files->model_count > HY_MAX_CACHE_FILES || files->data_count > HY_MAX_CACHE_FILES ||
        !files->token)
        return HY_STATUS_INVALID_ARGUMENT;
    bool done = record(files, model, data);
    for (uint32_t i = 0; i < total && done; i++)
        done = write_whole(file(files, i), piece(files, model, data, i));
    for (uint32_t i = 0; i < total && !done; i++)
        if (ftruncate(file(files, i), 0) != 0)
            continue; /* so the contents differ from the record */
    return done ? HY_STATUS_OK : HY_STATUS_GENERAL_FAILURE;
}

/* ---- Restoring ------------------------------------------------------------------------------- */

struct handle {
    uint32_t model_count, count;
    struct hy_bytes bytes[FILES_MAX]; /* the model's are copies, the data's are mapped */
};

static void handle_destroy(struct handle *handle)
{
    for (uint32_t i = 0; i < handle->count; i++) {
        void *bytes = (void *)handle->bytes[i].data;
        if (i < handle->model_count)
            free(bytes);
        else if (bytes)
            munmap(bytes, handle->bytes[i].length);
    }
    free(handle);
}

/* Copies a file with its length of this moment. */
static bool copy_file(int fd, struct hy_bytes *bytes)
{
    const uint64_t length = bytes->length;
    uint8_t *copy = aligned_alloc(ALIGNMENT, (length / ALIGNMENT + 1) * ALIGNMENT);
    bytes->data = copy;
    return copy && pread(fd, copy, length, 0) == (ssize_t)length;
}

static bool map_file(int fd, struct hy_bytes *bytes)
{
    if (bytes->length == 0)
        return true;
    void *position = mmap(NULL, bytes->length, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (position == MAP_FAILED)
        return false;
    bytes->data = position;
    return true;
}

static bool load_file(int fd, bool is_model, struct hy_bytes *bytes)
{
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    *bytes = (struct hy_bytes){NULL, (uint64_t)about.st_size};
    return is_model ? copy_file(fd, bytes) : map_file(fd, bytes);
}

static bool is_saved(const struct handle *handle, const uint8_t *token)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < handle->count; i++) {
        const struct hy_bytes *bytes = &handle->bytes[i];
        if (!hy_record_has(HY_RECORD_SAVED, token, HY_TOKEN_SIZE, used, &bytes->length,
                           sizeof bytes->length) ||
            !hy_record_has(HY_RECORD_SAVED, token, HY_TOKEN_SIZE, used + sizeof bytes->length,
                           bytes->data, bytes->length))
            return false;
        used += sizeof bytes->length + bytes->length;
    }
    return hy_record_load(HY_RECORD_SAVED, token, HY_TOKEN_SIZE, NULL, 0) == (int64_t)used;
}

int32_t hy_host_files_restore(const struct hy_cache_files *files, struct hy_restored *restored)
{
    struct handle *handle = calloc(1, sizeof *handle);
    bool done = handle && files->token && files->model_count <= HY_MAX_CACHE_FILES &&
                files->data_count <= HY_MAX_CACHE_FILES;
    for (uint32_t i = 0; done && i < files->model_count + files->data_count; i++) {
        handle->model_count = files->model_count;
        handle->count = i + 1;
        done = load_file(file(files, i), i < files->model_count, &handle->bytes[i]);
    }
    if (!done || !is_saved(handle, files->token)) {
        if (handle)
            handle_destroy(handle);
        return HY_STATUS_GENERAL_FAILURE;
    }
    restored->model = handle->bytes;
    restored->data = handle->bytes + files->model_count;
    restored->handle = handle;
    return HY_STATUS_OK;
}

void hy_host_files_release(struct hy_restored *restored)
{
    handle_destroy(restored->handle);
    restored->handle = NULL;
}
