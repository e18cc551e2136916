/* Common parts of the convolutions, TRANSPOSE_CONV_2D and FULLY_CONNECTED. */
#ifndef XD_WEIGHTED_H
#define XD_WEIGHTED_H

#include "xnnpack_driver/xd_operands.h"

/* Operands 0 to 2, checked for types and quantisation; both weights and bias are constant. */
struct xd_weighted {
    struct xd_tensor *input, *weights, *bias;
};

/* Reads operands 0 to 2. `units`: the output dimension of the weights, to which scales per channel
 * belong. False: an operand is refused, and build->reader has the reason. */
bool xd_weighted_read(struct xd_build *build, const struct hy_operation *operation, uint32_t rank,
                      uint32_t units, struct xd_weighted *ret);

/* True if the output scale is within XNNPACK's range of rescaling factors. False: build->reader has
 * the reason. */
bool xd_weighted_fits(struct xd_build *build, const struct hy_operation *operation,
                      const struct xd_weighted *weighted, const struct xd_tensor *output);

/* Chooses one of three kinds by the input's type. */
enum xd_kind xd_weighted_kind(const struct xd_weighted *weighted, enum xd_kind real,
                              enum xd_kind is_unsigned, enum xd_kind is_signed);

/* Sets weights, bias and scales of a node. False: out of memory. */
bool xd_weighted_fill(struct xd_build *build, const struct hy_operation *operation,
                      const struct xd_weighted *weighted, struct xd_node *node);

#endif
