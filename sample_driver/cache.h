/*
 * Cache files, as most drivers want them: the host records a digest of the model cache before it
 * writes, and has checked what it gives back. Descriptors that a driver keeps open are the other
 * way, see kept.h. Nothing here ever fails a compile: a cache is a help.
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

#endif
