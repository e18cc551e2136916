/* A copy of a request, for an execution that goes on after the call that brought it. */
#ifndef HY_DRIVER_KIT_REQUEST_COPY_H
#define HY_DRIVER_KIT_REQUEST_COPY_H

#include <halyard/driver.h>

#include <stdbool.h>

/* Whether each count has its array, and each rank its extents: else a request cannot be copied. */
bool hy_request_is_whole(const struct hy_request *request);

/*
 * Copies the views of a whole request: arguments, extents, pools and images. The memory behind the
 * pools is not copied, and neither are descriptors: both stay the caller's. The copy is one block,
 * to be given to free(). NULL: no memory.
 */
struct hy_request *hy_request_copy(const struct hy_request *request);

#endif
