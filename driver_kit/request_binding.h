/*
 * Resolves the arguments of a request to addresses, for prepared models with only known shapes. The
 * driver describes its arguments by hy_buffer_functions.argument (driver_kit/device_buffer.h).
 *
 * An argument is host memory, which is mapped, or a buffer of the device, which is held until the
 * execution ends. Optional inputs may be omitted. Images are refused.
 *
 * No function here allocates or locks. Any number of threads may bind requests at once.
 */
#ifndef HY_DRIVER_KIT_REQUEST_BINDING_H
#define HY_DRIVER_KIT_REQUEST_BINDING_H

#include "driver_kit/device_buffer.h"
#include "driver_kit/pool_map.h"

#include <halyard/driver.h>

/* The prepared model to execute. Arguments are numbered: inputs first, then outputs. */
struct hy_request_target {
    struct hy_device_buffers *buffers; /* of the device; capacity 0: the device has no buffers */
    const void *prepared;              /* passed to hy_buffer_functions.argument */
    struct hy_pool_map *pools;         /* of the burst; NULL: not in a burst */
    uint32_t input_count, output_count;
};

/* The resolved address of an argument. */
struct hy_bound_argument {
    uint8_t *address;                /* NULL: an omitted input, or an input without a reader */
    uint64_t trailing;               /* bytes in the same pool after the argument */
    struct hy_device_buffer *buffer; /* NULL: host memory. Else its layout applies */
};

/* Returns the pool of an argument. NULL: the argument has no pool, or has flags. */
static inline const struct hy_pool *hy_argument_pool(const struct hy_request *request,
                                                     const struct hy_argument *argument)
{
    const uint32_t pool = argument->location.pool;
    return argument->flags == 0 && pool < request->pool_count ? &request->pools[pool] : NULL;
}

/* Whether the structs have at least the size of ABI 1.0 and the argument counts match the target.
 * All other functions require this. */
bool hy_request_fits(const struct hy_request_target *target, const struct hy_request *request,
                     const struct hy_run_options *options, const struct hy_result *result);

/*
 * Checks and resolves all arguments. `bound` has one element per argument. The length of an input
 * must match exactly; an output must be at least as long as its tensor. Call hy_request_release in
 * any case. Errors, with a text in `message`: INVALID_ARGUMENT, OUTPUT_INSUFFICIENT_SIZE (remaining
 * arguments are still checked), GENERAL_FAILURE (an image, a buffer on a device without buffers, or
 * an input buffer without content), errors of hy_host.map.
 */
int32_t hy_request_bind(const struct hy_request_target *target, const struct hy_request *request,
                        struct hy_bound_argument *bound, const struct hy_message *message);

/* Releases the buffers of a finished execution. `status` is the result of the execution: after OK
 * the output buffers have content, otherwise not. */
void hy_request_release(const struct hy_request_target *target, const struct hy_request *request,
                        struct hy_bound_argument *bound, int32_t status);

/* Marks the output buffers as empty, for an execution that failed before hy_request_bind. */
void hy_request_fail(const struct hy_request_target *target, const struct hy_request *request);

/* Writes the result of an execution. After OK and OUTPUT_INSUFFICIENT_SIZE: the shape of each
 * output, and whether the request has enough space for the output. After OK: the times, in ns;
 * HY_NO_TIME if the host does not measure. */
void hy_request_write_result(const struct hy_request_target *target,
                             const struct hy_request *request, int32_t status,
                             uint64_t time_on_device, uint64_t time_in_driver,
                             struct hy_result *result);

#endif
