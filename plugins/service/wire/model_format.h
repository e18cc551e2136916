#ifndef HY_SERVICE_WIRE_MODEL_FORMAT_H
#define HY_SERVICE_WIRE_MODEL_FORMAT_H

#include "halyard/driver.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* The records that a model is made of; docs/service-protocol.md has their order. */

static_assert(sizeof(struct hy_location) == 24 && offsetof(struct hy_location, length) == 16,
              "travels as it is");

struct hy_model_record {
    uint64_t values_size;
    uint32_t relaxed_float;
    uint32_t feature_level;
    uint32_t referenced_count;
    uint32_t pool_count;
    uint32_t extension_count;
    uint32_t reserved;
};

struct hy_subgraph_record {
    uint32_t operand_count;
    uint32_t operation_count;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t dim_count;   /* of all operands together */
    uint32_t index_count; /* of inputs and outputs of all operations together */
    uint32_t scale_count; /* of all operands together */
    uint32_t reserved;
};

struct hy_operand_record {
    int32_t type;
    int32_t lifetime;
    uint32_t rank;
    uint32_t channel_dim;
    float scale;
    int32_t zero_point;
    uint32_t channel_count;
    uint32_t extension_length;
    struct hy_location location;
};

struct hy_operation_record {
    int32_t type;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t reserved;
};

#endif
