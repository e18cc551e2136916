/*
 * Before a draft is published: its metadata. Nothing waits for the disk: an entry of which a power
 * failure loses a part has not the digests that its metadata says, or no whole metadata, and is a
 * miss. That is as much as is lost without an entry.
 */
#include "cache_store/draft_folder.h"

#include "cache_store/directory/folder.h"
#include "cache_store/file_digest.h"
#include "cache_store/metadata.h"
#include "cache_store/restore_mark.h"
#include "cache_store/verity.h"

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
                                  struct hy_metadata_file *file, struct hy_error *err)
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

static enum hy_code describe_files(const struct hy_draft *draft, struct hy_metadata *metadata,
                                   struct hy_error *err)
{
    const bool kept_open = metadata->is_kept_open;
    enum hy_code code = HY_OK;

    metadata->counts = draft->counts;
    for (uint32_t i = 0; code == HY_OK && i < draft->counts.model; i++)
        code = describe_file(draft->model[i], hy_model_name_make(i).text, kept_open,
                             &metadata->model[i], err);
    for (uint32_t i = 0; code == HY_OK && i < draft->counts.data; i++)
        code = describe_file(draft->data[i], hy_data_name_make(i).text, kept_open,
                             &metadata->data[i], err);
    return code;
}

/* Lengths are those of files: their sum does not overflow. */
static uint64_t count_bytes(const struct hy_metadata *metadata)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < metadata->counts.model; i++)
        bytes += metadata->model[i].length;
    for (uint32_t i = 0; i < metadata->counts.data; i++)
        bytes += metadata->data[i].length;
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

static enum hy_code write_metadata(const struct hy_draft_folder *making,
                                   const struct hy_metadata *metadata, struct hy_error *err)
{
    int fd = -1;

    enum hy_code code =
        hy_file_open(making->folder, HY_NAME_METADATA, O_RDWR | O_CREAT | O_EXCL, &fd, NULL, err);
    if (code == HY_OK) {
        code = hy_file_write(fd, metadata, sizeof *metadata, 0, err);
        if (code != HY_OK)
            hy_error_set_prefix(err, code, "%s", HY_NAME_METADATA);
        close(fd);
    }
    return code == HY_BAD_STATE ? HY_FAILED : code;
}

/* ---- Files for good -------------------------------------------------------------------------- */

/* A file that is to be mapped is safe from everybody where the file system can see to it. That
 * works only while nobody has the file open for writing: a driver that has kept its descriptor has
 * a file that is guarded when it is mapped. */
static void fix_file(const struct hy_draft_folder *making, int *fd, const char *name)
{
    close(*fd);
    *fd = -1;
    if (hy_file_open(making->folder, name, O_RDONLY, fd, NULL, NULL) == HY_OK)
        (void)hy_verity_enable(*fd);
}

static void fix_files(struct hy_draft_folder *making, const struct hy_metadata *metadata)
{
    for (uint32_t i = 0; i < metadata->counts.data; i++) {
        if (metadata->data[i].length >= HY_ENTRY_MAP_FROM)
            fix_file(making, &making->draft.data[i], hy_data_name_make(i).text);
    }
}

enum hy_code hy_draft_seal(struct hy_draft_folder *making, const struct hy_entry_facts *facts,
                           bool kept_open, uint64_t *ret, struct hy_error *err)
{
    struct hy_metadata metadata = {.is_kept_open = kept_open, .created = (int64_t)time(NULL)};

    memcpy(metadata.token, making->token, HY_TOKEN_SIZE);
    hy_metadata_set_facts(&metadata, facts);
    enum hy_code code = describe_files(&making->draft, &metadata, err);
    if (code == HY_OK && count_bytes(&metadata) == 0 && !kept_open)
        code = hy_fail(err, HY_BAD_DATA, "the driver has written nothing");
    if (code == HY_OK)
        code = check_limit(making, count_bytes(&metadata), err);
    hy_metadata_seal(&metadata);
    if (code == HY_OK)
        code = write_metadata(making, &metadata, err);
    if (code == HY_OK)
        code = hy_restore_mark_create(making->folder, err);
    const uint64_t bytes = count_bytes(&metadata) + sizeof metadata + HY_RESTORE_MARK_BYTES;
    if (code == HY_OK)
        code = check_limit(making, bytes, err);
    if (code != HY_OK)
        return code;
    if (!kept_open)
        fix_files(making, &metadata);
    *ret = bytes;
    return HY_OK;
}
