/*
 * The settings of the sample driver in a manifest. Different settings make different devices from
 * one library. All members of "arguments" are optional; docs/driver-guide.md has the table:
 *
 *     { "name": "halyard-sample", "operations": ["ADD", "SOFTMAX"], "types": ["TENSOR_FLOAT32"],
 *       "speed": 0.5, "power": 0.25, "launch_ns": 20000, "bytes_per_second": 4000000000,
 *       "compile": "just_in_time", "cache_files": 1, "late": "commit", "buffers": 64,
 *       "blobs": 0 }
 */
#ifndef SAMPLE_ARGUMENTS_H
#define SAMPLE_ARGUMENTS_H

#include <halyard/driver.h>

#include <stdbool.h>

#define SAMPLE_MAX_NAME    64u
#define SAMPLE_MODEL_FILES 1u /* of a device that caches */

/* When the search for the best packing runs (see search.h). */
enum sample_compile {
    SAMPLE_COMPILE_PLAIN,        /* never */
    SAMPLE_COMPILE_AT_PREPARE,   /* in prepare, which writes the cache files */
    SAMPLE_COMPILE_JUST_IN_TIME, /* in the first execution, with late cache files */
};

/* How cache files are written after prepare. */
enum sample_deferred {
    SAMPLE_DEFERRED_COMMIT,      /* a new entry: cache_begin and cache_commit */
    SAMPLE_DEFERRED_DESCRIPTORS, /* descriptors kept open, under a lock */
};

struct sample_arguments {
    char name[SAMPLE_MAX_NAME]; /* of the device */
    uint32_t operations;        /* SAMPLE_* bits of operations.h */
    uint32_t types;             /* SAMPLE_*_TENSORS bits of operations.h */
    float speed;                /* execution time relative to Halyard's CPU, above 0 */
    float power;                /* the same for energy; as `speed` if left out */
    uint64_t launch_ns;         /* as in struct hy_capabilities */
    uint64_t bytes_per_second;
    uint32_t compile;     /* SAMPLE_COMPILE_* */
    uint32_t deferred;    /* SAMPLE_LATE_* */
    uint32_t cache_files; /* data cache files, beside SAMPLE_MODEL_FILES; 0: no cache */
    uint32_t buffers;     /* maximum of live buffers; 0: no buffers */
    uint32_t blobs;       /* programs that the device caches without the app; 0: none */
};

/* Reads the JSON text. False: `message` has the error. */
bool sample_arguments_read(const char *text, const struct hy_message *message,
                           struct sample_arguments *out);

#endif
