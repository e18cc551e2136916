/* Adds nodes, conversions over float32 and views to a program. */
#ifndef XD_EMIT_H
#define XD_EMIT_H

#include "xd_operands.h"

/*
 * Adds a node from `input` to `output`. Rows are those of the last dimension of the output, dense
 * on both sides. Quantisation comes from the tensors. The caller fills in further members for its
 * kind before adding another node. NULL: out of memory.
 */
struct xd_node *xd_emit(struct xd_build *build, enum xd_kind kind, const struct xd_tensor *input,
                        struct xd_tensor *output);

/* Add a conversion between float32 and a quantised type, with rows as in xd_emit. */
struct xd_node *xd_emit_quantise(struct xd_build *build, const struct xd_tensor *input,
                                 struct xd_tensor *output);
struct xd_node *xd_emit_dequantise(struct xd_build *build, const struct xd_tensor *input,
                                   struct xd_tensor *output);

/* Adds a copy of elements without conversion. */
struct xd_node *xd_emit_copy(struct xd_build *build, const struct xd_tensor *input,
                             struct xd_tensor *output);

/*
 * A detour over float32, for operators that XNNPACK only has in float32. xd_detour_input returns
 * the input, or, for a quantised input, a new float tensor after a conversion. xd_detour_output
 * returns the output of the operator: the real output, or a new float tensor for a quantised
 * output. xd_detour_end converts the float tensor to a quantised output, clamped to `range`, and
 * does nothing if `from` is already the real output. NULL and false: out of memory, or no tensor is
 * left.
 */
struct xd_tensor *xd_detour_input(struct xd_build *build, struct xd_tensor *input);
struct xd_tensor *xd_detour_output(struct xd_build *build, struct xd_tensor *output);
bool xd_detour_end(struct xd_build *build, const struct xd_tensor *from, struct xd_tensor *output,
                   const struct hy_value_range *range);

/* Makes `output` the bytes of `input` in another shape, without a node. A constant is shared.
 * Otherwise one of the two tensors becomes a view of the other. */
void xd_same_bytes(struct xd_build *build, struct xd_tensor *input, struct xd_tensor *output);

/*
 * Makes `part` a view of `whole`, so that the writer of `part` writes into `whole`: `rows` rows,
 * each at `offset` elements from the start of a row of `stride` elements. False: impossible, the
 * caller must copy.
 */
bool xd_alias_part(struct xd_build *build, struct xd_tensor *part, struct xd_tensor *whole,
                   size_t rows, size_t offset, size_t stride);

/* Makes `part` a dense view of `whole`, starting at `offset` elements. */
void xd_view_part(struct xd_build *build, struct xd_tensor *part, struct xd_tensor *whole,
                  size_t offset);

#endif
