/*
 * A driver of an extension, com.acme.double, whose operations multiply float32 by 2 and by 4. It is
 * built with the header of 1.0, where it supports the whole extension, and with that of today,
 * where it says that it supports a part (IS_PARTIAL) and leaves out the second operation. NAME is
 * the device's.
 */
#include "tests/kit/scripted_driver.h"

#include <stdlib.h>

enum { DOUBLE, QUADRUPLE };

static const char extension_name[] = "com.acme.double";
static const struct hy_extension extension = {.name = extension_name};
#ifdef IS_PARTIAL
static const uint8_t is_partial = 1;
#endif
static const struct hy_host *host;

struct prepared {
    float factor;
    uint32_t rank;
    uint32_t extent;
};

/* The number of an operation of the extension; -1: it is of none, or of another. */
static int number_of(const struct hy_model *model, const struct hy_operation *operation)
{
    for (uint32_t i = 0; i < model->extension_count; i++) {
        if (model->extensions[i].prefix == (uint32_t)operation->type >> 16 &&
            strcmp(model->extensions[i].name, extension_name) == 0)
            return operation->type & 0xffff;
    }
    return -1;
}

static bool supports(const void *device, const struct hy_model *model,
                     const struct hy_operation *operation)
{
    const int number = number_of(model, operation);

    (void)device;
#ifdef IS_PARTIAL
    return number == DOUBLE;
#else
    return number == DOUBLE || number == QUADRUPLE;
#endif
}

/* The operations are a chain. */
static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **ret)
{
    const struct hy_subgraph *graph = model->main;
    const struct hy_operand *out = &graph->operands[graph->outputs[0]];
    struct prepared *prepared = malloc(sizeof *prepared);

    (void)options;
    if (!prepared)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    *prepared = (struct prepared){.factor = 1, .rank = out->rank, .extent = out->dims[0]};
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!supports(device, model, &graph->operations[i])) {
            free(prepared);
            return HY_STATUS_INVALID_ARGUMENT;
        }
        prepared->factor *= number_of(model, &graph->operations[i]) == DOUBLE ? 2 : 4;
    }
    *ret = prepared;
    return HY_STATUS_OK;
}

static int32_t find(const struct hy_request *request, const struct hy_argument *argument,
                    uint32_t protection, void **ret)
{
    const struct hy_location *at = &argument->location;
    void *base = NULL;
    const int32_t status = host->map(host->context, &request->pools[at->pool], protection, &base);

    if (status == HY_STATUS_OK)
        *ret = (char *)base + at->offset;
    return status;
}

static int32_t execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const struct prepared *prepared = self;
    void *from = NULL, *to = NULL;

    (void)options;
    int32_t status = find(request, &request->inputs[0], HY_PROTECT_READ, &from);
    if (status == HY_STATUS_OK)
        status = find(request, &request->outputs[0], HY_PROTECT_WRITE, &to);
    if (status != HY_STATUS_OK)
        return status;
    for (uint32_t i = 0; i < prepared->extent; i++) {
        float value;
        memcpy(&value, (char *)from + i * sizeof value, sizeof value);
        value *= prepared->factor;
        memcpy((char *)to + i * sizeof value, &value, sizeof value);
    }
    result->outputs[0] = (struct hy_output_shape){
        .rank = prepared->rank, .sufficient = 1, .dims = {prepared->extent}};
    return HY_STATUS_OK;
}

static int32_t create(const struct hy_host *given, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    (void)arguments, (void)message;
    host = given;
    *instance = (void *)(uintptr_t)given;
    return HY_STATUS_OK;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static struct scripted_driver script = {
        .driver = {.name = "extension", .create = create},
        .device = {.prepare = prepare, .prepared_destroy = free, .execute = execute},
        .info =
            {
                .type = HY_DEVICE_ACCELERATOR,
                .name = NAME,
                .extension_count = 1,
                .extensions = &extension,
#ifdef IS_PARTIAL
                .partial_extensions = &is_partial,
#endif
            },
        .supports = supports,
    };
    return scripted_driver(host_abi, &script);
}
