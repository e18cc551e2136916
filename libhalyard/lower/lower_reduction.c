#include "libhalyard/lower/families.h"

/* NNAPI's MEAN keeps the quantisation; another one is reached through the real numbers. */
static void lower_real_mean(struct hy_lowering *lowering)
{
    const uint32_t real = hy_real_operand(lowering, 0);
    const uint32_t mean = hy_float_temporary_operand(lowering, hy_output(lowering, 0));

    hy_push(lowering, real);
    hy_push_input(lowering, 1);
    hy_push_int(lowering, lowering->node->attributes.reduce.keep_dimensions);
    hy_emit_to(lowering, ANEURALNETWORKS_MEAN, mean);
    hy_push(lowering, mean);
    hy_emit(lowering, ANEURALNETWORKS_QUANTIZE);
}

void hy_lower_mean(struct hy_lowering *lowering)
{
    if (!hy_same_quantisation(hy_input(lowering, 0), hy_output(lowering, 0))) {
        lower_real_mean(lowering);
        return;
    }
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_int(lowering, lowering->node->attributes.reduce.keep_dimensions);
    hy_emit(lowering, ANEURALNETWORKS_MEAN);
}

void hy_lower_reduce(struct hy_lowering *lowering, int32_t type)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_bool(lowering, lowering->node->attributes.reduce.keep_dimensions);
    hy_emit(lowering, type);
}

void hy_lower_with_scalar(struct hy_lowering *lowering, int32_t type)
{
    hy_push_input(lowering, 0);
    hy_push_scalar_input(lowering, 1);
    hy_emit(lowering, type);
}
