#include "tests/scenarios/graphs/random_partition.h"

#include "common/random.h"
#include "cpu_fallback/allowed_isa_levels.h"
#include "cpu_fallback/cpu_device.h"
#include "tests/kit/scripted_driver.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>
#include <string.h>

struct partitioner {
    struct hy_cpu_device cpu; /* first: the backend's functions take the dealer as it */
    uint32_t index;
    uint32_t count; /* devices of the instance */
    bool priced;
    char name[sizeof "deal-a"];
    uint64_t launch_ns;
    uint64_t bytes_per_second;
};

struct instance {
    struct partitioner partitioners[RANDOM_PARTITION_DEVICES];
    uint32_t count;
};

static uint64_t deal; /* the seed */

void dealing_deal(uint64_t seed)
{
    deal = seed;
}

/* ---- Who takes what -------------------------------------------------------------------------- */

static uint64_t mix_operand(uint64_t mixed, const struct hy_operand *operand)
{
    mixed = hy_random_mix(mixed, (uint64_t)operand->type << 8 | operand->rank);
    for (uint32_t i = 0; i < operand->rank; i++)
        mixed = hy_random_mix(mixed, operand->dims[i]);
    return hy_random_mix(mixed, (uint32_t)operand->zero_point);
}

static uint64_t mix_operation(const struct hy_subgraph *graph, const struct hy_operation *operation)
{
    uint64_t mixed = hy_random_mix(deal, (uint32_t)operation->type);
    for (uint32_t i = 0; i < operation->input_count; i++)
        mixed = mix_operand(mixed, &graph->operands[operation->inputs[i]]);
    for (uint32_t i = 0; i < operation->output_count; i++)
        mixed = mix_operand(mixed, &graph->operands[operation->outputs[i]]);
    return mixed;
}

static bool supports(const struct partitioner *partitioner, const struct hy_subgraph *graph,
                     const struct hy_operation *operation)
{
    const bool flows =
        operation->type == ANEURALNETWORKS_IF || operation->type == ANEURALNETWORKS_WHILE;
    const uint64_t mixed = mix_operation(graph, operation);
    if (flows && mixed >> 63)
        return false;
    if (partitioner->priced && (mixed >> (32 + partitioner->index) & 1))
        return true;
    return (uint32_t)mixed % partitioner->count == partitioner->index;
}

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    const struct partitioner *partitioner = device;
    const int32_t status =
        hy_cpu_device_table.supported_operations(device, model, supported, refusals);
    if (status != HY_STATUS_OK)
        return status;
    for (uint32_t i = 0; i < model->main->operation_count; i++) {
        if (!supported[i] || supports(partitioner, model->main, &model->main->operations[i]))
            continue;
        supported[i] = 0;
        refusals->refuse(refusals->context, i, "it was dealt to others");
    }
    return HY_STATUS_OK;
}

/* ---- What they claim ------------------------------------------------------------------------- */

static int32_t describe(void *device, struct hy_device_info *info)
{
    const int32_t status = hy_cpu_device_table.describe(device, info);
    if (status == HY_STATUS_OK)
        info->type = HY_DEVICE_ACCELERATOR;
    return status;
}

static int32_t capabilities(void *device, struct hy_capabilities *figures)
{
    const struct partitioner *partitioner = device;
    const int32_t status = hy_cpu_device_table.capabilities(device, figures);
    if (status == HY_STATUS_OK) {
        figures->launch_ns = partitioner->launch_ns;
        figures->bytes_per_second = partitioner->bytes_per_second;
    }
    return status;
}

/* Launches and links from those that cost nothing to those that small work does not pay for. */
static void set_costs(struct partitioner *partitioner, uint64_t seed)
{
    static const uint64_t launches[] = {0, 50, 500, 5000};
    static const uint64_t links[] = {0, UINT64_C(100000000000), UINT64_C(5000000000), 100000000};
    struct hy_random chance = {hy_random_mix(seed, partitioner->index)};
    partitioner->launch_ns = launches[hy_random_below(&chance, 4)];
    partitioner->bytes_per_second = links[hy_random_below(&chance, 4)];
    for (uint32_t i = 0; i < HY_CPU_TYPES; i++)
        partitioner->cpu.types[i].performance.exec_time =
            (float)(1 + hy_random_below(&chance, 15)) / 10;
}

/* ---- The driver ------------------------------------------------------------------------------ */

static void partitioner_init(struct partitioner *partitioner, uint32_t index,
                             const struct hy_host *host, const char *arguments)
{
    const bool is_fast = strstr(arguments, "\"kernels\":\"halyard-cpu\"") != NULL;

    memcpy(partitioner->name, "deal-a", sizeof partitioner->name);
    partitioner->name[sizeof partitioner->name - 2] = (char)('a' + index);
    hy_cpu_device_init(
        &partitioner->cpu, partitioner->name, host,
        is_fast ? hy_kernels_within(hy_cpu_allowed_isa_levels(getenv("HALYARD_CPU_FEATURES"), host))
                : hy_kernels_reference(),
        is_fast ? host->worker_count(host->context) : 1, 0.01f);
    partitioner->index = index;
}

/* The number behind a key of the manifest's arguments, which come as compact JSON. */
static uint64_t argument(const char *arguments, const char *key)
{
    const char *at = strstr(arguments, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **ret)
{
    struct instance *instance = calloc(1, sizeof *instance);
    (void)message;
    if (!instance)
        return HY_STATUS_GENERAL_FAILURE;
    instance->count = (uint32_t)argument(arguments, "\"devices\":");
    if (instance->count == 0 || instance->count > RANDOM_PARTITION_DEVICES) {
        free(instance);
        return HY_STATUS_INVALID_ARGUMENT;
    }
    deal = argument(arguments, "\"seed\":");
    for (uint32_t i = 0; i < instance->count; i++) {
        struct partitioner *partitioner = &instance->partitioners[i];
        partitioner_init(partitioner, i, host, arguments);
        partitioner->count = instance->count;
        partitioner->priced = strstr(arguments, "\"priced\":true") != NULL;
        if (partitioner->priced)
            set_costs(partitioner, deal);
    }
    *ret = instance;
    return HY_STATUS_OK;
}

static uint32_t device_count(void *instance)
{
    return ((const struct instance *)instance)->count;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static struct scripted_driver script = {
        .driver = {.name = "dealing",
                   .create = create,
                   .destroy = free,
                   .device_count = device_count},
        .device_size = sizeof(struct partitioner),
    };

    script.device = hy_cpu_device_table;
    script.device.describe = describe;
    script.device.capabilities = capabilities;
    script.device.supported_operations = supported_operations;
    return scripted_driver(host_abi, &script);
}
