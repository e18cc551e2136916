#ifndef HY_SERVICE_WIRE_RANGES_H
#define HY_SERVICE_WIRE_RANGES_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Checks locations from a client against the existing memory. The pools are complete: their sizes
 * and protections are those of the real memory, see server/memories.h. A location without bytes
 * names nothing and is skipped. Images and buffers are always used whole, so locations inside
 * images and buffers have no bytes.
 */

/* Checks arguments: each lies inside its pool, inputs are readable and outputs writable. Errors:
 * BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_request_check_ranges(const struct hy_request *request,
                                                   struct hy_error *err);

/* Checks constants: each lies inside its pool and is readable. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_model_check_ranges(const struct hy_model *model,
                                                 struct hy_error *err);

#endif
