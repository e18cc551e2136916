#include "plugins/service/wire/scales.h"

#include "common/model/model_view.h"
#include "common/operations/signature.h"

static enum hy_code check_subgraph(const struct hy_subgraph *graph, struct hy_error *err)
{
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        const struct hy_operation *operation = &graph->operations[i];
        if (hy_signature_check_form(graph->operands, graph->operand_count, operation, NULL, NULL) !=
            HY_OK)
            continue;
        enum hy_code code = hy_signature_check_quantisation(graph->operands, operation, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "operation %u", i);
    }
    return HY_OK;
}

enum hy_code hy_model_check_scales(const struct hy_model *model, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i <= model->referenced_count; i++) {
        code = check_subgraph(hy_model_subgraph(model, i), err);
        if (code != HY_OK && i < model->referenced_count)
            (void)hy_error_prefix(err, code, "model %u", i);
    }
    return code;
}
