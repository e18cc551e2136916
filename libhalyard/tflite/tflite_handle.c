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
