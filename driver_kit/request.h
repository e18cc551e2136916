/*
 * Requests to a prepared model whose shapes are all known: from arguments to addresses. The driver
 * describes its arguments by hy_buffer_functions.argument (driver_kit/device_buffer.h).
 *
 * A request may name memory of the host, which is mapped; buffers of the device, which are held
 * while the execution runs; or leave an optional input out. Images are refused.
 *
 * Nothing here allocates or locks. Any number of threads may bind requests at once.
 */
#ifndef HY_DRIVER_KIT_REQUEST_H
#define HY_DRIVER_KIT_REQUEST_H

#include "driver_kit/device_buffer.h"
#include "driver_kit/pool_map.h"

#include <halyard/driver.h>

/* The prepared model that executes. Arguments are numbered: the inputs, then the outputs. */
struct hy_request_target {
    struct hy_device_buffers *buffers; /* of the device; capacity 0: the device has no buffers */
    const void *prepared;              /* as hy_buffer_functions.argument takes it */
    struct hy_pool_map *pools;         /* of the burst; NULL: the execution belongs to no burst */
    uint32_t input_count, output_count;
};

/* Where an argument lies. */
struct hy_bound_argument {
    uint8_t *address; /* NULL: an input that is left out, or that no operation reads */
    uint64_t behind;  /* bytes of the same pool that follow the argument */
    struct hy_device_buffer *buffer; /* NULL: the argument is no buffer. Its layout holds */
};

/* The pool that an argument names; NULL: none, or the argument has flags. */
static inline const struct hy_pool *hy_argument_pool(const struct hy_request *request,
                                                     const struct hy_argument *argument)
{
    const uint32_t pool = argument->location.pool;
    return argument->flags == 0 && pool < request->pool_count ? &request->pools[pool] : NULL;
}

/* Whether the views are of ABI 1.0 at least and have the target's numbers of arguments. The other
 * functions need a request that fits. */
bool hy_request_fits(const struct hy_request_target *target, const struct hy_request *request,
                     const struct hy_run_options *options, const struct hy_result *result);

/*
 * Checks all arguments and finds them: `bound` has an element for each. An input has exactly its
 * bytes, an output its bytes at least. Call hy_request_release in any case. Errors, with a text in
 * `message`: INVALID_ARGUMENT, OUTPUT_INSUFFICIENT_SIZE (the other arguments are checked all the
 * same), GENERAL_FAILURE (an image, a buffer on a device without, an input buffer that holds
 * nothing), those of hy_host.map.
 */
int32_t hy_request_bind(const struct hy_request_target *target, const struct hy_request *request,
                        struct hy_bound_argument *bound, const struct hy_message *message);

/* Ends an execution of this status: output buffers hold something after OK, else nothing. */
void hy_request_release(const struct hy_request_target *target, const struct hy_request *request,
                        struct hy_bound_argument *bound, int32_t status);

/* The same for an execution that failed before hy_request_bind. */
void hy_request_fail(const struct hy_request_target *target, const struct hy_request *request);

/* Writes what an execution of this status tells: the shapes of the outputs, and whether the request
 * has room for each, after OK and OUTPUT_INSUFFICIENT_SIZE; the times after OK. Times are
 * nanoseconds, HY_NO_TIME where the host does not measure. */
void hy_request_write_result(const struct hy_request_target *target,
                             const struct hy_request *request, int32_t status,
                             uint64_t time_on_device, uint64_t time_in_driver,
                             struct hy_result *result);

#endif
