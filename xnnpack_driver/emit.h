/* Adding to a program: nodes, detours over float, and tensors that need no node. */
#ifndef XD_EMIT_H
#define XD_EMIT_H

#include "xd_operands.h"

/*
 * A node from `input` to `output`: rows of the output's last dimension, dense on both sides, with
 * the quantisation of both. The caller fills in what else its kind needs, before it emits another.
 */
struct xd_node *xd_emit(struct xd_build *build, enum xd_kind kind, const struct xd_tensor *input,
                        struct xd_tensor *output);

/* float32 to or from a quantised type; rows as in xd_emit. */
struct xd_node *xd_emit_quantise(struct xd_build *build, const struct xd_tensor *input,
                                 struct xd_tensor *output);
struct xd_node *xd_emit_dequantise(struct xd_build *build, const struct xd_tensor *input,
                                   struct xd_tensor *output);

/* A copy of elements as they are. */
struct xd_node *xd_emit_copy(struct xd_build *build, const struct xd_tensor *input,
                             struct xd_tensor *output);

/*
 * A detour over float32 for operators that XNNPACK has in no other type. With a quantised input
 * `begin` emits its conversion and gives the float tensor, else the input itself; `end` takes the
 * operator's float output (made by xd_detour_output) to the real one, clamped to `range`.
 */
struct xd_tensor *xd_detour_input(struct xd_build *build, struct xd_tensor *input);
struct xd_tensor *xd_detour_output(struct xd_build *build, struct xd_tensor *output);
bool xd_detour_end(struct xd_build *build, const struct xd_tensor *from, struct xd_tensor *output,
                   const struct hy_value_range *range);

/* `output` has the bytes of `input`, in another shape: a view where that is possible. */
void xd_same_bytes(struct xd_build *build, struct xd_tensor *input, struct xd_tensor *output);

/*
 * `part` is written where it lies in `whole`: `rows` rows, `offset` elements from the start of a
 * row of `stride` elements. False: that is not possible, so a copy is needed.
 */
bool xd_alias_part(struct xd_build *build, struct xd_tensor *part, struct xd_tensor *whole,
                   size_t rows, size_t offset, size_t stride);

/* `part` is read where it lies in `whole`, dense. */
void xd_view_part(struct xd_build *build, struct xd_tensor *part, struct xd_tensor *whole,
                  size_t offset);

#endif
