/* Before a draft is published: its sidecar, and everything on the disk. */
#include "cache_store/draft_folder.h"

#include "cache_store/directory/folder.h"
#include "cache_store/file_digest.h"
#include "cache_store/sidecar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Describing the files -------------------------------------------------------------------- */

/* The digest is of what the file holds now: a driver that goes on writing without having said so
 * will not find its entry again. */
static enum hy_code describe_file(int fd, const char *name, bool kept_open,
                                  struct hy_sidecar_file *file, struct hy_error *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return hy_fail(err, HY_FAILED, "%s: %s", name, strerror(errno));
    file->length = (uint64_t)info.st_size;
    if (kept_open)
        return HY_OK;
    enum hy_code code = hy_file_digest(fd, file->digest, &file->length, err);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "%s", name);
}

static enum hy_code describe_files(const struct hy_draft *draft, struct hy_sidecar *sidecar,
                                   struct hy_error *err)
{
    const bool kept_open = sidecar->is_kept_open;
    enum hy_code code = HY_OK;

    sidecar->counts = draft->counts;
    for (uint32_t i = 0; code == HY_OK && i < draft->counts.model; i++)
        code = describe_file(draft->model[i], hy_model_name_make(i).text, kept_open,
                             &sidecar->model[i], err);
    for (uint32_t i = 0; code == HY_OK && i < draft->counts.data; i++)
        code = describe_file(draft->data[i], hy_data_name_make(i).text, kept_open,
                             &sidecar->data[i], err);
    return code;
}

/* Lengths are those of files: their sum does not overflow. */
static uint64_t count_bytes(const struct hy_sidecar *sidecar)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < sidecar->counts.model; i++)
        bytes += sidecar->model[i].length;
    for (uint32_t i = 0; i < sidecar->counts.data; i++)
        bytes += sidecar->data[i].length;
    return bytes;
}

static enum hy_code check_limit(const struct hy_draft_folder *making, uint64_t bytes,
                                struct hy_error *err)
{
    if (bytes <= making->limit)
        return HY_OK;
    return hy_fail(err, HY_EXHAUSTED, "%llu bytes, the limit of all entries is %llu",
                   (unsigned long long)bytes, (unsigned long long)making->limit);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static enum hy_code write_sidecar(const struct hy_draft_folder *making,
                                  const struct hy_sidecar *sidecar, int *ret, size_t *ret_length,
                                  struct hy_error *err)
{
    char *text = NULL;
    enum hy_code code = hy_sidecar_format(sidecar, &text, ret_length, err);
    if (code != HY_OK)
        return code;
    code = hy_file_open(making->folder, HY_NAME_SIDECAR, O_RDWR | O_CREAT | O_EXCL, ret, NULL, err);
    if (code == HY_OK) {
        code = hy_file_write(*ret, text, *ret_length, err);
        if (code != HY_OK)
            hy_error_set_prefix(err, code, "%s", HY_NAME_SIDECAR);
    }
    free(text);
    return code == HY_BAD_STATE ? HY_FAILED : code;
}

/* Bytes only: what the file system knows of them follows with the sidecar. */
static enum hy_code sync_bytes(int fd, const char *name, struct hy_error *err)
{
    const unsigned all =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    if (sync_file_range(fd, 0, 0, all) == 0)
        return HY_OK;
    if ((errno == ENOSYS || errno == EINVAL) && fsync(fd) == 0)
        return HY_OK;
    return hy_fail(err, hy_folder_code(errno), "%s: %s", name, strerror(errno));
}

static void begin_sync(const struct hy_draft *draft)
{
    for (uint32_t i = 0; i < draft->counts.model; i++)
        (void)sync_file_range(draft->model[i], 0, 0, SYNC_FILE_RANGE_WRITE);
    for (uint32_t i = 0; i < draft->counts.data; i++)
        (void)sync_file_range(draft->data[i], 0, 0, SYNC_FILE_RANGE_WRITE);
}

/*
 * One wait for the disk, not one per file and folder: on journalling file systems the last call
 * takes everything with it that was done before. Where it does not, a power failure may leave an
 * entry whose digests are wrong, which is a miss.
 */
static enum hy_code sync_all(const struct hy_draft *draft, int sidecar, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    begin_sync(draft);
    for (uint32_t i = 0; code == HY_OK && i < draft->counts.model; i++)
        code = sync_bytes(draft->model[i], hy_model_name_make(i).text, err);
    for (uint32_t i = 0; code == HY_OK && i < draft->counts.data; i++)
        code = sync_bytes(draft->data[i], hy_data_name_make(i).text, err);
    if (code == HY_OK && fsync(sidecar) != 0)
        code = hy_fail(err, hy_folder_code(errno), "%s: %s", HY_NAME_SIDECAR, strerror(errno));
    return code;
}

enum hy_code hy_draft_seal(struct hy_draft_folder *making, const struct hy_entry_facts *facts,
                           bool kept_open, uint64_t *ret, struct hy_error *err)
{
    struct hy_sidecar sidecar = {.is_kept_open = kept_open, .created = (int64_t)time(NULL)};
    size_t length = 0;
    int fd = -1;

    memcpy(sidecar.token, making->token, HY_TOKEN_SIZE);
    hy_sidecar_set_facts(&sidecar, facts);
    enum hy_code code = describe_files(&making->draft, &sidecar, err);
    if (code == HY_OK && count_bytes(&sidecar) == 0 && !kept_open)
        code = hy_fail(err, HY_BAD_DATA, "the driver has written nothing");
    if (code == HY_OK)
        code = check_limit(making, count_bytes(&sidecar), err);
    if (code == HY_OK)
        code = write_sidecar(making, &sidecar, &fd, &length, err);
    if (code == HY_OK)
        code = check_limit(making, count_bytes(&sidecar) + length, err);
    if (code == HY_OK)
        code = sync_all(&making->draft, fd, err);
    if (code == HY_OK)
        *ret = count_bytes(&sidecar) + length;
    if (fd >= 0)
        close(fd);
    return code;
}
