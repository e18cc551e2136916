/*
 * Reads operands of an untrusted model, while a driver compiles the model or reports supported
 * operations. Each function checks everything it reads. On failure the function writes a reason
 * into the reader and returns false or NULL.
 *
 * An operand is named by its side ("input" or "output") and its position in the operation. The
 * position must be below the operand count unless noted. A reason reads "input 1 has rank 5, needs
 * 1 to 4".
 */
#ifndef HY_DRIVER_KIT_MODEL_READER_H
#define HY_DRIVER_KIT_MODEL_READER_H

#include <halyard/driver.h>

#include <stdbool.h>

#define HY_REASON_SIZE 256u

/* Limits of the driver. */
struct hy_extent_limits {
    uint32_t rank;     /* maximum */
    uint64_t elements; /* maximum for a tensor, below 2^32 */
};

struct hy_model_reader {
    const struct hy_host *host;
    const struct hy_model *model;
    const uint8_t *values; /* hy_model.values, or a copy that outlives the model */
    struct hy_extent_limits limits;
    char reason[HY_REASON_SIZE];
    bool is_exhausted; /* the reason is lack of memory */
};

/* Whether the structs of the model have at least the size of ABI 1.0. All other functions require
 * this. */
bool hy_model_is_whole(const struct hy_model *model);

/* ---- Reasons --------------------------------------------------------------------------------- */

/* Writes the reason as printf does. Always returns false. */
bool hy_refuse(struct hy_model_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "`name`: " before the reason. Always returns false. */
bool hy_refuse_as(struct hy_model_reader *reader, const char *name);

/* Sets the reason to lack of memory. Always returns false. */
bool hy_refuse_exhausted(struct hy_model_reader *reader);

/* ---- Operands -------------------------------------------------------------------------------- */

/* Returns an operand of the main subgraph. Fails if the operand is omitted. */
const struct hy_operand *hy_read_input(struct hy_model_reader *reader,
                                       const struct hy_operation *operation, uint32_t position);
const struct hy_operand *hy_read_output(struct hy_model_reader *reader,
                                        const struct hy_operation *operation, uint32_t position);

/* Whether an optional input is omitted. Returns false if `position` is out of range, an error for
 * hy_read_input to report. */
bool hy_is_left_out(const struct hy_model_reader *reader, const struct hy_operation *operation,
                    uint32_t position);

/* Reads the operand indices of the model inputs, then of the model outputs, into `indices` (input
 * count + output count elements). Checks range and lifetime (INPUT or OUTPUT), but not uniqueness.
 */
bool hy_read_model_arguments(struct hy_model_reader *reader, uint32_t *indices);

/* Checks the shape: rank at least 1, all extents known, within the limits. `*elements` is the
 * product of the extents. */
bool hy_check_extents(struct hy_model_reader *reader, const char *side, uint32_t position,
                      uint32_t rank, const uint32_t *dims, uint64_t *elements);

/* Checks scale and zero point of a TENSOR_QUANT8_* type with a single scale. Other types pass. */
bool hy_check_quantisation(struct hy_model_reader *reader, const char *side, uint32_t position,
                           int32_t type, float scale, int32_t zero_point);

/* ---- Constants ------------------------------------------------------------------------------- */

bool hy_is_constant(const struct hy_operand *operand);

/*
 * Returns the bytes of a constant of exactly `length` bytes, at any alignment. Bytes in pools are
 * not copied and stay valid until the prepared model is destroyed. A misbehaving app may change
 * pool bytes at any time, so copy bytes before checking their values.
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

/* Checks the layout flag, for a driver that only supports NHWC. False: the flag is present and set.
 */
bool hy_check_nhwc(struct hy_model_reader *reader, const struct hy_operation *operation,
                   uint32_t position);

/* Converts an axis in [-rank, rank) to an index from 0. A negative axis counts from the end. */
bool hy_resolve_axis(struct hy_model_reader *reader, int32_t value, uint32_t rank, uint32_t *axis);

#endif
