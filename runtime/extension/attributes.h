#ifndef HY_RUNTIME_ATTRIBUTES_H
#define HY_RUNTIME_ATTRIBUTES_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stddef.h>

/* Extension attributes of a compilation or an execution, as hints for its driver. All zero bytes is
 * an empty list. */
struct hy_attributes {
    struct hy_hint *hints; /* the data is owned */
    uint32_t count;
};

/*
 * Adds a copy of the data; NULL with length 0 is none.
 * Errors: BAD_DATA (the attribute is there already, data without a length or too long, no prefix
 * left for the extension), OUT_OF_MEMORY; the list stays as it was.
 */
HY_MUST_CHECK enum hy_code hy_attributes_add(struct hy_attributes *attributes,
                                             const char *extension, uint16_t code, const void *data,
                                             size_t length, struct hy_error *err);

void hy_attributes_finish(struct hy_attributes *attributes);

/*
 * Lists the prefixes that a driver meets in hints: those of these attributes, and of all extensions
 * of its device, because an execution may bring attributes of its own later.
 *   ret        for free(); NULL when there are none
 *   ret_count  its length
 * Errors: OUT_OF_MEMORY; BAD_DATA (no prefix left).
 */
HY_MUST_CHECK enum hy_code hy_attributes_list_prefixes(const struct hy_attributes *attributes,
                                                       const struct hy_device_info *device,
                                                       struct hy_extension_prefix **ret,
                                                       uint32_t *ret_count, struct hy_error *err);

#endif
