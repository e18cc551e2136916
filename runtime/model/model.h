#ifndef HY_RUNTIME_MODEL_H
#define HY_RUNTIME_MODEL_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

struct hy_memory;

/*
 * The model of an app: operands and operations in the order of addition. Finish adds an immutable
 * hy_model view for planner and drivers. Models are reference-counted; compilations hold
 * references.
 *
 * Building belongs to one thread at a time; any number of threads may use a finished model.
 * Functions check the state first (BAD_STATE), then the arguments (BAD_DATA). A failed setter
 * leaves the model unchanged; only finish can make a model invalid.
 */
struct hy_app_model;

enum hy_model_state { HY_MODEL_BUILDING, HY_MODEL_FINISHED, HY_MODEL_INVALID };

/* The operand description for addOperand, and for set* of an execution. dims may be NULL only with
 * rank 0. */
struct hy_operand_spec {
    int32_t type;
    uint32_t rank;
    const uint32_t *dims;
    float scale;
    int32_t zero_point;
};

/* Checks a spec without a model. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_operand_spec_check(const struct hy_operand_spec *spec,
                                                 struct hy_error *err);

HY_MUST_CHECK enum hy_code hy_app_model_create(struct hy_app_model **ret, struct hy_error *err);
struct hy_app_model *hy_app_model_retain(struct hy_app_model *model);
void hy_app_model_release(struct hy_app_model *model); /* NULL is allowed */

HY_MUST_CHECK enum hy_code hy_app_model_add_operand(struct hy_app_model *model,
                                                    const struct hy_operand_spec *spec,
                                                    struct hy_error *err);

/* NULL with length 0: the operand is an omitted optional argument. Up to 128 bytes are copied; a
 * larger buffer is used in place and must outlive the model. */
HY_MUST_CHECK enum hy_code hy_app_model_set_value(struct hy_app_model *model, uint32_t operand,
                                                  const void *buffer, size_t length,
                                                  struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_app_model_set_value_from_memory(struct hy_app_model *model,
                                                              uint32_t operand,
                                                              struct hy_memory *memory,
                                                              size_t offset, size_t length,
                                                              struct hy_error *err);
/* The operand must have type MODEL, and `value` must be finished (else BAD_STATE). The operand
 * retains `value`. */
HY_MUST_CHECK enum hy_code hy_app_model_set_value_from_model(struct hy_app_model *model,
                                                             uint32_t operand,
                                                             struct hy_app_model *value,
                                                             struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_app_model_set_channel_quant(struct hy_app_model *model,
                                                          uint32_t operand, uint32_t channel_dim,
                                                          uint32_t scale_count, const float *scales,
                                                          struct hy_error *err);
/* Sets the data of the operand for its type's extension. The data are copied. NULL with length 0
 * clears the data. */
HY_MUST_CHECK enum hy_code hy_app_model_set_extension_data(struct hy_app_model *model,
                                                           uint32_t operand, const void *data,
                                                           size_t length, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_app_model_add_operation(struct hy_app_model *model, int32_t type,
                                                      uint32_t input_count, const uint32_t *inputs,
                                                      uint32_t output_count,
                                                      const uint32_t *outputs,
                                                      struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_app_model_identify(struct hy_app_model *model, uint32_t input_count,
                                                 const uint32_t *inputs, uint32_t output_count,
                                                 const uint32_t *outputs, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_app_model_relax(struct hy_app_model *model, bool allow,
                                              struct hy_error *err);

/* Sorts the operations, checks the model and builds the view. Errors: BAD_STATE; BAD_DATA (the
 * model becomes invalid); OUT_OF_MEMORY (the model is unchanged). */
HY_MUST_CHECK enum hy_code hy_app_model_finish(struct hy_app_model *model, struct hy_error *err);

enum hy_model_state hy_app_model_state(const struct hy_app_model *model);

/* ---- Finished models only; all valid while the model lives ----------------------------------- */

/* Operands have the indices given by the app; operations are sorted. */
const struct hy_model *hy_app_model_view(const struct hy_app_model *model);

/* For each operation of the view, its number in the order of addOperation. */
const uint32_t *hy_app_model_operation_order(const struct hy_app_model *model);

#endif
