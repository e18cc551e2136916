#ifndef HY_LIBHALYARD_LOWER_LOWERING_H
#define HY_LIBHALYARD_LOWER_LOWERING_H

#include "libhalyard/lower/legal/legalise.h"
#include "libhalyard/lower/lower.h"

/* Instead of the number of an operand. */
#define HY_NO_OPERAND    UINT32_MAX       /* until the operand is made */
#define HY_INPUT_OPERAND (UINT32_MAX - 1) /* the same of an input of the graph */

/* An operand of one number that operations share. */
struct hy_lowering_scalar {
    bool is_set;
    int32_t type;
    uint32_t bits;
    uint32_t operand;
};

enum { HY_LOWERING_SCALARS = 64 };

/*
 * The words in which operators are lowered. One operation is a list of operands that are pushed in
 * NNAPI's order, then emitted:
 *
 *     hy_push_input(lowering, 0);
 *     hy_push_int(lowering, axis);
 *     hy_emit(lowering, ANEURALNETWORKS_GATHER);
 *
 * The first failure is kept, and from then on every function does nothing, so that a lowering reads
 * as a plain list. What a function then returns is harmless: operand 0, or a tensor of rank 0.
 */
struct hy_lowering {
    const struct hy_graph *graph;
    const struct hy_graph_node *node; /* the node in hand */
    struct hy_lowered_model *model;
    uint32_t *operands; /* tensor -> operand, or one of the above */
    uint32_t operand_count;
    uint32_t *pushed;
    uint32_t pushed_count, pushed_room;
    struct hy_lowering_scalar scalars[HY_LOWERING_SCALARS]; /* the last ones, by their hash */
    struct hy_arena scratch;                                /* of the node in hand */
    bool is_body;                                           /* the graph is the body of a node */
    enum hy_code code;
    struct hy_error *err;
};

/* Makes an empty model, whose graph has the legal nodes of `graph`; on success the caller ends the
 * lowering, and destroys or keeps the model. `budget`: of the model that runs this one as a body;
 * NULL: there is none, and the model may take what the graph has left of its budget. `refusals`: as
 * in hy_legalise. */
HY_MUST_CHECK enum hy_code hy_lowering_begin(struct hy_lowering *lowering,
                                             const struct hy_graph *graph, struct hy_budget *budget,
                                             const struct hy_legal_refusals *refusals,
                                             struct hy_error *err);
void hy_lowering_end(struct hy_lowering *lowering);

/* Adds the operations of a node. The words of a failure do not name the node. */
void hy_lower_node(struct hy_lowering *lowering, const struct hy_graph_node *node);

/* ---- The node in hand ------------------------------------------------------------------------ */

bool hy_has_input(const struct hy_lowering *lowering, uint32_t input);

/* The tensor of an input or output. An input that is left out is a failure. */
const struct hy_graph_tensor *hy_input(struct hy_lowering *lowering, uint32_t input);
const struct hy_graph_tensor *hy_output(struct hy_lowering *lowering, uint32_t output);

/* A failure "`what` has no NNAPI form" unless `holds`. */
void hy_expect(struct hy_lowering *lowering, bool holds, const char *what);

/* Memory for `count` elements of `size` bytes until the next node, not initialised. NULL after a
 * failure; beyond the budget this is one, HY_OUT_OF_MEMORY. */
void *hy_scratch_memory(struct hy_lowering *lowering, uint64_t count, size_t size);

/* The first scale and zero point of a tensor; 1 and 0 where the tensor has none. */
float hy_scale_of(const struct hy_graph_tensor *tensor);
int32_t hy_zero_point_of(const struct hy_graph_tensor *tensor);

/* The zero point of a tensor of 8 bits, from -128 to 255; another one is a failure, and 0. */
int32_t hy_byte_zero_point(struct hy_lowering *lowering, const struct hy_graph_tensor *tensor);

/* Failures that say what is wrong with input `input`. */
void hy_refuse_input(struct hy_lowering *lowering, uint32_t input, const char *what);

/* ---- Operands -------------------------------------------------------------------------------- */

/* The operand of an input or output in its default type, made at first use. */
uint32_t hy_input_operand(struct hy_lowering *lowering, uint32_t input);
uint32_t hy_output_operand(struct hy_lowering *lowering, uint32_t output);

/* A constant input as the filter of an operation on 8 bits: with a scale per channel where the
 * tensor has several, along `channel_axis`, else with one scale for all. */
uint32_t hy_filter_operand(struct hy_lowering *lowering, uint32_t input, uint32_t channel_axis);

/* A constant input as an operand of another NNAPI type, whose elements have the same bytes. */
uint32_t hy_input_operand_as(struct hy_lowering *lowering, uint32_t input, int32_t type);

/* A constant input of int8 with scales along its first dimension, in another shape of that first
 * dimension. */
uint32_t hy_channel_filter_operand_of(struct hy_lowering *lowering, uint32_t input, uint32_t rank,
                                      const uint32_t *extents);

/* An input of int8, or a constant one of uint8 that holds int8, turned into float by a DEQUANTIZE
 * of its own. */
uint32_t hy_dequantised_operand(struct hy_lowering *lowering, uint32_t input);

/* A bias of `count` elements of an NNAPI type: the input's, or zeros where the input is left out.
 * `scale` is for a constant of int32; a bias that a run computes keeps its own. */
uint32_t hy_bias_operand(struct hy_lowering *lowering, uint32_t input, int32_t type, uint32_t count,
                         float scale);

/* A tensor of `rank` dimensions that is left out, of float or of an NNAPI type. */
uint32_t hy_left_out_operand(struct hy_lowering *lowering, uint32_t rank);
uint32_t hy_left_out_operand_of(struct hy_lowering *lowering, int32_t type, uint32_t rank);

/* A value between two operations, with the type and quantisation of `like`, and its shape or
 * another. */
uint32_t hy_temporary_operand(struct hy_lowering *lowering, const struct hy_graph_tensor *like);
uint32_t hy_temporary_operand_of(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                                 uint32_t rank, const uint32_t *extents);

/* A float32 value between two operations, with the shape of `like`. */
uint32_t hy_float_temporary_operand(struct hy_lowering *lowering,
                                    const struct hy_graph_tensor *like);

/* The same of BOOL8. */
uint32_t hy_bool_temporary_operand(struct hy_lowering *lowering,
                                   const struct hy_graph_tensor *like);

/* The real numbers that an input stands for: the input itself where its elements are floats, else
 * the result of a DEQUANTIZE that is added. The operation in hand must be empty. */
uint32_t hy_real_operand(struct hy_lowering *lowering, uint32_t input);

/* A constant of one element or more that is not in the file; `data` is copied. */
uint32_t hy_constant_operand(struct hy_lowering *lowering, const ANeuralNetworksOperandType *type,
                             const void *data, size_t bytes);

/* The same with the type and quantisation of `like`. */
uint32_t hy_constant_operand_like(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                                  uint32_t rank, const uint32_t *extents, const void *data,
                                  size_t bytes);

/* ---- The operation in hand ------------------------------------------------------------------- */

void hy_push(struct hy_lowering *lowering, uint32_t operand);
void hy_push_input(struct hy_lowering *lowering, uint32_t input);
void hy_push_tensor(struct hy_lowering *lowering, uint32_t tensor, const char *what,
                    uint32_t index); /* "`what` `index`" stands before the words of a failure */
uint32_t hy_tensor_operand(struct hy_lowering *lowering, uint32_t tensor, const char *what,
                           uint32_t index);        /* the same without the push */
void hy_push_inputs(struct hy_lowering *lowering); /* all, in their order */
void hy_push_int(struct hy_lowering *lowering, int32_t value);
void hy_push_bool(struct hy_lowering *lowering, bool value);
void hy_push_float(struct hy_lowering *lowering, float value);
void hy_push_ints(struct hy_lowering *lowering, const int32_t *values, uint32_t count);
void hy_push_shape(struct hy_lowering *lowering, const struct hy_graph_tensor *of);
void hy_push_padding(struct hy_lowering *lowering, enum hy_padding padding);

/* A body of the graph, lowered, as an operand. */
void hy_push_body(struct hy_lowering *lowering, uint32_t body);

/* A constant input of one element, as a scalar of the same type; or an input of the graph of one
 * int32 that no operation has taken as a tensor. */
void hy_push_scalar_input(struct hy_lowering *lowering, uint32_t input);

/* A failure where NNAPI has no such fused activation. */
void hy_push_activation(struct hy_lowering *lowering, enum hy_activation activation);

/* A copy of a tensor's operand, for an operand that must not be what it is: an input of a model
 * say. The operation in hand must be empty. */
uint32_t hy_emit_copy(struct hy_lowering *lowering, uint32_t tensor);

/* Adds the operation with the outputs of the node, with one operand as its output, or with a list
 * of them. */
void hy_emit(struct hy_lowering *lowering, int32_t type);
void hy_emit_to(struct hy_lowering *lowering, int32_t type, uint32_t output);
void hy_emit_to_list(struct hy_lowering *lowering, int32_t type, const uint32_t *outputs,
                     uint32_t count);

#endif
