#ifndef HY_CACHE_STORE_ARCHITECTURE_H
#define HY_CACHE_STORE_ARCHITECTURE_H

#include "common/error.h"
#include "halyard/driver.h"

#define HY_ARCHITECTURE_SIZE 32u

/*
 * Hashes the architecture of a model: SHA-256 over each subgraph with its operands (type, lifetime,
 * extents, quantization) and operations (type, operand lists), in little-endian words. Values and
 * locations of constants are excluded; extensions are identified by name. The hash is equal on
 * every machine. FAILED: the library cannot be started.
 */
HY_MUST_CHECK enum hy_code hy_architecture_hash(const struct hy_model *model,
                                                uint8_t hash[HY_ARCHITECTURE_SIZE],
                                                struct hy_error *err);

#endif
