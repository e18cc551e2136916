/* From a request to the addresses that an instance works on. */
#ifndef XD_REQUEST_H
#define XD_REQUEST_H

#include "driver_kit/device_buffer.h"
#include "driver_kit/pool_map.h"
#include "instance.h"

/* Whose request it is. */
struct xd_caller {
    const struct hy_host *host;
    struct hy_device_buffers *buffers; /* of the device: requests may name them */
    const void *prepared;              /* as their roles name it */
    const struct xd_program *program;
    struct hy_pool_map *pools; /* of the burst; NULL: the request belongs to none */
};

/*
 * Checks every argument of the request against the program and writes its address into
 * `arguments`. Inputs that cannot be read where they are, because they may end where readable
 * memory ends or are not aligned to their elements, are copied to the instance's own room. Buffers
 * are held by the instance: release it in any case.
 * Errors: INVALID_ARGUMENT, OUTPUT_INSUFFICIENT_SIZE, GENERAL_FAILURE, those of hy_host.map;
 * `message` has the words.
 */
int32_t xd_request_bind(const struct xd_caller *caller, const struct hy_request *request,
                        struct xd_instance *instance, const struct hy_message *message);

/* What the execution ended with: the buffers that it was to write hold that, or nothing more. */
void xd_request_release(const struct xd_caller *caller, const struct hy_request *request,
                        struct xd_instance *instance, int32_t status);

/* For an execution that failed without an instance: the same buffers hold nothing more. */
void xd_request_fail(const struct xd_caller *caller, const struct hy_request *request);

/* Whether the tensor has room in an output. */
bool xd_request_has_room(const struct hy_request *request, const struct hy_argument *argument,
                         const struct xd_tensor *tensor);

#endif
