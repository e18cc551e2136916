/*
 * A driver of one operation on float32 tensors, over constants where they lie. Arguments:
 * {"name": NAME, "operation": CODE of ADD or MUL, "attacks": 1, "fails": 1}. One that attacks does
 * so from the first model on, and before each execution: 1 writes, 2 also changes sizes. One that
 * fails does not compute.
 */
#include "attack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kit/scripted_driver.h"

enum { ADD = 0, MUL = 18, TENSOR_FLOAT32 = 3, MOST_OPERANDS = 32, MOST_OPERATIONS = 8 };

struct instance {
    const struct hy_host *host;
    char name[32];
    int operation, attacks, fails, has_begun;
};

struct operand {
    int32_t lifetime;
    uint32_t count;
    uint32_t argument; /* number of the input or output */
    const float *constant;
    float *own; /* of a temporary */
};

struct prepared {
    struct instance *instance;
    uint32_t operand_count, operation_count;
    struct operand operands[MOST_OPERANDS];
    struct {
        uint32_t a, b, out;
    } operations[MOST_OPERATIONS];
};

/* ---- Models ---------------------------------------------------------------------------------- */

static uint32_t count_of(const struct hy_operand *operand)
{
    uint64_t count = operand->type == TENSOR_FLOAT32 && operand->rank > 0;

    for (uint32_t i = 0; i < operand->rank; i++)
        count *= operand->dims[i];
    return count < 1 << 20 ? (uint32_t)count : 0;
}

static bool supports(const void *self, const struct hy_model *model,
                     const struct hy_operation *operation)
{
    const struct instance *instance = self;
    const struct hy_operand *operands = model->main->operands;

    return operation->type == instance->operation &&
           count_of(&operands[operation->inputs[0]]) > 0 &&
           count_of(&operands[operation->inputs[0]]) == count_of(&operands[operation->inputs[1]]);
}

static int32_t find_constant(const struct instance *instance, const struct hy_model *model,
                             const struct hy_operand *operand, struct operand *out)
{
    const struct hy_location *at = &operand->location;
    void *base = NULL;

    if (operand->lifetime == HY_LIFETIME_CONSTANT_COPY) {
        out->constant = (const float *)(const void *)(model->values + at->offset);
        return HY_STATUS_OK;
    }
    const int32_t status = instance->host->map(instance->host->context, &model->pools[at->pool],
                                               HY_PROTECT_READ, &base);
    out->constant = (const float *)(void *)((char *)base + at->offset);
    return status;
}

static uint32_t index_in(const uint32_t *list, uint32_t count, uint32_t operand)
{
    uint32_t i = 0;
    while (i < count && list[i] != operand)
        i++;
    return i;
}

static int32_t copy_operands(struct prepared *prepared, const struct hy_model *model)
{
    const struct hy_subgraph *graph = model->main;
    int32_t status = HY_STATUS_OK;

    for (uint32_t i = 0; status == HY_STATUS_OK && i < graph->operand_count; i++) {
        const struct hy_operand *operand = &graph->operands[i];
        struct operand *out = &prepared->operands[i];
        out->lifetime = operand->lifetime;
        out->count = count_of(operand);
        if (out->count == 0)
            continue;
        if (operand->lifetime == HY_LIFETIME_INPUT)
            out->argument = index_in(graph->inputs, graph->input_count, i);
        else if (operand->lifetime == HY_LIFETIME_OUTPUT)
            out->argument = index_in(graph->outputs, graph->output_count, i);
        else if (operand->lifetime == HY_LIFETIME_TEMPORARY)
            out->own = calloc(out->count, sizeof *out->own);
        else
            status = find_constant(prepared->instance, model, operand, out);
    }
    return status;
}

static void prepared_destroy(void *self)
{
    struct prepared *prepared = self;

    for (uint32_t i = 0; i < prepared->operand_count; i++)
        free(prepared->operands[i].own);
    free(prepared);
}

/* Constants of the app's are mapped for reading, which an attacker does not leave it at. */
static void begin_attack(struct prepared *prepared)
{
    for (uint32_t i = 0; i < prepared->operand_count; i++) {
        const struct operand *operand = &prepared->operands[i];
        if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL)
            (void)attack_mapping((void *)((uintptr_t)operand->constant & ~UINT64_C(4095)), 4096);
    }
    attack_all(prepared->instance->attacks > 1);
    if (!prepared->instance->has_begun)
        attack_for_ever(prepared->instance->attacks > 1);
    prepared->instance->has_begun = 1;
}

static int32_t prepare(void *self, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **ret)
{
    const struct hy_subgraph *graph = model->main;
    struct prepared *prepared = calloc(1, sizeof *prepared);

    (void)options;
    if (!prepared || graph->operand_count > MOST_OPERANDS ||
        graph->operation_count > MOST_OPERATIONS) {
        free(prepared);
        return HY_STATUS_GENERAL_FAILURE;
    }
    prepared->instance = self;
    prepared->operand_count = graph->operand_count;
    prepared->operation_count = graph->operation_count;
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        prepared->operations[i].a = graph->operations[i].inputs[0];
        prepared->operations[i].b = graph->operations[i].inputs[1];
        prepared->operations[i].out = graph->operations[i].outputs[0];
    }
    const int32_t status = copy_operands(prepared, model);
    if (status != HY_STATUS_OK) {
        prepared_destroy(prepared);
        return status;
    }
    if (prepared->instance->attacks)
        begin_attack(prepared);
    *ret = prepared;
    return HY_STATUS_OK;
}

/* ---- Executions ------------------------------------------------------------------------------ */

static float *find(const struct prepared *prepared, const struct hy_request *request,
                   uint32_t number)
{
    const struct operand *operand = &prepared->operands[number];
    const struct hy_host *host = prepared->instance->host;
    const int is_output = operand->lifetime == HY_LIFETIME_OUTPUT;
    void *base = NULL;

    if (operand->lifetime == HY_LIFETIME_TEMPORARY)
        return operand->own;
    if (operand->lifetime != HY_LIFETIME_INPUT && !is_output)
        return (float *)(uintptr_t)operand->constant;
    const struct hy_location *at =
        &(is_output ? request->outputs : request->inputs)[operand->argument].location;
    if (host->map(host->context, &request->pools[at->pool],
                  is_output ? HY_PROTECT_WRITE : HY_PROTECT_READ, &base) != HY_STATUS_OK)
        return NULL;
    return (float *)(void *)((char *)base + at->offset);
}

static int32_t compute(const struct prepared *prepared, const struct hy_request *request)
{
    for (uint32_t i = 0; i < prepared->operation_count; i++) {
        const float *a = find(prepared, request, prepared->operations[i].a);
        const float *b = find(prepared, request, prepared->operations[i].b);
        float *out = find(prepared, request, prepared->operations[i].out);
        const uint32_t count = prepared->operands[prepared->operations[i].a].count;
        if (!a || !b || !out)
            return HY_STATUS_GENERAL_FAILURE;
        for (uint32_t k = 0; k < count; k++)
            out[k] = prepared->instance->operation == ADD ? a[k] + b[k] : a[k] * b[k];
    }
    return HY_STATUS_OK;
}

static int32_t execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const struct prepared *prepared = self;

    (void)options;
    if (prepared->instance->attacks)
        attack_all(prepared->instance->attacks > 1);
    if (prepared->instance->fails)
        return HY_STATUS_GENERAL_FAILURE;
    result->time_on_device = result->time_in_driver = HY_NO_TIME;
    for (uint32_t i = 0; i < prepared->operand_count; i++) {
        const struct operand *operand = &prepared->operands[i];
        if (operand->lifetime == HY_LIFETIME_OUTPUT)
            result->outputs[operand->argument] =
                (struct hy_output_shape){.rank = 1, .sufficient = 1, .dims = {operand->count}};
    }
    return compute(prepared, request);
}

/* ---- The device ------------------------------------------------------------------------------ */

static int32_t describe(void *self, struct hy_device_info *info)
{
    const struct instance *instance = self;

    *info = (struct hy_device_info){.struct_size = sizeof *info,
                                    .type = HY_DEVICE_OTHER,
                                    .name = instance->name,
                                    .version = "1",
                                    .build_id = "",
                                    .feature_level = 1};
    return HY_STATUS_OK;
}

static int number_of(const char *arguments, const char *name)
{
    const char *at = strstr(arguments, name);
    return at ? atoi(at + strlen(name)) : 0;
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **ret)
{
    struct instance *instance = calloc(1, sizeof *instance);
    const char *name = strstr(arguments, "\"name\":\"");

    (void)message;
    if (!instance || !name)
        return HY_STATUS_GENERAL_FAILURE;
    name += strlen("\"name\":\"");
    instance->host = host;
    snprintf(instance->name, sizeof instance->name, "%.*s", (int)strcspn(name, "\""), name);
    instance->operation = number_of(arguments, "\"operation\":");
    instance->attacks = number_of(arguments, "\"attacks\":");
    instance->fails = number_of(arguments, "\"fails\":");
    *ret = instance;
    return HY_STATUS_OK;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static const struct hy_operand_performance fast[] = {{TENSOR_FLOAT32, {1e-6f, 1e-6f}}};
    static struct scripted_driver script = {
        .driver = {.name = "attacker", .create = create}, /* the thread goes on */
        .device = {.describe = describe,
                   .prepare = prepare,
                   .prepared_destroy = prepared_destroy,
                   .execute = execute},
        .capabilities = {.operands = fast, .operand_count = 1},
        .supports = supports,
    };
    return scripted_driver(host_abi, &script);
}
