#ifndef HY_CACHE_STORE_TOKEN_H
#define HY_CACHE_STORE_TOKEN_H

#include "cache_store/constants.h"
#include "common/error.h"
#include "halyard/driver.h"

/*
 * The identity of one prepared model: 32 bytes that are equal only if app's token, device, driver,
 * processor, settings, the structure of the model and its constants are.
 */
struct hy_token_facts {
    const uint8_t *app_token; /* HY_TOKEN_SIZE bytes, or NULL: the app gave none */
    const char *device_name;
    const char *device_version;
    const char *build_id;     /* "" if there is none */
    const char *cpu_features; /* what decides which code the processor runs */
    uint32_t abi;             /* that the driver was built with */
    int32_t preference;
    int32_t priority;
    uint32_t hint_count;
    const struct hy_hint *hints;                /* in any order */
    const struct hy_extension_prefix *prefixes; /* of the hints */
    uint32_t prefix_count;
    const struct hy_model *model; /* with the address of every pool that holds constants */
    hy_share_fn *share;           /* what several threads read it with, or NULL: this one alone */
};

/*
 * BLAKE2b-256 over length-prefixed fields: the facts; then each subgraph with its operands (type,
 * lifetime, extents, quantisation, extension data, and of constants length and XXH3-128 of their
 * bytes, as of channel scales) and operations (type, operand lists): docs/cache.md has every byte.
 * Each constant is read once. Where it lies does not count, only its bytes do; nor do numbers of
 * extension prefixes, their names do. Errors: BAD_DATA (a constant outside its pool, a hint of no
 * extension); FAILED (a pool without address, or the library); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_token_make(const struct hy_token_facts *facts,
                                         uint8_t token[HY_TOKEN_SIZE], struct hy_error *err);

#endif
