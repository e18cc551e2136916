/*
 * Cache files of a driver: written in prepare, or later in one of two ways. A new entry takes the
 * place of the old one, or descriptors are kept open, for hardware or firmware that works with the
 * files themselves; each access to kept files is under a lock.
 *
 * The host records a digest of the model cache before it writes, and has checked what it gives
 * back. A host without a cache is as one whose cache holds nothing. No failure of these functions
 * is a failure of a compilation.
 */
#ifndef HY_DRIVER_KIT_CACHE_FILES_H
#define HY_DRIVER_KIT_CACHE_FILES_H

#include <halyard/driver.h>

#include <stdbool.h>

/* Whether the caller of prepare wants the model cached: with a token and as many files as the
 * device has announced. A token alone means nothing. */
bool hy_cache_files_are_wanted(const struct hy_prepare_options *options, uint32_t model_count,
                               uint32_t data_count);

/* The files of a prepare. They stay the caller's. */
struct hy_cache_files hy_cache_files_from(const struct hy_prepare_options *options);

/* Writes open files, in prepare. `model` and `data` have an element for each file. */
bool hy_cache_files_save(const struct hy_host *host, const struct hy_cache_files *files,
                         const struct hy_bytes *model, const struct hy_bytes *data);

/* After prepare has returned, until prepared_destroy: a new entry in the place of the token's. */
bool hy_cache_files_replace(const struct hy_host *host, const uint8_t token[HY_TOKEN_SIZE],
                            const struct hy_bytes *model, uint32_t model_count,
                            const struct hy_bytes *data, uint32_t data_count);

/* The bytes of the files, until hy_cache_files_release. GENERAL_FAILURE: none that can be trusted,
 * and `restored` is zero. */
int32_t hy_cache_files_restore(const struct hy_host *host, const struct hy_cache_files *files,
                               struct hy_restored *restored);

/* Takes a zeroed one. */
void hy_cache_files_release(const struct hy_host *host, struct hy_restored *restored);

/* ---- Files that are written late ------------------------------------------------------------- */

/* All zero bytes: nothing is to be written. */
struct hy_late_files {
    bool is_wanted;
    bool is_open; /* through descriptors that are kept open, else as a new entry */
    uint8_t token[HY_TOKEN_SIZE];
    uint32_t model_count, data_count;
    int32_t model[HY_MAX_CACHE_FILES], data[HY_MAX_CACHE_FILES];
};

/* In prepare: notes the files for a new entry, or keeps duplicates of them open. Nothing is to be
 * written where something is missing for that. */
void hy_late_files_note(const struct hy_host *host, const struct hy_cache_files *files,
                        bool keeps_open, struct hy_late_files *late);
void hy_late_files_close(struct hy_late_files *late);

/* hy_cache_files_replace, or writes the kept files, in the place of whatever they hold: waits up to
 * a second for the lock. */
bool hy_late_files_save(const struct hy_host *host, const struct hy_late_files *late,
                        const struct hy_bytes *model, const struct hy_bytes *data);

/* In prepare_from_cache: hy_cache_files_restore of kept files, which other processes may write to.
 * Errors: those of hy_cache_files_restore, MISSED_DEADLINE_TRANSIENT. */
int32_t hy_kept_files_restore(const struct hy_host *host, const struct hy_cache_files *files,
                              int64_t deadline, struct hy_restored *restored);

#endif
