#ifndef HY_LIBHALYARD_SESSION_BORDER_H
#define HY_LIBHALYARD_SESSION_BORDER_H

#include "libhalyard/session/network.h"

/*
 * The border between the tensors of a network and those of its NNAPI model: int64 is narrowed to
 * int32 and widened again, outputs that no operation computes are copied. Tensors of other types
 * are bound without a copy.
 */
struct hy_border;

/* A tensor's contents, in the type of the network: memory of the caller, of exactly its bytes. */
struct hy_buffer {
    void *bytes;
    size_t length;
};

/* `network` and the buffers, one per input and output of the network's graph, outlive the border.
 */
HY_MUST_CHECK enum hy_code hy_border_create(const struct hy_network *network,
                                            const struct hy_buffer *inputs,
                                            const struct hy_buffer *outputs, struct hy_border **out,
                                            struct hy_error *err);
void hy_border_destroy(struct hy_border *border); /* takes NULL */

/* Sets the inputs and outputs of an execution of the network's NNAPI model. */
HY_MUST_CHECK enum hy_code hy_border_bind(const struct hy_border *border,
                                          ANeuralNetworksExecution *execution,
                                          struct hy_error *err);

/* Before a run: HY_BAD_DATA names an input with a number that needs more than 32 bits. */
HY_MUST_CHECK enum hy_code hy_border_enter(const struct hy_border *border, struct hy_error *err);

/* After a run that succeeded. */
void hy_border_leave(const struct hy_border *border);

#endif
