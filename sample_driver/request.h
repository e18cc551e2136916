/* The memory of a request: found before a program runs, given back after it. */
#ifndef SAMPLE_REQUEST_H
#define SAMPLE_REQUEST_H

#include "driver_kit/device_buffer.h"
#include "driver_kit/pool_map.h"
#include "program.h"

/* Who runs a program: requests may name its buffers. */
struct sample_owner {
    struct hy_device_buffers *buffers; /* NULL: the device has none */
    const void *prepared;              /* as roles name it */
    struct hy_pool_map *pools;         /* of the burst that runs it; NULL: it runs in none */
};

/* Where the bytes of an operand are, for one execution. */
struct sample_place {
    const uint8_t *bytes; /* NULL: an input that was left out */
    uint32_t layout;      /* SAMPLE_PLAIN or SAMPLE_IN_LANES */
};

/* A request on its way through a program. */
struct sample_binding {
    const struct sample_program *program;
    const struct sample_owner *owner;
    const struct hy_request *request;
    struct sample_place *places;    /* of each operand */
    struct hy_device_buffer **held; /* of each argument: the buffer in use, or NULL */
};

/* Whether a request and its result are of this program, and of peers that know no less than we do.
 */
bool sample_request_fits(const struct sample_program *program, const struct hy_request *request,
                         const struct hy_run_options *options, const struct hy_result *result);

/* Finds all arguments. Release it in any case. Errors: INVALID_ARGUMENT, GENERAL_FAILURE,
 * OUTPUT_INSUFFICIENT_SIZE, which does not keep it from looking at the others. */
int32_t sample_request_bind(const struct sample_binding *binding, const struct hy_message *message);

/* What the execution ended with: buffers that it was to write hold something, or nothing more. */
void sample_request_release(const struct sample_binding *binding, int32_t status);

void sample_request_tell_shapes(const struct sample_program *program,
                                const struct hy_request *request, struct hy_result *result);

#endif
