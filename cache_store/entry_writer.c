/*
 * Files are written in a staging directory, described by metadata, and published together by a
 * rename. Nothing waits for the disk. After a power failure an incomplete entry has wrong digests
 * or incomplete metadata and is a miss, which costs as much as having no entry.
 */
#include "cache_store/entry_writer.h"

#include "cache_store/digest/file_digest.h"
#include "cache_store/digest/verity.h"
#include "cache_store/directory/private_dir.h"
#include "cache_store/directory/trash.h"
#include "cache_store/evict.h"
#include "cache_store/metadata.h"
#include "cache_store/restore_mark.h"
#include "cache_store/store_dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Limit for removals of the directory by other processes between its creation and lock. */
#define MAKE_TRIES 8

/* ---- Files ----------------------------------------------------------------------------------- */

static enum hy_code create_files(struct hy_entry_writer *writer, struct hy_error *err)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < writer->counts.model; i++)
        code = hy_file_open(writer->dir, hy_model_name_make(i).text, flags, &writer->model[i], NULL,
                            err);
    for (uint32_t i = 0; code == HY_OK && i < writer->counts.data; i++)
        code = hy_file_open(writer->dir, hy_data_name_make(i).text, flags, &writer->data[i], NULL,
                            err);
    return code;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_files(struct hy_entry_writer *writer)
{
    for (uint32_t i = 0; i < writer->counts.model; i++)
        close_one(&writer->model[i]);
    for (uint32_t i = 0; i < writer->counts.data; i++)
        close_one(&writer->data[i]);
}

/* ---- The staging directory ------------------------------------------------------------------- */

/* A forked child may hold a copy of the descriptor, so the lock is released explicitly. */
static void close_staging_dir(struct hy_entry_writer *writer)
{
    close_files(writer);
    if (writer->dir >= 0)
        flock(writer->dir, LOCK_UN);
    close_one(&writer->dir);
}

/* Removes the directory only if it is still locked and at its name. */
static void remove_dir(struct hy_entry_writer *writer)
{
    if (writer->dir >= 0 && hy_dir_is_at(writer->staging, writer->name.text, writer->dir))
        hy_trash_put(writer->root, writer->staging, writer->name.text, NULL);
    close_staging_dir(writer);
}

/* Creates the directory, or opens an existing one of a possibly dead process. UNAVAILABLE: the
 * directory has disappeared, or was a leftover and is removed now. */
static enum hy_code try_staging_dir(struct hy_entry_writer *writer, struct hy_error *err)
{
    const char *name = writer->name.text;

    if (hy_dir_mkdir(writer->staging, name) != 0 && errno != EEXIST)
        return hy_fail(err, hy_dir_code(errno), "%s: %s", HY_NAME_STAGING, strerror(errno));
    enum hy_code code = hy_dir_open(writer->staging, name, &writer->dir, err);
    if (code == HY_BAD_DATA)
        hy_trash_put_strange(writer->root, writer->staging, name, NULL);
    if (code == HY_BAD_DATA || code == HY_BAD_STATE)
        return HY_UNAVAILABLE;
    if (code != HY_OK)
        return code;
    if (flock(writer->dir, LOCK_EX | LOCK_NB) != 0) {
        const int error = errno;
        close_one(&writer->dir);
        return hy_fail(err, error == EWOULDBLOCK ? HY_BAD_STATE : HY_FAILED, "%s",
                       error == EWOULDBLOCK ? "another process or thread is writing the entry"
                                            : strerror(error));
    }
    if (!hy_dir_is_at(writer->staging, name, writer->dir)) {
        close_staging_dir(writer);
        return HY_UNAVAILABLE;
    }
    code = create_files(writer, err);
    if (code != HY_OK)
        remove_dir(writer);
    return code == HY_BAD_STATE ? HY_UNAVAILABLE : code;
}

static enum hy_code make_dir(struct hy_entry_writer *writer, struct hy_error *err)
{
    enum hy_code code = HY_UNAVAILABLE;
    for (int i = 0; code == HY_UNAVAILABLE && i < MAKE_TRIES; i++)
        code = try_staging_dir(writer, err);
    if (code == HY_UNAVAILABLE)
        return hy_fail(err, HY_BAD_STATE,
                       "the staging directory was removed by others several times");
    return code;
}

/* ---- Describing the files -------------------------------------------------------------------- */

/* The digest is of the current content: if a driver continues to write without notice, its entry
 * becomes invalid. */
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

static enum hy_code describe_files(const struct hy_entry_writer *writer,
                                   struct hy_metadata *metadata, struct hy_error *err)
{
    const bool kept_open = metadata->is_kept_open;
    enum hy_code code = HY_OK;

    metadata->counts = writer->counts;
    for (uint32_t i = 0; code == HY_OK && i < writer->counts.model; i++)
        code = describe_file(writer->model[i], hy_model_name_make(i).text, kept_open,
                             &metadata->model[i], err);
    for (uint32_t i = 0; code == HY_OK && i < writer->counts.data; i++)
        code = describe_file(writer->data[i], hy_data_name_make(i).text, kept_open,
                             &metadata->data[i], err);
    return code;
}

/* The lengths are of files: their sum cannot overflow. */
static uint64_t count_bytes(const struct hy_metadata *metadata)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < metadata->counts.model; i++)
        bytes += metadata->model[i].length;
    for (uint32_t i = 0; i < metadata->counts.data; i++)
        bytes += metadata->data[i].length;
    return bytes;
}

static enum hy_code check_limit(const struct hy_entry_writer *writer, uint64_t bytes,
                                struct hy_error *err)
{
    if (bytes <= writer->limit)
        return HY_OK;
    return hy_fail(err, HY_EXHAUSTED, "the entry has %llu bytes, the limit for all entries is %llu",
                   (unsigned long long)bytes, (unsigned long long)writer->limit);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static enum hy_code write_metadata(const struct hy_entry_writer *writer,
                                   const struct hy_metadata *metadata, struct hy_error *err)
{
    int fd = -1;

    enum hy_code code =
        hy_file_open(writer->dir, HY_NAME_METADATA, O_RDWR | O_CREAT | O_EXCL, &fd, NULL, err);
    if (code == HY_OK) {
        code = hy_file_write(fd, metadata, sizeof *metadata, 0, err);
        if (code != HY_OK)
            hy_error_set_prefix(err, code, "%s", HY_NAME_METADATA);
        close(fd);
    }
    return code == HY_BAD_STATE ? HY_FAILED : code;
}

/* ---- Files for good -------------------------------------------------------------------------- */

/* Enables fs-verity for a file that will be mapped. This requires that the file is not open for
 * writing: if a driver keeps its descriptor, the mapping of the file is guarded. */
static void fix_file(const struct hy_entry_writer *writer, int *fd, const char *name)
{
    close(*fd);
    *fd = -1;
    if (hy_file_open(writer->dir, name, O_RDONLY, fd, NULL, NULL) == HY_OK)
        (void)hy_verity_enable(*fd);
}

static void fix_files(struct hy_entry_writer *writer, const struct hy_metadata *metadata)
{
    for (uint32_t i = 0; i < metadata->counts.data; i++) {
        if (metadata->data[i].length >= HY_ENTRY_MAP_FROM)
            fix_file(writer, &writer->data[i], hy_data_name_make(i).text);
    }
}

static enum hy_code seal(struct hy_entry_writer *writer, const struct hy_entry_info *entry_info,
                         bool kept_open, uint64_t *ret, struct hy_error *err)
{
    struct hy_metadata metadata = {.is_kept_open = kept_open, .created = (int64_t)time(NULL)};

    memcpy(metadata.token, writer->token, HY_TOKEN_SIZE);
    hy_metadata_set_info(&metadata, entry_info);
    enum hy_code code = describe_files(writer, &metadata, err);
    if (code == HY_OK && count_bytes(&metadata) == 0 && !kept_open)
        code = hy_fail(err, HY_BAD_DATA, "the driver wrote nothing");
    if (code == HY_OK)
        code = check_limit(writer, count_bytes(&metadata), err);
    hy_metadata_seal(&metadata);
    if (code == HY_OK)
        code = write_metadata(writer, &metadata, err);
    if (code == HY_OK)
        code = hy_restore_mark_create(writer->dir, err);
    const uint64_t bytes = count_bytes(&metadata) + sizeof metadata + HY_RESTORE_MARK_BYTES;
    if (code == HY_OK)
        code = check_limit(writer, bytes, err);
    if (code != HY_OK)
        return code;
    if (!kept_open)
        fix_files(writer, &metadata);
    *ret = bytes;
    return HY_OK;
}

/* ---- Placing --------------------------------------------------------------------------------- */

/* Limit for changes or locks of the entry by a process that removes it. A removal takes
 * microseconds, unless the process is suspended. */
#define PUBLISH_TRIES 1000
#define LOCK_WAIT_NS  1000000

static enum hy_code rename_error(const struct hy_entry_writer *writer, struct hy_error *err)
{
    const int error = errno;
    return hy_fail(err, hy_dir_code(error), "%.16s…: %s", writer->name.text, strerror(error));
}

/* Exchanges the older entry and the staging directory atomically, so an entry exists at any time.
 * The older entry is locked by this process, so that no process takes it for a leftover. */
static enum hy_code swap_entry(const struct hy_entry_writer *writer, int shard,
                               struct hy_error *err)
{
    const char *name = writer->name.text;

    if (renameat2(writer->staging, name, shard, name, RENAME_EXCHANGE) == 0) {
        hy_trash_put(writer->root, writer->staging, name, NULL);
        return HY_OK;
    }
    if (errno != EINVAL && errno != ENOSYS)
        return errno == ENOENT ? HY_UNAVAILABLE : rename_error(writer, err);
    /* No exchange on this file system: for a moment no entry exists. */
    hy_trash_put(writer->root, shard, name, NULL);
    return renameat(writer->staging, name, shard, name) == 0 ? HY_OK : rename_error(writer, err);
}

/* UNAVAILABLE: try again. A process that removes an entry has locked it. */
static enum hy_code replace(const struct hy_entry_writer *writer, int shard, struct hy_error *err)
{
    const struct timespec pause = {.tv_nsec = LOCK_WAIT_NS};
    int dir = -1;

    enum hy_code code = hy_dir_open(shard, writer->name.text, &dir, err);
    if (code == HY_BAD_DATA)
        hy_trash_put_strange(writer->root, shard, writer->name.text, NULL);
    if (code != HY_OK)
        return code == HY_BAD_DATA || code == HY_BAD_STATE ? HY_UNAVAILABLE : code;
    if (flock(dir, LOCK_EX | LOCK_NB) != 0) {
        nanosleep(&pause, NULL);
        code = HY_UNAVAILABLE;
    } else {
        code = hy_dir_is_at(shard, writer->name.text, dir) ? swap_entry(writer, shard, err)
                                                           : HY_UNAVAILABLE;
        flock(dir, LOCK_UN);
    }
    close(dir);
    return code;
}

static enum hy_code try_publish(const struct hy_entry_writer *writer, int shard,
                                struct hy_error *err)
{
    const char *name = writer->name.text;

    if (renameat(writer->staging, name, shard, name) == 0)
        return HY_OK;
    if (errno == ENOTDIR)
        return hy_trash_unlink(shard, name) == 0 ? HY_UNAVAILABLE : rename_error(writer, err);
    if (errno == ENOTEMPTY || errno == EEXIST)
        return replace(writer, shard, err);
    return rename_error(writer, err);
}

static enum hy_code publish_in(const struct hy_entry_writer *writer, int shard,
                               struct hy_error *err)
{
    enum hy_code code = HY_UNAVAILABLE;

    for (int i = 0; code == HY_UNAVAILABLE && i < PUBLISH_TRIES; i++)
        code = try_publish(writer, shard, err);
    if (code == HY_UNAVAILABLE)
        return hy_fail(err, HY_FAILED, "the older entry cannot be replaced");
    return code;
}

static enum hy_code location(struct hy_entry_writer *writer, struct hy_error *err)
{
    int shard = -1;

    if (!hy_dir_is_at(writer->staging, writer->name.text, writer->dir))
        return hy_fail(err, HY_FAILED, "the staging directory was removed by another process");
    enum hy_code code =
        hy_store_inner_make(writer->root, hy_shard_name_make(writer->token[0]).text, &shard, err);
    if (code != HY_OK)
        return code;
    code = publish_in(writer, shard, err);
    close(shard);
    return code;
}

/* ---- From beginning to end ------------------------------------------------------------------- */

static struct hy_entry_writer *allocate(const struct hy_store *store, const uint8_t *token,
                                        struct hy_file_counts counts)
{
    struct hy_entry_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return NULL;
    writer->counts = counts;
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++)
        writer->model[i] = writer->data[i] = -1;
    memcpy(writer->token, token, HY_TOKEN_SIZE);
    writer->name = hy_token_name_make(token);
    writer->limit = hy_store_limit(store);
    writer->root = writer->staging = writer->dir = -1;
    return writer;
}

static void finish(struct hy_entry_writer *writer)
{
    close_staging_dir(writer);
    close_one(&writer->staging);
    close_one(&writer->root);
    free(writer);
}

static enum hy_code begin(struct hy_entry_writer *writer, const struct hy_store *store,
                          struct hy_error *err)
{
    enum hy_code code = hy_store_root_make(store, &writer->root, err);
    if (code == HY_OK)
        code = hy_store_inner_make(writer->root, HY_NAME_STAGING, &writer->staging, err);
    if (code != HY_OK)
        return code;
    hy_trash_sweep(writer->root, NULL);
    return make_dir(writer, err);
}

enum hy_code hy_entry_writer_create(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE],
                                    struct hy_file_counts counts, struct hy_entry_writer **ret,
                                    struct hy_error *err)
{
    if (counts.model > HY_MAX_CACHE_FILES || counts.data > HY_MAX_CACHE_FILES)
        return hy_fail(err, HY_FAILED,
                       "cache entry writer: %u model and %u data files, at most %u each",
                       counts.model, counts.data, HY_MAX_CACHE_FILES);
    if (hy_store_limit(store) == 0)
        return hy_fail(err, HY_EXHAUSTED, "cache entry writer: the limit of the cache is 0 bytes");
    struct hy_entry_writer *writer = allocate(store, token, counts);
    if (!writer)
        return hy_fail(err, HY_OUT_OF_MEMORY, "cache entry writer");

    enum hy_code code = begin(writer, store, err);
    if (code != HY_OK) {
        finish(writer);
        return hy_error_prefix(err, code, "cache entry writer");
    }
    *ret = writer;
    return HY_OK;
}

enum hy_code hy_entry_writer_publish(struct hy_entry_writer *writer,
                                     const struct hy_entry_info *entry_info, bool kept_open,
                                     struct hy_error *err)
{
    struct hy_used used = {0};
    uint64_t bytes = 0;

    enum hy_code code = seal(writer, entry_info, kept_open, &bytes, err);
    if (code == HY_OK) {
        used = hy_used_add(writer->root, bytes);
        code = location(writer, err);
    }
    if (code != HY_OK)
        remove_dir(writer);
    close_staging_dir(writer);
    if (code == HY_OK)
        hy_evict_over_limit(writer->root, writer->limit, used);
    finish(writer);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "cache entry not published");
}

void hy_entry_writer_discard(struct hy_entry_writer *writer)
{
    if (!writer)
        return;
    remove_dir(writer);
    finish(writer);
}
