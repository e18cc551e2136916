#ifndef HY_TESTS_WIRE_SAME_H
#define HY_TESTS_WIRE_SAME_H

#include "halyard/driver.h"

#include <stdbool.h>

/* Deep comparison of two values, including all referenced data, but ignoring addresses. */
bool same_bytes(const void *a, const void *b, uint64_t size);
bool same_model(const struct hy_model *a, const struct hy_model *b);
bool same_request(const struct hy_request *a, const struct hy_request *b);
bool same_pool(const struct hy_pool *a, const struct hy_pool *b);
bool same_hints(const struct hy_hint *a, const struct hy_hint *b, uint32_t count);
bool same_prefixes(const struct hy_extension_prefix *a, const struct hy_extension_prefix *b,
                   uint32_t count);

#endif
