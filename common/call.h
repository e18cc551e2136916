#ifndef HY_COMMON_CALL_H
#define HY_COMMON_CALL_H

#include "common/error.h"
#include "common/operations/shape.h"

/*
 * An operation with its arguments, as shape inference and run-time checks see it. What is known
 * grows over time: a runtime that only has the model knows few shapes, an executor in the middle of
 * a run knows every shape and value.
 */

/* What is known about one operand. */
struct hy_value {
    int32_t type;
    bool omitted; /* an optional argument that was left out; nothing else counts then */
    bool known;   /* the shape is final, an extent of 0 is empty; else 0 (or rank 0) is unknown */
    struct hy_shape shape;
    float scale;
    int32_t zero_point;
    uint32_t channel_dim;
    uint32_t channel_count;
    const float *channel_scales; /* channel_count of them, or NULL */
    void *data;                  /* the value, aligned for its type; NULL while not known */
};

struct hy_call {
    int32_t operation;
    uint32_t input_count;
    uint32_t output_count;
    const uint32_t *inputs;  /* indices into values */
    const uint32_t *outputs; /* the same */
    struct hy_value *values;
};

/* Input or output number `index`, which the caller knows to exist. */
static inline const struct hy_value *hy_call_input(const struct hy_call *call, uint32_t index)
{
    return &call->values[call->inputs[index]];
}

static inline struct hy_value *hy_call_output(const struct hy_call *call, uint32_t index)
{
    return &call->values[call->outputs[index]];
}

/* HY_FAILED unless input `index` is present, its shape known, its rank in [fewest, most]. */
HY_MUST_CHECK enum hy_code hy_call_check_rank(const struct hy_call *call, uint32_t index,
                                              uint32_t fewest, uint32_t most, struct hy_error *err);

/* The same, and HY_FAILED when one of its extents is 0. */
HY_MUST_CHECK enum hy_code hy_call_check_filled(const struct hy_call *call, uint32_t index,
                                                uint32_t fewest, uint32_t most,
                                                struct hy_error *err);

/* Whether the operation is one of org.halyard.operations. */
bool hy_call_is_extension(const struct hy_call *call);

/* The highest rank of a tensor: `of_nnapi` for operations of NNAPI, HY_MAX_RANK for those of
 * org.halyard.operations. */
uint32_t hy_call_most_rank(const struct hy_call *call, uint32_t of_nnapi);

/* The data of an operation that moves elements: that of NNAPI has a rank in [fewest, most] and no
 * extent of 0, that of org.halyard.operations a rank from `fewest` on. */
HY_MUST_CHECK enum hy_code hy_call_check_data(const struct hy_call *call, uint32_t index,
                                              uint32_t fewest, uint32_t most, struct hy_error *err);

/* HY_FAILED unless input `index` is present and has exactly this shape. */
HY_MUST_CHECK enum hy_code hy_call_check_shape(const struct hy_call *call, uint32_t index,
                                               const struct hy_shape *shape, struct hy_error *err);

/*
 * The value of a scalar input. HY_FAILED when it was omitted, is not known, or is of another type.
 * hy_call_float takes FLOAT32 and FLOAT16; hy_call_size takes INT32 in [fewest, INT32_MAX].
 */
HY_MUST_CHECK enum hy_code hy_call_int(const struct hy_call *call, uint32_t index, int32_t *out,
                                       struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_call_size(const struct hy_call *call, uint32_t index, int32_t fewest,
                                        uint32_t *out, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_call_bool(const struct hy_call *call, uint32_t index, bool *out,
                                        struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_call_float(const struct hy_call *call, uint32_t index, float *out,
                                         struct hy_error *err);

/* The elements of a tensor of integers of shape [count], or [count, 2] (as before0, after0,
 * before1...). Of integers of 64 bits those beyond 32 bits count as the nearest within. HY_FAILED
 * when it has another shape or is not known. */
HY_MUST_CHECK enum hy_code hy_call_int_list(const struct hy_call *call, uint32_t index,
                                            uint32_t count, int32_t *out, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_call_int_pairs(const struct hy_call *call, uint32_t index,
                                             uint32_t count, int32_t *out, struct hy_error *err);

/* The extents that a vector of integers lists: 1 to HY_MAX_RANK of them, each `fewest` or more.
 * Extents below 0 are given as they are. */
HY_MUST_CHECK enum hy_code hy_call_extents(const struct hy_call *call, uint32_t index,
                                           int32_t fewest, struct hy_shape *out,
                                           struct hy_error *err);

/* A fused activation: INT32 in 0..3. */
HY_MUST_CHECK enum hy_code hy_call_activation(const struct hy_call *call, uint32_t index,
                                              int32_t *out, struct hy_error *err);

/* An axis of a tensor of rank `rank`: INT32 in [-rank, rank), counted from the end when < 0. */
HY_MUST_CHECK enum hy_code hy_call_axis(const struct hy_call *call, uint32_t index, uint32_t rank,
                                        uint32_t *out, struct hy_error *err);

/* HY_FAILED unless output `index` has this quantisation, by hy_scale_is_same. */
HY_MUST_CHECK enum hy_code hy_call_check_output_quant(const struct hy_call *call, uint32_t index,
                                                      float scale, int32_t zero_point,
                                                      struct hy_error *err);

#endif
