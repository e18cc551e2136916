#ifndef HY_CACHE_STORE_CONSTANTS_H
#define HY_CACHE_STORE_CONSTANTS_H

#include "common/error.h"
#include "halyard/driver.h"

/* As long as a digest: constants up to this length have none, they are as short themselves. */
#define HY_CONSTANT_SHORT 16u

/* The value of an operand, in the memory of the model. */
struct hy_constant {
    const uint8_t *bytes;
    uint64_t length;
    uint8_t digest[16]; /* XXH3-128 in canonical form, if it is longer than HY_CONSTANT_SHORT */
};

/* Of a whole model: subgraph by subgraph, the main one last, and operand by operand in each. */
struct hy_constants {
    struct hy_constant *items;
    uint32_t count;
};

/* Sets the digest, if there is one. */
void hy_constant_read(struct hy_constant *constant);

/* Calls task(argument, i) once for each i < count, and returns when all are done; on several
 * threads at once if there are any. */
typedef void hy_share_fn(uint32_t count, void (*task)(void *argument, uint32_t index),
                         void *argument);

/*
 * Reads each constant once. `share`, or NULL, is called where there is enough to read for several
 * threads; the digests are the same. Errors: BAD_DATA (a constant outside its pool), FAILED (a pool
 * without address), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_constants_read(const struct hy_model *model, hy_share_fn *share,
                                             struct hy_constants *ret, struct hy_error *err);
void hy_constants_finish(struct hy_constants *constants); /* takes a zeroed one */

#endif
