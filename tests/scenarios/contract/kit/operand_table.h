#ifndef HY_TESTS_SCENARIOS_CONTRACT_KIT_OPERAND_TABLE_H
#define HY_TESTS_SCENARIOS_CONTRACT_KIT_OPERAND_TABLE_H

/* The operand types of the API, with the rules for each type. */
#include "fixture.h"

#include <android/NeuralNetworksOEM.h>

enum scale_rule { NONE, POSITIVE, ANY };

static const struct type {
    int32_t code;
    uint32_t bytes; /* of an element */
    bool is_tensor;
    enum scale_rule scale;
    int32_t zero_min, zero_max;
} types[] = {
    {ANEURALNETWORKS_FLOAT32, 4, false, NONE, 0, 0},
    {ANEURALNETWORKS_INT32, 4, false, NONE, 0, 0},
    {ANEURALNETWORKS_UINT32, 4, false, NONE, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT32, 4, true, NONE, 0, 0},
    {ANEURALNETWORKS_TENSOR_INT32, 4, true, ANY, INT32_MIN, INT32_MAX}, /* checked by finish */
    {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, true, POSITIVE, 0, 255},
    {ANEURALNETWORKS_BOOL, 1, false, NONE, 0, 0},
    {ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 2, true, POSITIVE, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT16, 2, true, NONE, 0, 0},
    {ANEURALNETWORKS_TENSOR_BOOL8, 1, true, NONE, 0, 0},
    {ANEURALNETWORKS_FLOAT16, 2, false, NONE, 0, 0},
    {ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, true, NONE, 0, 0},
    {ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, 2, true, POSITIVE, 0, 65535},
    {ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 1, true, POSITIVE, 0, 0},
    {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 1, true, POSITIVE, -128, 127},
    {ANEURALNETWORKS_MODEL, 0, false, NONE, 0, 0},
    {ANEURALNETWORKS_OEM_SCALAR, 0, false, ANY, INT32_MIN, INT32_MAX},
    {ANEURALNETWORKS_TENSOR_OEM_BYTE, 1, true, ANY, INT32_MIN, INT32_MAX},
};

/* A valid operand type; tensors have two elements. */
static inline ANeuralNetworksOperandType legal(const struct type *type)
{
    static const uint32_t two = 2;
    return (ANeuralNetworksOperandType){
        .type = type->code,
        .dimensionCount = type->is_tensor,
        .dimensions = type->is_tensor ? &two : NULL,
        .scale = type->scale == POSITIVE ? .5f : 0,
        .zeroPoint = type->zero_max < INT32_MAX ? type->zero_max : 0,
    };
}

#endif
