/* A library with the driver that serves its bursts itself, and does nothing in any other way; with
 * ACCEPTS_PAIRS two requests at a time, and there are buffers, though nothing can be done with
 * them.
 */
#include "serving_driver.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>

#include "tests/kit/scripted_driver.h"

#ifdef ACCEPTS_PAIRS
enum { DEPTH = 2 };
#else
enum { DEPTH = 1 };
#endif

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    struct serving_prepared *made = calloc(1, sizeof *made);
    (void)model, (void)options;
    if (!made)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    made->host = device;
    made->pops_pairs = DEPTH == 2;
    *prepared = made;
    return HY_STATUS_OK;
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    (void)prepared, (void)request, (void)options, (void)result;
    return HY_STATUS_GENERAL_FAILURE;
}

static int32_t burst_open(void *prepared, void **burst)
{
    (void)prepared, (void)burst;
    return HY_STATUS_GENERAL_FAILURE;
}

#ifdef ACCEPTS_PAIRS
static int32_t buffer_create(void *device, const struct hy_buffer_desc *desc, uint32_t *token,
                             void **buffer)
{
    (void)device, (void)desc;
    *token = 1;
    *buffer = malloc(1);
    return *buffer ? HY_STATUS_OK : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
}

static int32_t buffer_copy_from(void *buffer, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank)
{
    (void)buffer, (void)source, (void)dims, (void)rank;
    return HY_STATUS_GENERAL_FAILURE;
}

static int32_t buffer_copy_to(void *buffer, const struct hy_pool *destination)
{
    (void)buffer, (void)destination;
    return HY_STATUS_GENERAL_FAILURE;
}
#endif

/* Its one app asks for additions of four floats only. */
static bool supports(const void *device, const struct hy_model *model,
                     const struct hy_operation *operation)
{
    (void)device, (void)model;
    return operation->type == ANEURALNETWORKS_ADD;
}

static const struct hy_operand_performance figures[] = {
    {ANEURALNETWORKS_TENSOR_FLOAT32, {2, 1}},
};

static struct scripted_driver script = {
    .driver.name = "queue-server",
    .info = {.type = HY_DEVICE_OTHER,
             .name = "queue-server",
             .version = "1.0",
             .burst_depth = DEPTH},
    .capabilities = {.operand_count = 1,
                     .operands = figures,
                     .relaxed_scalar = {2, 1},
                     .relaxed_tensor = {2, 1}},
    .supports = supports,
    .device =
        {
            .prepare = prepare,
            .prepared_destroy = free,
            .execute = execute,
            .burst_open = burst_open,
            .burst_execute = execute,
            .burst_release = serving_driver_burst_release,
            .burst_close = serving_driver_burst_close,
            .burst_serve = serving_driver_burst_serve,
#ifdef ACCEPTS_PAIRS
            .buffer_create = buffer_create,
            .buffer_copy_from = buffer_copy_from,
            .buffer_copy_to = buffer_copy_to,
            .buffer_destroy = free,
#endif
        },
};

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    return scripted_driver(host_abi, &script);
}
