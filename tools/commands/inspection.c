#include "tools/commands/inspection.h"

#include <stdlib.h>

#include "tools/api_result.h"

static enum hy_code read_operators(struct halyard_network *network, struct hy_inspection *out,
                                   struct hy_error *err)
{
    const uint32_t count = halyard_network_operator_count(network, out->signature);
    enum hy_code code = HY_OK;

    out->operators = calloc((size_t)count + 1, sizeof *out->operators);
    if (!out->operators)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u operators", count);
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        struct halyard_network_operator *operator_ = &out->operators[out->operator_count++];
        operator_->struct_size = sizeof *operator_;
        code = hy_api_result(halyard_network_get_operator(network, out->signature, i, operator_),
                             "network_get_operator", err);
        out->parameter_count += operator_->parameter_count;
        out->parameter_bytes += operator_->parameter_bytes;
        out->obstacle_count += code == HY_OK && operator_->obstacle[0] != '\0';
    }
    return code;
}

enum hy_code hy_inspection_make(struct halyard_network *network, uint32_t signature,
                                const char *path, struct hy_inspection *out, struct hy_error *err)
{
    const ANeuralNetworksModel *model = NULL;

    *out = (struct hy_inspection){.network = network, .path = path, .signature = signature};
    enum hy_code code = read_operators(network, out, err);
    if (code != HY_OK)
        return code;
    out->memory.struct_size = sizeof out->memory;
    code = hy_api_result(halyard_network_get_memory(network, signature, &out->memory),
                         "network_get_memory", err);
    out->can_run = hy_api_result(halyard_network_get_model(network, signature, &model),
                                 "network_get_model", &out->other) == HY_OK;
    return code;
}

void hy_inspection_finish(struct hy_inspection *inspection)
{
    free(inspection->operators);
    *inspection = (struct hy_inspection){0};
}
