/*
 * Cache files that a driver keeps open, to write to them after prepare has returned: the other way
 * of late access, for hardware that works with the descriptors themselves. The host stores no
 * digest then and maps nothing, so all that it does elsewhere is done here: locking, recording a
 * digest before a byte is written, and checking a private copy before a byte is used.
 */
#ifndef SAMPLE_KEPT_H
#define SAMPLE_KEPT_H

#include "cache.h"

struct sample_kept {
    bool is_open;
    uint8_t token[HY_TOKEN_SIZE];
    int32_t model[SAMPLE_MODEL_FILES]; /* descriptors of our own */
    int32_t data[HY_MAX_CACHE_FILES];
    uint32_t data_count;
};

/* In prepare: keeps the files, or does not where something is missing. Takes a zeroed one. */
void sample_kept_open(const struct hy_host *host, const struct hy_cache_files *files,
                      struct sample_kept *kept);
void sample_kept_close(struct sample_kept *kept);

/* Puts a program into the files, in the place of whatever they hold. */
void sample_kept_write(const struct hy_host *host, const struct sample_kept *kept,
                       const struct sample_program *program);

/* In prepare_from_cache: the program in the files. GENERAL_FAILURE: none that can be trusted;
 * MISSED_DEADLINE_TRANSIENT: somebody writes to them all the time. */
int32_t sample_kept_restore(const struct hy_host *host, const struct hy_cache_files *files,
                            int64_t deadline, struct sample_restored *restored);

#endif
