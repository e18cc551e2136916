/*
 * Cache files of a driver, written in prepare or later. A later write either publishes a new entry,
 * or overwrites files through open descriptors, for hardware or firmware with direct access to the
 * files. Every access to such open files holds a lock.
 *
 * The host records a digest of the model cache before writing, and verifies restored bytes. Without
 * a cache in the host, restoring always misses. Failures here never fail a compilation.
 */
#ifndef HY_DRIVER_KIT_CACHE_FILES_H
#define HY_DRIVER_KIT_CACHE_FILES_H

#include <halyard/driver.h>

#include <stdbool.h>

/* Whether the caller of prepare asks for caching: a token, and exactly the announced numbers of
 * model and data files. A token without files does not count. */
bool hy_cache_files_are_wanted(const struct hy_prepare_options *options, uint32_t model_count,
                               uint32_t data_count);

/* The files of a prepare call. The caller keeps ownership of the descriptors. */
struct hy_cache_files hy_cache_files_from(const struct hy_prepare_options *options);

/* Writes the open files during prepare. `model` and `data` have one element for each file. False:
 * nothing is cached. */
bool hy_cache_files_save(const struct hy_host *host, const struct hy_cache_files *files,
                         const struct hy_bytes *model, const struct hy_bytes *data);

/* Publishes a new entry that replaces the entry of the token. Call between the return of prepare
 * and prepared_destroy. False: nothing is cached. */
bool hy_cache_files_replace(const struct hy_host *host, const uint8_t token[HY_TOKEN_SIZE],
                            const struct hy_bytes *model, uint32_t model_count,
                            const struct hy_bytes *data, uint32_t data_count);

/* Restores the bytes of the files; valid until hy_cache_files_release. GENERAL_FAILURE: no verified
 * bytes, and `restored` is zero. */
int32_t hy_cache_files_restore(const struct hy_host *host, const struct hy_cache_files *files,
                               struct hy_restored *restored);

/* Releases restored bytes and zeroes `restored`. A zeroed `restored` is ignored. */
void hy_cache_files_release(const struct hy_host *host, struct hy_restored *restored);

/* ---- Files that are written late ------------------------------------------------------------- */

/* Files to write after prepare. All zero bytes: no files. */
struct hy_deferred_files {
    bool is_wanted;
    bool is_open; /* true: write to the descriptors below; false: publish a new entry */
    uint8_t token[HY_TOKEN_SIZE];
    uint32_t model_count, data_count;
    int32_t model[HY_MAX_CACHE_FILES], data[HY_MAX_CACHE_FILES];
};

/* During prepare: records the files for a later entry, or duplicates their descriptors if
 * `keeps_open` is set. `late` stays zero if a requirement is missing: host functions, a model file,
 * or descriptors. */
void hy_deferred_files_note(const struct hy_host *host, const struct hy_cache_files *files,
                            bool keeps_open, struct hy_deferred_files *deferred);
void hy_deferred_files_close(struct hy_deferred_files *deferred);

/* Publishes a new entry, or overwrites the open files after waiting up to one second for their
 * lock. False: nothing is cached. */
bool hy_deferred_files_save(const struct hy_host *host, const struct hy_deferred_files *deferred,
                            const struct hy_bytes *model, const struct hy_bytes *data);

/* During prepare_from_cache: hy_cache_files_restore for files that other processes may keep open
 * and write. Waits for the lock until `deadline`. Errors: GENERAL_FAILURE (no verified bytes),
 * errors of hy_host.cache_lock (MISSED_DEADLINE_TRANSIENT). */
int32_t hy_kept_open_files_restore(const struct hy_host *host, const struct hy_cache_files *files,
                                   int64_t deadline, struct hy_restored *restored);

#endif
