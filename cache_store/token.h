#ifndef HY_CACHE_STORE_TOKEN_H
#define HY_CACHE_STORE_TOKEN_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * The identity of one prepared model: 32 bytes that are equal only if device, driver, settings, the
 * structure of the model and its constants are.
 */
struct hy_token_facts {
    const char *device_name;
    const char *device_version;
    const char *build_id; /* "" if there is none */
    uint32_t abi;         /* that the driver was built with */
    int32_t preference;
    int32_t priority;
    const struct hy_model *model; /* with the address of every pool that holds constants */
};

/*
 * BLAKE2b-256 over length-prefixed fields: the facts; then each subgraph with its operands (type,
 * lifetime, extents, quantisation, extension data) and operations (type, operand lists); then the
 * XXH3-128 of every constant. Where a constant lies does not count, only its bytes do; nor do
 * numbers of extension prefixes, their names do. Errors: BAD_DATA (a constant outside its pool);
 * FAILED (a pool without address, or the library).
 */
HY_MUST_CHECK enum hy_code hy_token_make(const struct hy_token_facts *facts,
                                         uint8_t token[HY_TOKEN_SIZE], struct hy_error *err);

#endif
