/*
 * A device that keeps its compiled programs by itself, with the host's cache engine: whether or not
 * the app asks for caching, and without cache files. A program is one blob. Its key is made from
 * the program before it was compiled, which holds all that the compiled one depends on: operations,
 * shapes, constants. The driver's version and build are the host's business.
 *
 * The driver clears up by itself: it keeps as many programs as the manifest says, and has the host
 * remove the one that was stored longest ago, before the host would have to. One more blob lists
 * the keys for that. Two processes that store at once may lose a line of the list; the program in
 * it is left to the host then, which removes what is not used.
 */
#ifndef SAMPLE_BLOBS_H
#define SAMPLE_BLOBS_H

#include "cache.h"

#define SAMPLE_MAX_BLOBS 64u

/*
 * Lengths and checksums of both parts of the artefact. A checksum is enough here: blobs belong to
 * one user, who can give a wrong program to nobody but himself, and requests are checked against
 * the program that is there. Where users share blobs, take a digest of a cryptographic library.
 */
struct sample_blob_key {
    uint64_t model_length, data_length, model_sum, data_sum;
};

/* The key of what `plain` is compiled to. False: out of memory, or a host without cache engine. */
bool sample_blob_key_make(const struct sample_program *plain, struct sample_blob_key *key);

/* The compiled program, in memory of ours. False: there is none that can be used. */
bool sample_blob_load(const struct hy_host *host, const struct sample_blob_key *key,
                      struct sample_restored *restored);

/* Stores the compiled program, and removes older ones until there are `most`. */
void sample_blob_store(const struct hy_host *host, const struct sample_blob_key *key, uint32_t most,
                       const struct sample_program *program);

#endif
