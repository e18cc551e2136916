#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

/* z = q^2 -> atan(q) / q for q from 0 to 1, within 2e-7: fitted by least squares that are weighted
 * anew until the largest error is the least. */
static const float coefficients[] = {
    0.9999999847646414f,   -0.3333307333044354f,  0.19992619082664237f,
    -0.14203641981037043f, 0.1064092421901531f,   -0.07504273546327722f,
    0.04269127046844834f,  -0.01606847548451787f, 0.002849851173885337f};

/* The angle between an axis and the point, from 0 to a quarter of pi: the quotient of the smaller
 * by the larger coordinate, which is not 0. */
static uint32_t smaller_angle(struct hy_lowering *lowering, uint32_t x_size, uint32_t y_size,
                              const struct hy_graph_tensor *like)
{
    const uint32_t least = hy_emit_binary(lowering, ANEURALNETWORKS_MINIMUM, x_size, y_size, like);
    uint32_t most = hy_emit_binary(lowering, ANEURALNETWORKS_MAXIMUM, x_size, y_size, like);
    most = hy_emit_binary(lowering, ANEURALNETWORKS_MAXIMUM, most,
                          hy_number_operand(lowering, 0x1p-126f), like);
    const uint32_t ratio = hy_emit_binary(lowering, ANEURALNETWORKS_DIV, least, most, like);
    const uint32_t square = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, ratio, ratio, like);
    const uint32_t factor = hy_emit_polynomial(lowering, square, coefficients,
                                               sizeof coefficients / sizeof *coefficients, like);
    return hy_emit_binary(lowering, ANEURALNETWORKS_MUL, ratio, factor, like);
}

/* The angle of the point (x, y) = (input 1, input 0): that in the first octant, turned over where
 * y is the larger, then where x is negative, then where y is. */
void hy_lower_atan2(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *like = hy_output(lowering, 0);
    const uint32_t y = hy_input_operand(lowering, 0), x = hy_input_operand(lowering, 1);
    const uint32_t y_size = hy_emit_unary(lowering, ANEURALNETWORKS_ABS, y, like);
    const uint32_t x_size = hy_emit_unary(lowering, ANEURALNETWORKS_ABS, x, like);
    const uint32_t zero = hy_number_operand(lowering, 0.0f);
    uint32_t angle = smaller_angle(lowering, x_size, y_size, like);

    const uint32_t steep = hy_emit_compare(lowering, ANEURALNETWORKS_GREATER, y_size, x_size, like);
    uint32_t turned = hy_emit_binary(lowering, ANEURALNETWORKS_SUB,
                                     hy_number_operand(lowering, 1.57079633f), angle, like);
    angle = hy_emit_select(lowering, steep, turned, angle, like);

    const uint32_t left = hy_emit_compare(lowering, ANEURALNETWORKS_LESS, x, zero, like);
    turned = hy_emit_binary(lowering, ANEURALNETWORKS_SUB, hy_number_operand(lowering, 3.14159265f),
                            angle, like);
    angle = hy_emit_select(lowering, left, turned, angle, like);

    const uint32_t below = hy_emit_compare(lowering, ANEURALNETWORKS_LESS, y, zero, like);
    turned = hy_emit_unary(lowering, ANEURALNETWORKS_NEG, angle, like);
    hy_push(lowering, below);
    hy_push(lowering, turned);
    hy_push(lowering, angle);
    hy_emit(lowering, ANEURALNETWORKS_SELECT);
}
