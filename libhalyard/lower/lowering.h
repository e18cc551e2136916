#ifndef HY_LIBHALYARD_LOWER_LOWERING_H
#define HY_LIBHALYARD_LOWER_LOWERING_H

#include "libhalyard/lower/legal/legalise.h"
#include "libhalyard/lower/lower.h"

/* Special values instead of an operand index. */
#define HY_NO_OPERAND    UINT32_MAX       /* the operand is not made yet */
#define HY_INPUT_OPERAND (UINT32_MAX - 1) /* as HY_NO_OPERAND, for an input of the graph */

/* An operand of one number, shared by operations. */
struct hy_lowering_scalar {
    bool is_set;
    int32_t type;
    uint32_t bits;
    uint32_t operand;
};

enum { HY_LOWERING_SCALARS = 64 };

/*
 * Helper functions for lowering operators. A lowering pushes the operands of an operation in
 * NNAPI's order, and emits the operation:
 *
 *     hy_push_input(lowering, 0);
 *     hy_push_int(lowering, axis);
 *     hy_emit(lowering, ANEURALNETWORKS_GATHER);
 *
 * The first failure is saved, and from then on every function does nothing. A lowering is a plain
 * list without checks. After a failure a function returns a harmless value: operand 0, or a tensor
 * of rank 0.
 */
struct hy_lowering {
    const struct hy_graph *graph;
    const struct hy_graph_node *node; /* the current node */
    struct hy_lowered_model *model;
    uint32_t *operands; /* tensor -> operand, or a special value */
    uint32_t operand_count;
    uint32_t *pushed;
    uint32_t pushed_count, pushed_capacity;
    /* a cache of the latest scalars, by hash */
    struct hy_lowering_scalar scalars[HY_LOWERING_SCALARS];
    struct hy_arena scratch; /* for the current node */
    bool is_body;            /* the graph is the body of a node */
    enum hy_code code;
    struct hy_error *err;
};

/* Makes an empty model, whose graph has the legal nodes of `graph`. On success the caller calls
 * hy_lowering_end, and owns the model. `budget`: the budget of the model that runs a body; NULL:
 * the model gets the rest of the graph's budget. `refusals`: as in hy_legalise. */
HY_MUST_CHECK enum hy_code hy_lowering_begin(struct hy_lowering *lowering,
                                             const struct hy_graph *graph, struct hy_budget *budget,
                                             const struct hy_legal_refusals *refusals,
                                             struct hy_error *err);
void hy_lowering_end(struct hy_lowering *lowering);

/* Adds the operations of a node. The error text does not name the node. */
void hy_lower_node(struct hy_lowering *lowering, const struct hy_graph_node *node);

/* ---- The current node ------------------------------------------------------------------------ */

bool hy_has_input(const struct hy_lowering *lowering, uint32_t input);

/* The tensor of an input or output. An omitted input is a failure. */
const struct hy_graph_tensor *hy_input(struct hy_lowering *lowering, uint32_t input);
const struct hy_graph_tensor *hy_output(struct hy_lowering *lowering, uint32_t output);

/* A failure "`what` has no NNAPI form" unless `holds`. */
static inline void hy_expect(struct hy_lowering *lowering, bool holds, const char *what)
{
    if (lowering->code == HY_OK && !holds)
        lowering->code = hy_fail(lowering->err, HY_BAD_DATA, "%s has no NNAPI form", what);
}

/* Memory for `count` elements of `size` bytes until the next node, not initialised. NULL after a
 * failure; exceeding the budget is the failure HY_OUT_OF_MEMORY. */
void *hy_scratch_memory(struct hy_lowering *lowering, uint64_t count, size_t size);

/* The first scale and zero point of a tensor; 1 and 0 for a tensor without a quantisation. */
float hy_scale_of(const struct hy_graph_tensor *tensor);
int32_t hy_zero_point_of(const struct hy_graph_tensor *tensor);

/* The zero point of a tensor of 8 bits, from -128 to 255; another value is a failure, and returns
 * 0. */
int32_t hy_byte_zero_point(struct hy_lowering *lowering, const struct hy_graph_tensor *tensor);

/* A failure with the fault of input `input`. */
void hy_refuse_input(struct hy_lowering *lowering, uint32_t input, const char *what);

/* ---- Operands -------------------------------------------------------------------------------- */

/* The operand of an input or output in its default type, made at first use. */
uint32_t hy_input_operand(struct hy_lowering *lowering, uint32_t input);
uint32_t hy_output_operand(struct hy_lowering *lowering, uint32_t output);

/* A constant input as the filter of an operation on 8 bits: with a scale per channel along
 * `channel_axis` if the tensor has several scales, else with one scale. */
uint32_t hy_filter_operand(struct hy_lowering *lowering, uint32_t input, uint32_t channel_axis);

/* A constant input as an operand of another NNAPI type, whose elements have the same bytes. */
uint32_t hy_input_operand_as(struct hy_lowering *lowering, uint32_t input, int32_t type);

/* A constant input of int8 with scales along its first dimension, in another shape with the same
 * first dimension. */
uint32_t hy_channel_filter_operand_of(struct hy_lowering *lowering, uint32_t input, uint32_t rank,
                                      const uint32_t *extents);

/* An input of int8, or a constant input of uint8 with int8 contents, dequantised to float by an
 * additional DEQUANTIZE. */
uint32_t hy_dequantised_operand(struct hy_lowering *lowering, uint32_t input);

/* A bias of `count` elements of an NNAPI type: the input, or zeros for an omitted input. `scale` is
 * the scale of a constant of int32; a computed bias has its own scale. */
uint32_t hy_bias_operand(struct hy_lowering *lowering, uint32_t input, int32_t type, uint32_t count,
                         float scale);

/* An omitted tensor of `rank` dimensions, of float or of an NNAPI type. */
uint32_t hy_left_out_operand(struct hy_lowering *lowering, uint32_t rank);
uint32_t hy_left_out_operand_of(struct hy_lowering *lowering, int32_t type, uint32_t rank);

/* A value between two operations, with the type and quantisation of `like`, and the shape of `like`
 * or another shape. */
uint32_t hy_temporary_operand(struct hy_lowering *lowering, const struct hy_graph_tensor *like);
uint32_t hy_temporary_operand_of(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                                 uint32_t rank, const uint32_t *extents);

/* A float32 value between two operations, with the shape of `like`. */
uint32_t hy_float_temporary_operand(struct hy_lowering *lowering,
                                    const struct hy_graph_tensor *like);

/* A BOOL8 value between two operations, with the shape of `like`. */
uint32_t hy_bool_temporary_operand(struct hy_lowering *lowering,
                                   const struct hy_graph_tensor *like);

/* The real numbers of an input: the input itself if its elements are floats, else the result of an
 * additional DEQUANTIZE. The current operation must be empty. */
uint32_t hy_real_operand(struct hy_lowering *lowering, uint32_t input);

/* A constant of at least one element outside the file; `data` is copied. */
uint32_t hy_constant_operand(struct hy_lowering *lowering, const ANeuralNetworksOperandType *type,
                             const void *data, size_t bytes);

/* As hy_constant_operand, with the type and quantisation of `like`. */
uint32_t hy_constant_operand_like(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                                  uint32_t rank, const uint32_t *extents, const void *data,
                                  size_t bytes);

/* ---- The current operation ------------------------------------------------------------------- */

void hy_push(struct hy_lowering *lowering, uint32_t operand);
void hy_push_input(struct hy_lowering *lowering, uint32_t input);
/* Pushes the operand of a tensor. The error text begins with "`what` `index`". */
void hy_push_tensor(struct hy_lowering *lowering, uint32_t tensor, const char *what,
                    uint32_t index);
/* As hy_push_tensor, without the push; returns the operand. */
uint32_t hy_tensor_operand(struct hy_lowering *lowering, uint32_t tensor, const char *what,
                           uint32_t index);
/* Pushes all inputs in order */
void hy_push_inputs(struct hy_lowering *lowering);
void hy_push_int(struct hy_lowering *lowering, int32_t value);
void hy_push_bool(struct hy_lowering *lowering, bool value);
void hy_push_float(struct hy_lowering *lowering, float value);
void hy_push_ints(struct hy_lowering *lowering, const int32_t *values, uint32_t count);
void hy_push_shape(struct hy_lowering *lowering, const struct hy_graph_tensor *of);
void hy_push_padding(struct hy_lowering *lowering, enum hy_padding padding);

/* A body of the graph, lowered, as an operand. */
void hy_push_body(struct hy_lowering *lowering, uint32_t body);

/* Pushes a constant input of one element as a scalar of the same type, or an input of the graph of
 * one int32, if no operation uses the input as a tensor. */
void hy_push_scalar_input(struct hy_lowering *lowering, uint32_t input);

/* A failure for an activation without an NNAPI form. */
void hy_push_activation(struct hy_lowering *lowering, enum hy_activation activation);

/* A copy of a tensor's operand, for example if an output must not be an input of the model. The
 * current operation must be empty. */
uint32_t hy_emit_copy(struct hy_lowering *lowering, uint32_t tensor);

/* Adds the operation with the outputs of the node, with one operand as its output, or with a list
 * of outputs. */
void hy_emit(struct hy_lowering *lowering, int32_t type);
void hy_emit_to(struct hy_lowering *lowering, int32_t type, uint32_t output);
void hy_emit_to_list(struct hy_lowering *lowering, int32_t type, const uint32_t *outputs,
                     uint32_t count);

#endif
