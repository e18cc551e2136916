#ifndef HY_TESTS_SCENARIOS_NUMERICS_QUANTISED_H
#define HY_TESTS_SCENARIOS_NUMERICS_QUANTISED_H

#include <android/NeuralNetworksTypes.h>

#include "tests/scenarios/numerics/claim.h"

/* 8-bit tensors: types, and conversions from bytes to numbers. */

#define U8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define S8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED

static inline int32_t least_of(int32_t type)
{
    return type == S8 ? INT8_MIN : 0;
}

static inline int32_t most_of(int32_t type)
{
    return least_of(type) + UINT8_MAX;
}

/* The stored number. */
static inline int32_t stored(int32_t type, uint8_t byte)
{
    return type == S8 ? (int8_t)byte : byte;
}

/* The stored number minus the zero point. */
static inline int32_t steps_of(const struct hy_builder_type *type, uint8_t byte)
{
    return stored(type->type, byte) - type->zero_point;
}

static inline double real_of(const struct hy_builder_type *type, uint8_t byte)
{
    return steps_of(type, byte) * (double)type->scale;
}

/* A random scale of 2^-8 to 2^0 and a random zero point: anywhere, at an end or in the middle. */
static inline struct hy_builder_type any_quantised(struct hy_random *r, int32_t type,
                                                   uint32_t count)
{
    struct hy_builder_type result = hy_op_case_type(type, 1, &count);

    result.scale = exp2f(4 * hy_random_real(r, -1, 1) - 4);
    result.zero_point = hy_random_one_in(r, 4) ? least_of(type)
                        : hy_random_one_in(r, 4)
                            ? least_of(type) + 128
                            : hy_random_between(r, least_of(type), most_of(type));
    return result;
}

static inline int32_t any_byte_type(struct hy_random *r)
{
    return hy_random_one_in(r, 2) ? U8 : S8;
}

static inline void fill_bytes(struct hy_random *r, uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(hy_random_next(r) >> 32);
}

#endif
