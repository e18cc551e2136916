/*
 * Reading the operands of a model that nobody vouches for, when a driver compiles it or says what
 * it supports. Each function checks all that it reads; what is wrong goes into the reader as the
 * reason of a refusal, and the result is false or NULL.
 *
 * An operand is named by its side ("input" or "output") and its position in the operation, which is
 * below the operation's count. Reasons say "input 1 has rank 5, needs 1 to 4".
 */
#ifndef HY_DRIVER_KIT_MODEL_READER_H
#define HY_DRIVER_KIT_MODEL_READER_H

#include <halyard/driver.h>

#include <stdbool.h>

#define HY_REASON_SIZE 256u

/* What the driver can compute. */
struct hy_extent_limits {
    uint32_t rank;     /* at most */
    uint64_t elements; /* of a tensor at most, below 2^32 */
};

struct hy_model_reader {
    const struct hy_host *host;
    const struct hy_model *model;
    const uint8_t *values; /* hy_model.values, or a copy of these that outlives the model */
    struct hy_extent_limits limits;
    char reason[HY_REASON_SIZE];
    bool is_exhausted; /* the reason is want of memory */
};

/* Whether the views of the model are of ABI 1.0 at least. The other functions need one that is. */
bool hy_model_is_whole(const struct hy_model *model);

/* ---- Reasons --------------------------------------------------------------------------------- */

/* Writes the reason, as printf does. Always false. */
bool hy_refuse(struct hy_model_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "`name`: " before the reason. Always false. */
bool hy_refuse_as(struct hy_model_reader *reader, const char *name);

/* The reason is want of memory. Always false. */
bool hy_refuse_exhausted(struct hy_model_reader *reader);

/* ---- Operands -------------------------------------------------------------------------------- */

/* The operand of the main subgraph, which has a value: it is not left out. */
const struct hy_operand *hy_read_input(struct hy_model_reader *reader,
                                       const struct hy_operation *operation, uint32_t position);
const struct hy_operand *hy_read_output(struct hy_model_reader *reader,
                                        const struct hy_operation *operation, uint32_t position);

/* Whether an optional input has no value. False as well for an index that is too large, which
 * hy_read_input refuses. */
bool hy_is_left_out(const struct hy_model_reader *reader, const struct hy_operation *operation,
                    uint32_t position);

/* The operands of the model's inputs, then of its outputs: `indices` has an element for each. An
 * index is checked to exist and to have the lifetime INPUT or OUTPUT, not to occur once. */
bool hy_read_model_arguments(struct hy_model_reader *reader, uint32_t *indices);

/* Checks a rank of 1 or more and known extents, within the limits. `*elements` is their product. */
bool hy_check_extents(struct hy_model_reader *reader, const char *side, uint32_t position,
                      uint32_t rank, const uint32_t *dims, uint64_t *elements);

/* Checks scale and zero point of a TENSOR_QUANT8_* type with one scale; other types pass. */
bool hy_check_quantisation(struct hy_model_reader *reader, const char *side, uint32_t position,
                           int32_t type, float scale, int32_t zero_point);

/* ---- Constants ------------------------------------------------------------------------------- */

bool hy_is_constant(const struct hy_operand *operand);

/*
 * The bytes of a constant operand of exactly `length` bytes, at any alignment. Bytes in pools stay
 * where they are until the prepared model is destroyed, and may change at any time if the app
 * misbehaves: what is checked is copied first.
 */
const uint8_t *hy_read_constant(struct hy_model_reader *reader, const struct hy_operand *operand,
                                uint64_t length);

/* Constant scalars INT32, FLOAT32 and BOOL. */
bool hy_read_i32(struct hy_model_reader *reader, const struct hy_operation *operation,
                 uint32_t position, int32_t *value);
bool hy_read_f32(struct hy_model_reader *reader, const struct hy_operation *operation,
                 uint32_t position, float *value);
bool hy_read_bool(struct hy_model_reader *reader, const struct hy_operation *operation,
                  uint32_t position, bool *value);

/* The layout flag, for a driver that computes in NHWC: false where the flag is there and set. */
bool hy_check_nhwc(struct hy_model_reader *reader, const struct hy_operation *operation,
                   uint32_t position);

/* An axis in [-rank, rank) as a number from 0, from the end where it is negative. */
bool hy_resolve_axis(struct hy_model_reader *reader, int32_t value, uint32_t rank, uint32_t *axis);

#endif
