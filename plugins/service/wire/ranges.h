#ifndef HY_SERVICE_WIRE_RANGES_H
#define HY_SERVICE_WIRE_RANGES_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Whether what a client has sent stays inside of memory that is there. The pools are complete:
 * their sizes and protections are those of the memory, see server/memories.h. A location without
 * bytes names nothing and is not looked at; images and buffers are used whole, so a location in one
 * has no bytes.
 */

/* Arguments lie inside their pools; inputs may be read there, outputs written. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_request_check_ranges(const struct hy_request *request,
                                                   struct hy_error *err);

/* Constants lie inside their pools and may be read there. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_model_check_ranges(const struct hy_model *model,
                                                 struct hy_error *err);

#endif
