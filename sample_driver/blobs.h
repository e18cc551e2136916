/*
 * A device that keeps its compiled programs by itself, with the host's cache engine: whether or not
 * the app asks for caching, and without cache files. A program is one blob. Its key is made from
 * the program before it was compiled, which holds all that the compiled one depends on: operations,
 * shapes, constants. The driver's version and build are the host's business.
 */
#ifndef SAMPLE_BLOBS_H
#define SAMPLE_BLOBS_H

#include "driver_kit/blob_list.h"
#include "program.h"

#define SAMPLE_MAX_BLOBS HY_BLOB_LIST_LIMIT

/* The key of what `plain` is compiled to. False: out of memory, or a host without cache engine. */
bool sample_blob_key_make(const struct sample_program *plain, struct hy_blob_list_key *key);

/* The compiled program. NULL: there is none that can be used. `*memory` holds its constants, to be
 * freed after the program by hy_quota_free. */
struct sample_program *sample_blob_load(const struct hy_host *host,
                                        const struct hy_blob_list_key *key, uint8_t **memory);

/* Stores the compiled program, and removes older ones until there are `most`. */
void sample_blob_store(const struct hy_blob_list_key *key, uint32_t most,
                       const struct sample_program *program);

#endif
