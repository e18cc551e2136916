#include "cache_store/entry_content.h"

#include "cache_store/digest/file_digest.h"
#include "cache_store/digest/verity.h"
#include "cache_store/directory/private_dir.h"
#include "cache_store/file_copy.h"
#include "common/sigbus_guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static enum hy_code name_file(const struct hy_content_file *content, enum hy_code code,
                              struct hy_error *err)
{
    return code == HY_OK ? code
                         : hy_error_prefix(err, code, "%s, %llu bytes", content->name,
                                           (unsigned long long)content->file->length);
}

enum hy_code hy_content_read(const struct hy_content_file *content, struct hy_error *err)
{
    struct hy_entry_file *file = content->file;
    uint64_t length = 0;

    return name_file(content, hy_file_digest(file->fd, file->digest, &length, err), err);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static enum hy_code map(struct hy_entry_file *file, int flags, struct hy_error *err)
{
    void *address = mmap(NULL, (size_t)file->length, PROT_READ, MAP_SHARED | flags, file->fd, 0);
    if (address == MAP_FAILED)
        return hy_fail(err, hy_dir_code(errno), "%s", strerror(errno));
    file->address = address;
    file->memory = HY_ENTRY_MAPPED;
    return HY_OK;
}

/* Replaces the published file by a private file in memory. */
static enum hy_code replace_by_copy(struct hy_entry_file *file, uint8_t *digest,
                                    struct hy_error *err)
{
    int copy = -1;

    enum hy_code code = hy_file_copy_to_file(file->fd, file->length, &copy, digest, err);
    if (code == HY_OK) {
        close(file->fd);
        file->fd = copy;
    }
    return code;
}

static enum hy_code copy_to_file(const struct hy_content_file *content, struct hy_error *err)
{
    struct hy_entry_file *file = content->file;

    enum hy_code code = replace_by_copy(file, file->digest, err);
    return code == HY_OK && content->is_data && file->length > 0 ? map(file, 0, err) : code;
}

static enum hy_code copy_to_memory(struct hy_entry_file *file, struct hy_error *err)
{
    void *copy = NULL;

    enum hy_code code = hy_file_copy_to_memory(file->fd, file->length, &copy, file->digest, err);
    if (code == HY_OK) {
        file->address = copy;
        file->memory = HY_ENTRY_COPIED;
    }
    return code;
}

/* ---- The published file itself --------------------------------------------------------------- */

static enum hy_code guard(const struct hy_content_file *content, struct hy_error *err)
{
    struct hy_entry_file *file = content->file;

    enum hy_code code = hy_sigbus_guard_install(err);
    if (code == HY_OK)
        code = hy_sigbus_guard_add((void *)(uintptr_t)file->address, (size_t)file->length,
                                   &content->entry->is_truncated, &file->guard_slot, err);
    if (code == HY_OK) {
        file->memory = HY_ENTRY_GUARDED;
        content->entry->is_guarded = true;
    }
    return code;
}

/* Populates all pages, as the digest reads each of them. If the file is truncated before the end of
 * the pass, the missing bytes are zeros and the digest differs. */
static enum hy_code map_in_place(const struct hy_content_file *content, struct hy_error *err)
{
    struct hy_entry_file *file = content->file;
    sigset_t signals;

    enum hy_code code = map(file, MAP_POPULATE, err);
    if (code == HY_OK && !hy_verity_is_on(file->fd))
        code = guard(content, err);
    if (code != HY_OK)
        return code;
    const bool was_blocked = hy_sigbus_guard_enter(&signals);
    hy_bytes_digest(file->address, (size_t)file->length, file->digest);
    if (was_blocked)
        hy_sigbus_guard_leave(&signals);
    return HY_OK;
}

/* A driver may write to a file that it gets, unless fs-verity protects the file. */
static bool is_used_in_place(const struct hy_content_file *content,
                             const struct hy_entry_access *access)
{
    const struct hy_entry_file *file = content->file;

    return file->length >= access->map_from && file->length <= PTRDIFF_MAX &&
           (!access->passes_fds || content->is_writable || hy_verity_is_on(file->fd));
}

/* ---- Which of them --------------------------------------------------------------------------- */

enum way { WAY_READ, WAY_COPY_TO_FILE, WAY_COPY_TO_MEMORY, WAY_MAP };

static enum way choose(const struct hy_content_file *content, const struct hy_entry_access *access)
{
    const bool is_in_place = is_used_in_place(content, access);

    if (access->passes_fds && !is_in_place)
        return WAY_COPY_TO_FILE;
    if (!content->is_data || content->file->length == 0)
        return WAY_READ;
    if (!is_in_place)
        return WAY_COPY_TO_MEMORY;
    return access->is_restored_here ? WAY_MAP : WAY_READ;
}

enum hy_code hy_content_acquire(const struct hy_content_file *content,
                                const struct hy_entry_access *access, struct hy_error *err)
{
    switch (choose(content, access)) {
    case WAY_COPY_TO_FILE:
        return name_file(content, copy_to_file(content, err), err);
    case WAY_COPY_TO_MEMORY:
        return name_file(content, copy_to_memory(content->file, err), err);
    case WAY_MAP:
        return name_file(content, map_in_place(content, err), err);
    default:
        return hy_content_read(content, err);
    }
}

enum hy_code hy_content_acquire_kept_open(const struct hy_content_file *content,
                                          const struct hy_entry_access *access,
                                          struct hy_error *err)
{
    struct hy_entry_file *file = content->file;
    uint8_t ignored[sizeof file->digest];

    if (!access->passes_fds || content->is_writable)
        return HY_OK;
    return name_file(content, replace_by_copy(file, ignored, err), err);
}

void hy_content_drop(struct hy_entry_file *file)
{
    if (file->memory == HY_ENTRY_GUARDED)
        hy_sigbus_guard_remove(file->guard_slot);
    if (file->memory == HY_ENTRY_COPIED)
        free((void *)(uintptr_t)file->address);
    else if (file->address)
        munmap((void *)(uintptr_t)file->address, (size_t)file->length);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct hy_entry_file){.fd = -1};
}
