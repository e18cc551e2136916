#include "cache_store/entry_load.h"

#include "cache_store/directory/folder.h"
#include "cache_store/directory/names.h"
#include "cache_store/file_digest.h"
#include "cache_store/restore_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- The files of an entry in memory --------------------------------------------------------- */

static void finish_file(struct hy_entry_file *file)
{
    if (file->address)
        munmap((void *)file->address, (size_t)file->length);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct hy_entry_file){.fd = -1};
}

static void init_entry(struct hy_entry *entry)
{
    *entry = (struct hy_entry){.restore_mark = -1};
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++)
        entry->model[i].fd = entry->data[i].fd = -1;
}

void hy_entry_finish(struct hy_entry *entry)
{
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++) {
        finish_file(&entry->model[i]);
        finish_file(&entry->data[i]);
    }
    hy_restore_mark_lift(&entry->restore_mark);
    entry->counts = (struct hy_file_counts){0};
}

void hy_loading_init(struct hy_loading *loading, int folder, const uint8_t *token,
                     struct hy_entry *entry)
{
    *loading = (struct hy_loading){.folder = folder,
                                   .token = token,
                                   .with_bytes = true,
                                   .is_mapped = true,
                                   .entry = entry,
                                   .sidecar_fd = -1};
    init_entry(entry);
}

/* ---- The sidecar ----------------------------------------------------------------------------- */

/* Its time of change tells when the entry was last used. Before it is read: else reading it, as the
 * first time since it was changed, would change a time as well. */
static void note_use(const struct hy_loading *loading)
{
    if (loading->is_use)
        futimens(loading->sidecar_fd, NULL);
}

static enum hy_code read_sidecar(struct hy_loading *loading, struct hy_error *err)
{
    const size_t length = (size_t)loading->sidecar_info.st_size;
    size_t got = 0;

    if (loading->sidecar_info.st_size > (off_t)HY_SIDECAR_MAX_BYTES)
        return hy_fail(err, HY_BAD_DATA, "sidecar has %zu bytes, at most %u are allowed", length,
                       HY_SIDECAR_MAX_BYTES);
    char *text = malloc(length + 1);
    if (!text)
        return hy_fail(err, HY_OUT_OF_MEMORY, "sidecar of %zu bytes", length);
    enum hy_code code = hy_file_read(loading->sidecar_fd, text, length, &got, err);
    if (code == HY_OK)
        code = hy_sidecar_parse(text, got, &loading->sidecar, err);
    free(text);
    if (code == HY_OK && memcmp(loading->sidecar.token, loading->token, HY_TOKEN_SIZE) != 0)
        code = hy_fail(err, HY_BAD_DATA, "sidecar is of another token, %.16s…",
                       hy_token_name_make(loading->sidecar.token).text);
    return code;
}

/* ---- The files ------------------------------------------------------------------------------- */

/* The driver is handed descriptors to read and write; where nobody can write, to read. */
static enum hy_code open_file(int folder, const char *name, int *ret, struct stat *info,
                              struct hy_error *err)
{
    enum hy_code code = hy_file_open(folder, name, O_RDWR, ret, info, err);
    if (code == HY_FAILED)
        code = hy_file_open(folder, name, O_RDONLY, ret, info, err);
    return code;
}

/* All pages at once: the pass over them needs each of them anyway. */
static enum hy_code map_file(struct hy_entry_file *file, const char *name, struct hy_error *err)
{
    if (file->length == 0)
        return HY_OK;
    if (file->length > SIZE_MAX)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s has %llu bytes", name,
                       (unsigned long long)file->length);
    void *address =
        mmap(NULL, (size_t)file->length, PROT_READ, MAP_SHARED | MAP_POPULATE, file->fd, 0);
    if (address == MAP_FAILED)
        return hy_fail(err, hy_folder_code(errno), "%s, %llu bytes: %s", name,
                       (unsigned long long)file->length, strerror(errno));
    file->address = address;
    hy_bytes_digest(address, (size_t)file->length, file->digest);
    return HY_OK;
}

static enum hy_code check_digest(const struct hy_entry_file *file, const char *name,
                                 const struct hy_sidecar_file *said, struct hy_error *err)
{
    if (memcmp(file->digest, said->digest, sizeof said->digest) == 0)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "%s, %llu bytes: its digest is not the sidecar's", name,
                   (unsigned long long)file->length);
}

static enum hy_code load_file(const struct hy_loading *loading, const char *name, bool is_mapped,
                              const struct hy_sidecar_file *said, struct hy_entry_file *file,
                              struct hy_error *err)
{
    struct stat info;
    uint64_t length = 0;

    enum hy_code code = open_file(loading->folder, name, &file->fd, &info, err);
    if (code != HY_OK)
        return code;
    file->length = (uint64_t)info.st_size;
    if (loading->sidecar.is_kept_open)
        return HY_OK;
    if (file->length != said->length)
        return hy_fail(err, HY_BAD_DATA, "%s has %llu bytes, its sidecar says %llu", name,
                       (unsigned long long)file->length, (unsigned long long)said->length);
    if (!loading->with_bytes)
        return HY_OK;
    if (is_mapped && file->length > 0)
        code = map_file(file, name, err);
    else
        code = hy_file_digest(file->fd, file->digest, &length, err);
    return code == HY_OK ? check_digest(file, name, said, err) : code;
}

enum hy_code hy_loading_run(struct hy_loading *loading, struct hy_error *err)
{
    const struct hy_sidecar *sidecar = &loading->sidecar;
    struct hy_entry *entry = loading->entry;

    enum hy_code code = hy_file_open(loading->folder, HY_NAME_SIDECAR, O_RDONLY,
                                     &loading->sidecar_fd, &loading->sidecar_info, err);
    if (code != HY_OK)
        return code;
    note_use(loading);
    code = read_sidecar(loading, err);
    if (code != HY_OK)
        return code;
    entry->counts = sidecar->counts;
    entry->is_kept_open = sidecar->is_kept_open;
    for (uint32_t i = 0; code == HY_OK && i < sidecar->counts.model; i++)
        code = load_file(loading, hy_model_name_make(i).text, false, &sidecar->model[i],
                         &entry->model[i], err);
    for (uint32_t i = 0; code == HY_OK && i < sidecar->counts.data; i++)
        code = load_file(loading, hy_data_name_make(i).text, loading->is_mapped, &sidecar->data[i],
                         &entry->data[i], err);
    return code;
}
