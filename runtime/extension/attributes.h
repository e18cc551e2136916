#ifndef HY_RUNTIME_ATTRIBUTES_H
#define HY_RUNTIME_ATTRIBUTES_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stddef.h>

/* Extension attributes of a compilation or an execution, as hints for its driver. A zeroed struct
 * is an empty list. */
struct hy_attributes {
    struct hy_hint *hints; /* the data is owned */
    uint32_t count;
};

/*
 * Adds a copy of the data. NULL with length 0 means no data. Errors: BAD_DATA (the attribute exists
 * already, data without a length or too long, no prefix left for the extension), OUT_OF_MEMORY.
 * After an error the list is unchanged.
 */
HY_MUST_CHECK enum hy_code hy_attributes_add(struct hy_attributes *attributes,
                                             const char *extension, uint16_t code, const void *data,
                                             size_t length, struct hy_error *err);

void hy_attributes_finish(struct hy_attributes *attributes);

/*
 * Lists the prefixes that a driver may see in hints: the prefixes of these attributes and of all
 * extensions of the device, because a later execution may add attributes.
 *   ret        free with free(); NULL if empty
 *   ret_count  number of prefixes
 * Errors: OUT_OF_MEMORY; BAD_DATA (no prefix left).
 */
HY_MUST_CHECK enum hy_code hy_attributes_list_prefixes(const struct hy_attributes *attributes,
                                                       const struct hy_device_info *device,
                                                       struct hy_extension_prefix **ret,
                                                       uint32_t *ret_count, struct hy_error *err);

#endif
