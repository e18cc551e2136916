#include "tools/convert/convert.h"

#include "tools/convert/builder.h"
#include "tools/convert/convert_operators.h"

static enum hy_code convert_operators(struct hy_model_builder *builder, struct hy_error *err)
{
    const struct hy_tflite_subgraph *subgraph = hy_model_builder_subgraph(builder);
    for (uint32_t i = 0; i < subgraph->operator_count; i++) {
        const struct hy_tflite_operator *operator_ = &subgraph->operators[i];
        hy_model_builder_set_operator(builder, i);
        enum hy_code code = hy_convert_operator(builder, operator_, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "operator %u %s", i,
                                   hy_tflite_op_name(operator_->code));
    }
    return HY_OK;
}

enum hy_code hy_convert(const struct hy_tflite_model *source, struct hy_converted_model **out,
                        struct hy_error *err)
{
    struct hy_model_builder *builder = NULL;
    enum hy_code code = hy_model_builder_create(&source->subgraphs[0], &builder, err);
    if (code == HY_OK)
        code = convert_operators(builder, err);
    if (code == HY_OK)
        code = hy_model_builder_finish(builder, out, err);
    hy_model_builder_destroy(builder);
    return code;
}
