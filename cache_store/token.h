#ifndef HY_CACHE_STORE_TOKEN_H
#define HY_CACHE_STORE_TOKEN_H

#include "cache_store/constants.h"
#include "common/error.h"
#include "halyard/driver.h"

/*
 * The identity of a prepared model: 32 bytes, equal only for equal app token, device, driver,
 * processor, settings, model structure and constants.
 */
struct hy_token_info {
    const uint8_t *app_token; /* HY_TOKEN_SIZE bytes, or NULL without an app token */
    const char *device_name;
    const char *device_version;
    const char *build_id;     /* "" without a build id */
    const char *cpu_features; /* instruction sets that select the machine code */
    uint32_t abi;             /* ABI version of the driver's build */
    int32_t preference;
    int32_t priority;
    uint32_t hint_count;
    const struct hy_hint *hints;                /* in any order */
    const struct hy_extension_prefix *prefixes; /* prefixes of the hints */
    uint32_t prefix_count;
    const struct hy_model *model;     /* every pool with constants needs an address */
    hy_parallel_for_fn *parallel_for; /* parallel-for for reading, or NULL: one thread */
};

/*
 * Computes BLAKE2b-256 over length-prefixed fields: the members of `info`, followed by each
 * subgraph with its operands and operations. An operand contributes type, lifetime, extents,
 * quantization and extension data; a constant also contributes the length and XXH3-128 of its
 * bytes, and likewise channel scales. An operation contributes type and operand lists.
 * docs/cache.md specifies every byte. Each constant is read once. The location of a constant is
 * excluded; an extension is identified by name, not by prefix number. Errors: BAD_DATA (a constant
 * outside its pool, a hint of an unknown extension); FAILED (a pool without address, or the
 * library); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_token_make(const struct hy_token_info *info,
                                         uint8_t token[HY_TOKEN_SIZE], struct hy_error *err);

#endif
