#ifndef HY_RUNTIME_MODEL_H
#define HY_RUNTIME_MODEL_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

struct hy_memory;

/*
 * The model an app builds: operands and operations in the order they were added, then, once
 * finished, an immutable hy_model view that planner and drivers read. Counted, because compilations
 * keep it.
 *
 * Building is for one thread at a time; a finished model may be used by any number. Every function
 * checks in the order of docs and of the NNAPI contract: state first (BAD_STATE), then arguments
 * (BAD_DATA). A failed setter leaves the model as it was; only finish can make it invalid.
 */
struct hy_app_model;

enum hy_model_state { HY_MODEL_BUILDING, HY_MODEL_FINISHED, HY_MODEL_INVALID };

/* What addOperand is told, and set* of an execution; dims may be NULL only with rank 0. */
struct hy_operand_spec {
    int32_t type;
    uint32_t rank;
    const uint32_t *dims;
    float scale;
    int32_t zero_point;
};

/* The rules that a spec obeys on its own. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_operand_spec_check(const struct hy_operand_spec *spec,
                                                 struct hy_error *err);

HY_MUST_CHECK enum hy_code hy_app_model_create(struct hy_app_model **ret, struct hy_error *err);
struct hy_app_model *hy_app_model_retain(struct hy_app_model *model);
void hy_app_model_release(struct hy_app_model *model); /* takes NULL */

HY_MUST_CHECK enum hy_code hy_app_model_add_operand(struct hy_app_model *model,
                                                    const struct hy_operand_spec *spec,
                                                    struct hy_error *err);

/* NULL with length 0: the operand is an optional argument left out. Up to 128 bytes are copied,
 * more are used in place: the buffer must outlive the model. */
HY_MUST_CHECK enum hy_code hy_app_model_set_value(struct hy_app_model *model, uint32_t operand,
                                                  const void *buffer, size_t length,
                                                  struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_app_model_set_value_from_memory(struct hy_app_model *model,
                                                              uint32_t operand,
                                                              struct hy_memory *memory,
                                                              size_t offset, size_t length,
                                                              struct hy_error *err);
/* The operand is of type MODEL, `value` finished (else BAD_STATE). It is kept while it is needed.
 */
HY_MUST_CHECK enum hy_code hy_app_model_set_value_from_model(struct hy_app_model *model,
                                                             uint32_t operand,
                                                             struct hy_app_model *value,
                                                             struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_app_model_set_channel_quant(struct hy_app_model *model,
                                                          uint32_t operand, uint32_t channel_dim,
                                                          uint32_t scale_count, const float *scales,
                                                          struct hy_error *err);
/* What the extension that the operand's type belongs to wants to know of it; copied. NULL with
 * length 0 clears it. */
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

/* Sorts the operations, checks everything, builds the view. Errors: BAD_STATE; BAD_DATA (the model
 * is invalid from then on); OUT_OF_MEMORY (it stays as it was). */
HY_MUST_CHECK enum hy_code hy_app_model_finish(struct hy_app_model *model, struct hy_error *err);

enum hy_model_state hy_app_model_state(const struct hy_app_model *model);

/* ---- Finished models only; all valid while the model lives ----------------------------------- */

/* Operands stand at the indices the app gave them; operations are sorted. */
const struct hy_model *hy_app_model_view(const struct hy_app_model *model);

/* For each operation of the view, its number in the order of addOperation. */
const uint32_t *hy_app_model_operation_order(const struct hy_app_model *model);

#endif
