#include "xd_operands.h"

#include <math.h>
#include <string.h>

bool xd_is_quantised(const struct xd_tensor *tensor)
{
    return XD_HAS(XD_Q8, tensor);
}

size_t xd_elements(const struct xd_tensor *tensor, uint32_t from, uint32_t to)
{
    size_t count = 1;
    for (uint32_t i = from; i < to; i++)
        count *= tensor->dims[i];
    return count;
}

size_t xd_all_elements(const struct xd_tensor *tensor)
{
    return xd_elements(tensor, 0, tensor->rank);
}

/* ---- Tensors --------------------------------------------------------------------------------- */

static bool check_shape(struct xd_build *build, const char *side, uint32_t position,
                        struct xd_tensor *tensor)
{
    uint64_t count;
    if (!hy_check_extents(&build->reader, side, position, tensor->rank, tensor->dims, &count))
        return false;
    tensor->bytes = count * hy_tensor_element_size(tensor->type);
    return true;
}

/* XNNPACK takes no subnormal scale. */
static bool check_quantisation(struct xd_build *build, const char *side, uint32_t position,
                               const struct xd_tensor *tensor)
{
    if (XD_HAS(XD_Q8 | XD_QY8, tensor) && fpclassify(tensor->quant.scale) == FP_SUBNORMAL)
        return hy_refuse(&build->reader, "%s %u has scale %g, which is subnormal", side, position,
                         (double)tensor->quant.scale);
    return hy_check_quantisation(&build->reader, side, position, tensor->type, tensor->quant.scale,
                                 tensor->quant.zero);
}

/* The tensor of an operand, of one of these types. `operand` may be NULL. */
static struct xd_tensor *find(struct xd_build *build, const struct hy_operand *operand,
                              const char *side, uint32_t position, uint32_t types)
{
    if (!operand)
        return NULL;
    struct xd_tensor *tensor =
        &build->program->tensors[operand - build->reader.model->main->operands];
    if (XD_HAS(types, tensor))
        return tensor;
    hy_refuse(&build->reader, "%s %u has type %d, which is not supported", side, position,
              operand->type);
    return NULL;
}

/* Constants are read where they lie; what earlier operations fold has its bytes already. */
static bool is_readable(struct xd_build *build, struct xd_tensor *tensor, uint32_t position)
{
    const struct hy_operand *operand =
        &build->reader.model->main->operands[xd_tensor_index(build->program, tensor)];
    const bool is_input = tensor->lifetime == HY_LIFETIME_INPUT && tensor->argument != XD_NO_TENSOR;
    if (tensor->constant || tensor->is_written || is_input)
        return true;
    if (!hy_is_constant(operand))
        return hy_refuse(&build->reader, "input %u is read before it is written", position);
    tensor->constant = hy_read_constant(&build->reader, operand, tensor->bytes);
    return tensor->constant != NULL;
}

struct xd_tensor *xd_input(struct xd_build *build, const struct hy_operation *operation,
                           uint32_t position, uint32_t types)
{
    struct xd_tensor *tensor =
        find(build, hy_read_input(&build->reader, operation, position), "input", position, types);
    if (!tensor || !check_shape(build, "input", position, tensor) ||
        !check_quantisation(build, "input", position, tensor) ||
        !is_readable(build, tensor, position))
        return NULL;
    return tensor;
}

struct xd_tensor *xd_weights(struct xd_build *build, const struct hy_operation *operation,
                             uint32_t position, uint32_t types)
{
    struct xd_tensor *tensor = xd_input(build, operation, position, types);
    if (tensor && !tensor->constant) {
        hy_refuse(&build->reader, "input %u is not constant, XNNPACK needs a constant to pack",
                  position);
        return NULL;
    }
    return tensor;
}

static bool finalize_shape(struct xd_build *build, struct xd_tensor *tensor, uint32_t position,
                           uint32_t rank, const uint32_t *dims)
{
    if (tensor->rank != rank && tensor->rank != 0)
        return hy_refuse(&build->reader, "output %u has rank %u, needs %u", position, tensor->rank,
                         rank);
    for (uint32_t i = 0; i < rank; i++) {
        if (tensor->rank != 0 && tensor->dims[i] != 0 && tensor->dims[i] != dims[i])
            return hy_refuse(&build->reader, "extent %u of output %u is %u, needs %u", i, position,
                             tensor->dims[i], dims[i]);
    }
    tensor->rank = rank;
    memcpy(tensor->dims, dims, rank * sizeof *dims);
    return check_shape(build, "output", position, tensor);
}

struct xd_tensor *xd_output(struct xd_build *build, const struct hy_operation *operation,
                            uint32_t position, int32_t type, uint32_t rank, const uint32_t *dims)
{
    struct xd_tensor *tensor = find(build, hy_read_output(&build->reader, operation, position),
                                    "output", position, XD_TYPE(type) & ~XD_TYPE(XD_NO_TYPE));
    if (!tensor || !finalize_shape(build, tensor, position, rank, dims) ||
        !check_quantisation(build, "output", position, tensor))
        return NULL;
    if ((tensor->lifetime != HY_LIFETIME_TEMPORARY && tensor->lifetime != HY_LIFETIME_OUTPUT) ||
        tensor->is_written) {
        hy_refuse(&build->reader, "output %u cannot be written", position);
        return NULL;
    }
    return tensor;
}

struct xd_tensor *xd_output_like(struct xd_build *build, const struct hy_operation *operation,
                                 const struct xd_tensor *input)
{
    return xd_output(build, operation, 0, input->type, input->rank, input->dims);
}

struct xd_tensor *xd_temporary(struct xd_build *build, int32_t type, const struct xd_tensor *shape)
{
    struct xd_tensor *tensor = xd_program_add_tensor(build->program);
    if (!tensor) {
        hy_refuse(&build->reader, "no memory for an intermediate tensor");
        return NULL;
    }
    tensor->type = type;
    tensor->rank = shape->rank;
    memcpy(tensor->dims, shape->dims, sizeof tensor->dims);
    tensor->bytes = xd_all_elements(shape) * hy_tensor_element_size(type);
    tensor->is_written = true;
    return tensor;
}

/* ---- Constants ------------------------------------------------------------------------------- */

bool xd_list_i32(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                 uint32_t capacity, int32_t *ret, uint32_t *ret_count)
{
    const struct xd_tensor *tensor = xd_input(build, operation, position, XD_I32);
    if (!tensor)
        return false;
    if (!tensor->constant)
        return hy_refuse(&build->reader, "input %u is not constant", position);
    const size_t count = xd_all_elements(tensor);
    if (count > capacity)
        return hy_refuse(&build->reader, "input %u has %zu elements, at most %u fit", position,
                         count, capacity);
    memcpy(ret, tensor->constant, count * sizeof *ret);
    *ret_count = (uint32_t)count;
    return true;
}

/* ---- Conditions ------------------------------------------------------------------------------ */

bool xd_same_quantisation(struct xd_build *build, const struct xd_tensor *input,
                          const struct xd_tensor *output)
{
    if (!XD_HAS(XD_Q8 | XD_QY8, input) ||
        (input->quant.scale == output->quant.scale && input->quant.zero == output->quant.zero))
        return true;
    return hy_refuse(&build->reader, "input 0 has scale %g, zero point %d, output 0 has %g, %d",
                     (double)input->quant.scale, input->quant.zero, (double)output->quant.scale,
                     output->quant.zero);
}

bool xd_ratio_fits(struct xd_build *build, const char *what, float ratio, float low, float high)
{
    return (ratio >= low && ratio < high) ||
           hy_refuse(&build->reader, "the scales of %s are %g, XNNPACK needs %g to %g", what,
                     (double)ratio, (double)low, (double)high);
}
