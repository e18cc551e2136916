#ifndef HY_COMMON_CALL_H
#define HY_COMMON_CALL_H

#include "common/error.h"
#include "common/operations/shape.h"

/*
 * An operation with its arguments, for shape inference and run-time checks. The known part grows
 * over time: a runtime with only the model knows few shapes; an executor during a run knows every
 * shape and value.
 */

/* The known properties of an operand. */
struct hy_value {
    int32_t type;
    bool omitted; /* omitted optional argument; the other members are unused */
    bool known; /* the shape is final, and an extent of 0 is empty; else 0 (or rank 0) is unknown */
    struct hy_shape shape;
    float scale;
    int32_t zero_point;
    uint32_t channel_dim;
    uint32_t channel_count;
    const float *channel_scales; /* channel_count scales, or NULL */
    void *data;                  /* the value, aligned for its type; NULL if unknown */
};

struct hy_call {
    int32_t operation;
    uint32_t input_count;
    uint32_t output_count;
    const uint32_t *inputs;  /* indices into values */
    const uint32_t *outputs; /* indices into values */
    struct hy_value *values;
};

/* Input or output number `index`; the caller has checked `index`. */
static inline const struct hy_value *hy_call_input(const struct hy_call *call, uint32_t index)
{
    return &call->values[call->inputs[index]];
}

static inline struct hy_value *hy_call_output(const struct hy_call *call, uint32_t index)
{
    return &call->values[call->outputs[index]];
}

/* HY_FAILED unless input `index` is present with a known shape and a rank in [fewest, most]. */
HY_MUST_CHECK enum hy_code hy_call_check_rank(const struct hy_call *call, uint32_t index,
                                              uint32_t fewest, uint32_t most, struct hy_error *err);

/* Like hy_call_check_rank, and HY_FAILED for an extent of 0. */
HY_MUST_CHECK enum hy_code hy_call_check_filled(const struct hy_call *call, uint32_t index,
                                                uint32_t fewest, uint32_t most,
                                                struct hy_error *err);

/* True for operations of org.halyard.operations. */
bool hy_call_is_extension(const struct hy_call *call);

/* The highest rank of a tensor: `of_nnapi` for NNAPI operations, HY_MAX_RANK for operations of
 * org.halyard.operations. */
uint32_t hy_call_most_rank(const struct hy_call *call, uint32_t of_nnapi);

/* Checks the data of an operation that moves elements. An NNAPI operation needs a rank in [fewest,
 * most] and no extent of 0; an operation of org.halyard.operations needs a rank of at least
 * `fewest`. */
HY_MUST_CHECK enum hy_code hy_call_check_data(const struct hy_call *call, uint32_t index,
                                              uint32_t fewest, uint32_t most, struct hy_error *err);

/* HY_FAILED unless input `index` is present and has exactly this shape. */
HY_MUST_CHECK enum hy_code hy_call_check_shape(const struct hy_call *call, uint32_t index,
                                               const struct hy_shape *shape, struct hy_error *err);

/*
 * Reads a scalar input. HY_FAILED for an omitted or unknown value, or another type. hy_call_float
 * reads FLOAT32 and FLOAT16; hy_call_size reads INT32 in [fewest, INT32_MAX].
 */
HY_MUST_CHECK enum hy_code hy_call_int(const struct hy_call *call, uint32_t index, int32_t *out,
                                       struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_call_size(const struct hy_call *call, uint32_t index, int32_t fewest,
                                        uint32_t *out, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_call_bool(const struct hy_call *call, uint32_t index, bool *out,
                                        struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_call_float(const struct hy_call *call, uint32_t index, float *out,
                                         struct hy_error *err);

/* Reads the elements of an integer tensor with shape [count], or [count, 2] (before and after).
 * 64-bit integers are clamped to 32 bits. HY_FAILED for another shape or an unknown value. */
HY_MUST_CHECK enum hy_code hy_call_int_list(const struct hy_call *call, uint32_t index,
                                            uint32_t count, int32_t *out, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_call_int_pairs(const struct hy_call *call, uint32_t index,
                                             uint32_t count, int32_t (*out)[2],
                                             struct hy_error *err);

/* Reads a vector of 1 to HY_MAX_RANK extents, each at least `fewest`. Negative extents are returned
 * unchanged. */
HY_MUST_CHECK enum hy_code hy_call_extents(const struct hy_call *call, uint32_t index,
                                           int32_t fewest, struct hy_shape *out,
                                           struct hy_error *err);

/* A fused activation: INT32 in 0..3. */
HY_MUST_CHECK enum hy_code hy_call_activation(const struct hy_call *call, uint32_t index,
                                              int32_t *out, struct hy_error *err);

/* An axis of a tensor of rank `rank`: INT32 in [-rank, rank), counted from the end when < 0. */
HY_MUST_CHECK enum hy_code hy_call_axis(const struct hy_call *call, uint32_t index, uint32_t rank,
                                        uint32_t *out, struct hy_error *err);

/* HY_FAILED unless output `index` has the given quantization, compared by hy_scale_is_same. */
HY_MUST_CHECK enum hy_code hy_call_check_output_quant(const struct hy_call *call, uint32_t index,
                                                      float scale, int32_t zero_point,
                                                      struct hy_error *err);

#endif
