/*
 * Cache files. The host records a digest of the model cache before it writes, and has checked what
 * it gives back. Nothing here ever fails a compile: a cache is a help.
 *
 * A device that compiles just in time writes later than in prepare, in one of two ways: a new entry
 * in the place of the old one, or through descriptors that it keeps open. The second way is for
 * hardware or firmware that works with the files themselves; each access is under a lock then.
 */
#ifndef SAMPLE_CACHE_H
#define SAMPLE_CACHE_H

#include "arguments.h"
#include "program.h"

/* A program with what it stands on: one of the two, or nothing. */
struct sample_restored {
    struct sample_program *program;
    struct hy_restored by_host; /* its constants are used where the host has mapped them */
    uint8_t *memory;            /* or here, in memory of ours */
};

/* Descriptors of our own. */
struct sample_kept {
    bool is_open;
    uint8_t token[HY_TOKEN_SIZE];
    int32_t model[SAMPLE_MODEL_FILES];
    int32_t data[HY_MAX_CACHE_FILES];
    uint32_t data_count;
};

/* Whether the caller wants this model cached: with a token and all the files that we asked for. A
 * token alone means nothing. */
bool sample_cache_is_wanted(const struct sample_arguments *arguments,
                            const struct hy_prepare_options *options);

/* The files of a prepare. */
struct hy_cache_files sample_cache_files(const struct hy_prepare_options *options);

/* Writes the program to open files, in prepare or between begin and commit. */
bool sample_cache_save(const struct hy_host *host, const struct hy_cache_files *files,
                       const struct sample_program *program);

/* Once prepare has returned: a new entry in the place of the token's. */
void sample_cache_replace(const struct hy_host *host, const struct sample_arguments *arguments,
                          const uint8_t *token, const struct sample_program *program);

/* The program in the files. GENERAL_FAILURE: none that can be trusted. */
int32_t sample_cache_restore(const struct hy_host *host, const struct hy_cache_files *files,
                             struct sample_restored *restored);
void sample_restored_finish(const struct hy_host *host, struct sample_restored *restored);

/* In prepare: keeps the files, or does not where something is missing. Takes a zeroed one. */
void sample_kept_open(const struct hy_host *host, const struct hy_cache_files *files,
                      struct sample_kept *kept);
void sample_kept_close(struct sample_kept *kept);

/* Puts a program into the kept files, in the place of whatever they hold. */
void sample_kept_write(const struct hy_host *host, const struct sample_kept *kept,
                       const struct sample_program *program);

/* In prepare_from_cache: the program in kept files. GENERAL_FAILURE: none that can be trusted;
 * MISSED_DEADLINE_TRANSIENT: somebody writes to them all the time. */
int32_t sample_kept_restore(const struct hy_host *host, const struct hy_cache_files *files,
                            int64_t deadline, struct sample_restored *restored);

#endif
