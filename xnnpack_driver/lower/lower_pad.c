/* PAD and PAD_V2: elements of 1, 2 or 4 bytes, which XNNPACK does not interpret. */
#include "lowerings.h"

#include "xnnpack_driver/emit.h"

#include <string.h>

#define MAX_PAD_LIST (2 * XD_MAX_DIMS)

static bool read_pads(struct xd_build *build, const struct hy_operation *operation,
                      const struct xd_tensor *input, struct xd_dims *shapes, uint32_t *dims)
{
    int32_t pads[MAX_PAD_LIST];
    uint32_t count = 0;
    if (!xd_list_i32(build, operation, 1, MAX_PAD_LIST, pads, &count))
        return false;
    if (count != 2 * input->rank)
        return hy_refuse(&build->reader, "%u pads do not match an input of rank %u", count,
                         input->rank);
    shapes->rank[0] = input->rank;
    const int32_t *own = pads;
    for (uint32_t i = 0; i < input->rank; i++, own += 2) {
        const int32_t before = own[0], after = own[1];
        const int64_t extent = (int64_t)input->dims[i] + before + after;
        if (before < 0 || after < 0 || extent > (int64_t)XD_MAX_ELEMENTS)
            return hy_refuse(&build->reader, "pads %d and %d of dimension %u are not supported",
                             before, after, i);
        shapes->dims[0][i] = input->dims[i];
        shapes->before[i] = (size_t)before;
        shapes->after[i] = (size_t)after;
        dims[i] = (uint32_t)extent;
    }
    return true;
}

/* What is stored around the input: real zero, or the value of PAD_V2, which for bytes is a byte. */
static bool read_value(struct xd_build *build, const struct hy_operation *operation,
                       const struct xd_tensor *input, uint32_t *bits)
{
    const int32_t low = XD_HAS(XD_QU8, input) ? 0 : INT8_MIN;
    int32_t byte = input->quant.zero;
    float real = 0;
    if (operation->type == ANEURALNETWORKS_PAD_V2 &&
        !(xd_is_quantised(input) ? hy_read_i32(&build->reader, operation, 2, &byte)
                                 : hy_read_f32(&build->reader, operation, 2, &real)))
        return false;
    if (!xd_is_quantised(input)) {
        memcpy(bits, &real, sizeof real);
        return true;
    }
    *bits = (uint8_t)byte;
    return (byte >= low && byte <= low + UINT8_MAX) ||
           hy_refuse(&build->reader,
                     "the padding value is %d, which the type of the input cannot hold", byte);
}

bool xd_lower_pad(struct xd_build *build, const struct hy_operation *operation)
{
    const bool is_zero = operation->type == ANEURALNETWORKS_PAD;
    struct xd_tensor *input = xd_input(build, operation, 0, is_zero ? XD_MAIN | XD_F16 : XD_MAIN);
    struct xd_dims shapes = {0};
    uint32_t dims[XD_MAX_DIMS], bits = 0;
    if (!input || !read_pads(build, operation, input, &shapes, dims) ||
        !read_value(build, operation, input, &bits))
        return false;
    struct xd_tensor *output = xd_output(build, operation, 0, input->type, input->rank, dims);
    if (!output || !xd_same_quantisation(build, input, output))
        return false;

    struct xd_node *node = xd_emit(build,
                                   XD_HAS(XD_F32, input)   ? XD_KIND_constant_pad_nd_x32
                                   : XD_HAS(XD_F16, input) ? XD_KIND_constant_pad_nd_x16
                                                           : XD_KIND_constant_pad_nd_x8,
                                   input, output);
    if (!node)
        return false;
    node->shapes = shapes;
    node->pad_value = bits;
    return true;
}
