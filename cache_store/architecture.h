#ifndef HY_CACHE_STORE_ARCHITECTURE_H
#define HY_CACHE_STORE_ARCHITECTURE_H

#include "common/error.h"
#include "halyard/driver.h"

#define HY_ARCHITECTURE_SIZE 32u

/*
 * What kind of model it is: SHA-256 over each subgraph with its operands (type, lifetime, extents,
 * quantisation) and operations (type, operand lists), all in little-endian words. Values of
 * constants do not count, nor does where they lie; extensions count by their names. The same on
 * every machine. FAILED: the library cannot be started.
 */
HY_MUST_CHECK enum hy_code hy_architecture_hash(const struct hy_model *model,
                                                uint8_t hash[HY_ARCHITECTURE_SIZE],
                                                struct hy_error *err);

#endif
