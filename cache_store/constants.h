#ifndef HY_CACHE_STORE_CONSTANTS_H
#define HY_CACHE_STORE_CONSTANTS_H

#include "common/error.h"
#include "halyard/driver.h"

/* The length of a digest. Constants up to this length have no digest. */
#define HY_CONSTANT_SHORT 16u

/* The value of a constant operand, in the memory of the model. */
struct hy_constant {
    const uint8_t *bytes;
    uint64_t length;
    uint8_t digest[16]; /* XXH3-128 in canonical form, if longer than HY_CONSTANT_SHORT */
};

/* The constants of a whole model, by subgraph with the main subgraph last, and by operand within
 * each subgraph. */
struct hy_constants {
    struct hy_constant *items;
    uint32_t count;
};

/* Computes the digest of a long constant. */
void hy_constant_read(struct hy_constant *constant);

/* Calls task(argument, i) once for each i < count, possibly on several threads, and returns when
 * all tasks are done. */
typedef void hy_parallel_for_fn(uint32_t count, void (*task)(void *argument, uint32_t index),
                                void *argument);

/*
 * Reads each constant once and computes the digests. `share`, or NULL, is called if several threads
 * pay off; the digests are the same. Errors: BAD_DATA (a constant outside its pool), FAILED (a pool
 * without address), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_constants_read(const struct hy_model *model,
                                             hy_parallel_for_fn *parallel_for,
                                             struct hy_constants *ret, struct hy_error *err);
void hy_constants_finish(struct hy_constants *constants); /* a zeroed struct is allowed */

#endif
