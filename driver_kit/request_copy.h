/* Copies requests, for executions that outlive the call with the original request. */
#ifndef HY_DRIVER_KIT_REQUEST_COPY_H
#define HY_DRIVER_KIT_REQUEST_COPY_H

#include <halyard/driver.h>

#include <stdbool.h>

/* Whether each count has an array, and each rank its extents. Only such requests can be copied. */
bool hy_request_is_whole(const struct hy_request *request);

/*
 * Copies the structs of a whole request: arguments, extents, pools and images. Pool memory and
 * descriptors are not copied and stay owned by the caller. The copy is a single block; release the
 * block with free(). NULL: out of memory.
 */
struct hy_request *hy_request_copy(const struct hy_request *request);

#endif
