#include "libhalyard/lower/families.h"

static void emit_binary(struct hy_lowering *lowering, int32_t type)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_activation(lowering, lowering->node->attributes.binary.activation);
    hy_emit(lowering, type);
}

void hy_lower_add(struct hy_lowering *lowering)
{
    emit_binary(lowering, ANEURALNETWORKS_ADD);
}

void hy_lower_sub(struct hy_lowering *lowering)
{
    emit_binary(lowering, ANEURALNETWORKS_SUB);
}

void hy_lower_mul(struct hy_lowering *lowering)
{
    emit_binary(lowering, ANEURALNETWORKS_MUL);
}

void hy_lower_div(struct hy_lowering *lowering)
{
    emit_binary(lowering, ANEURALNETWORKS_DIV);
}

void hy_lower_elu(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_float(lowering, 1.0f);
    hy_emit(lowering, ANEURALNETWORKS_ELU);
}
