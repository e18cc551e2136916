/* What operators on handles of variables and tables have in common. */
#include "libhalyard/tflite/tflite_import.h"

bool hy_tflite_is_handle(const struct hy_tflite_import *import, int32_t tensor)
{
    return tensor >= 0 && import->subgraph->tensors[tensor].type == HY_TFLITE_RESOURCE &&
           import->variables_of[tensor] != HY_TFLITE_NO_VARIABLE;
}

enum hy_code hy_tflite_count_operands(const struct hy_tflite_operator *operator_, uint32_t inputs,
                                      uint32_t outputs, struct hy_error *err)
{
    if (operator_->inputs.count == inputs && operator_->outputs.count == outputs)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "%u inputs and %u outputs, needs %u and %u",
                   operator_->inputs.count, operator_->outputs.count, inputs, outputs);
}

enum hy_code hy_tflite_expect_handle_output(const struct hy_tflite_import *import,
                                            const struct hy_tflite_operator *operator_)
{
    const enum hy_code code = hy_tflite_count_operands(operator_, 0, 1, import->err);

    if (code != HY_OK)
        return code;
    if (import->subgraph->tensors[operator_->outputs.values[0]].type != HY_TFLITE_RESOURCE)
        return hy_fail(import->err, HY_BAD_DATA, "output 0 is not a resource");
    return HY_OK;
}
