#include "operands.h"

#include <math.h>
#include <string.h>

size_t xd_element_size(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
    case ANEURALNETWORKS_TENSOR_INT32:
        return 4;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return 2;
    default:
        return 1;
    }
}

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

static bool check_shape(struct xd_source *source, const char *side, uint32_t position,
                        struct xd_tensor *tensor)
{
    if (tensor->rank < 1 || tensor->rank > XD_MAX_RANK)
        return xd_refuse(source, "%s %u has rank %u, needs 1 to %u", side, position, tensor->rank,
                         XD_MAX_RANK);
    uint64_t count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->dims[i] == 0)
            return xd_refuse(source, "extent %u of %s %u is not known", i, side, position);
        count *= tensor->dims[i]; /* both factors are below 2^32 */
        if (count > XD_MAX_ELEMENTS)
            return xd_refuse(source, "%s %u has more than %llu elements", side, position,
                             (unsigned long long)XD_MAX_ELEMENTS);
    }
    tensor->bytes = count * xd_element_size(tensor->type);
    return true;
}

static bool check_quantisation(struct xd_source *source, const char *side, uint32_t position,
                               const struct xd_tensor *tensor)
{
    if (!XD_HAS(XD_Q8 | XD_QY8, tensor))
        return true;
    const int32_t low = XD_HAS(XD_QU8, tensor) ? 0 : INT8_MIN;
    const int32_t high = XD_HAS(XD_QU8, tensor) ? UINT8_MAX : INT8_MAX;
    if (!isnormal(tensor->quant.scale) || tensor->quant.scale < 0 || tensor->quant.zero < low ||
        tensor->quant.zero > high)
        return xd_refuse(source, "%s %u has scale %g, zero point %d", side, position,
                         (double)tensor->quant.scale, tensor->quant.zero);
    return true;
}

static struct xd_tensor *find(struct xd_build *build, const uint32_t *indices, uint32_t position,
                              const char *side, uint32_t types)
{
    const uint32_t count = build->source.model->main->operand_count;
    if (indices[position] >= count) {
        xd_refuse(&build->source, "%s %u is operand %u of %u", side, position, indices[position],
                  count);
        return NULL;
    }
    struct xd_tensor *tensor = &build->program->tensors[indices[position]];
    if (tensor->lifetime == HY_LIFETIME_NO_VALUE || tensor->lifetime == HY_LIFETIME_SUBGRAPH) {
        xd_refuse(&build->source, "%s %u is left out", side, position);
        return NULL;
    }
    if (!XD_HAS(types, tensor)) {
        xd_refuse(&build->source, "%s %u has a type that is not supported here (%d)", side,
                  position, build->source.model->main->operands[indices[position]].type);
        return NULL;
    }
    return tensor;
}

/* Constants are read where they lie; what earlier operations fold has its bytes already. */
static bool is_readable(struct xd_build *build, struct xd_tensor *tensor, uint32_t position)
{
    const struct hy_operand *operand =
        &build->source.model->main->operands[xd_tensor_index(build->program, tensor)];
    const bool is_input = tensor->lifetime == HY_LIFETIME_INPUT && tensor->argument != XD_NO_TENSOR;
    if (tensor->constant || tensor->is_written || is_input)
        return true;
    if (!xd_is_constant(operand))
        return xd_refuse(&build->source, "input %u is read before it is written", position);
    tensor->constant = xd_constant(&build->source, operand, tensor->bytes);
    return tensor->constant != NULL;
}

struct xd_tensor *xd_input(struct xd_build *build, const struct hy_operation *operation,
                           uint32_t position, uint32_t types)
{
    struct xd_tensor *tensor = find(build, operation->inputs, position, "input", types);
    if (!tensor || !check_shape(&build->source, "input", position, tensor) ||
        !check_quantisation(&build->source, "input", position, tensor) ||
        !is_readable(build, tensor, position))
        return NULL;
    return tensor;
}

struct xd_tensor *xd_weights(struct xd_build *build, const struct hy_operation *operation,
                             uint32_t position, uint32_t types)
{
    struct xd_tensor *tensor = xd_input(build, operation, position, types);
    if (tensor && !tensor->constant) {
        xd_refuse(&build->source, "input %u is not constant, and XNNPACK packs it beforehand",
                  position);
        return NULL;
    }
    return tensor;
}

static bool settle_shape(struct xd_build *build, struct xd_tensor *tensor, uint32_t position,
                         uint32_t rank, const uint32_t *dims)
{
    if (tensor->rank != rank && tensor->rank != 0)
        return xd_refuse(&build->source, "output %u has rank %u, needs %u", position, tensor->rank,
                         rank);
    for (uint32_t i = 0; i < rank; i++) {
        if (tensor->rank != 0 && tensor->dims[i] != 0 && tensor->dims[i] != dims[i])
            return xd_refuse(&build->source, "extent %u of output %u is %u, needs %u", i, position,
                             tensor->dims[i], dims[i]);
    }
    tensor->rank = rank;
    memcpy(tensor->dims, dims, rank * sizeof *dims);
    return check_shape(&build->source, "output", position, tensor);
}

struct xd_tensor *xd_output(struct xd_build *build, const struct hy_operation *operation,
                            uint32_t position, int32_t type, uint32_t rank, const uint32_t *dims)
{
    struct xd_tensor *tensor =
        find(build, operation->outputs, position, "output", XD_TYPE(type) & ~XD_TYPE(XD_NO_TYPE));
    if (!tensor || !settle_shape(build, tensor, position, rank, dims) ||
        !check_quantisation(&build->source, "output", position, tensor))
        return NULL;
    if ((tensor->lifetime != HY_LIFETIME_TEMPORARY && tensor->lifetime != HY_LIFETIME_OUTPUT) ||
        tensor->is_written) {
        xd_refuse(&build->source, "output %u cannot be written", position);
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
        xd_refuse(&build->source, "there is no room for intermediates");
        return NULL;
    }
    tensor->type = type;
    tensor->rank = shape->rank;
    memcpy(tensor->dims, shape->dims, sizeof tensor->dims);
    tensor->bytes = xd_all_elements(shape) * xd_element_size(type);
    tensor->is_written = true;
    return tensor;
}

/* ---- Constants ------------------------------------------------------------------------------- */

static const struct hy_operand *operand_at(struct xd_build *build,
                                           const struct hy_operation *operation, uint32_t position)
{
    const struct hy_subgraph *graph = build->source.model->main;
    const uint32_t index = operation->inputs[position];
    if (index < graph->operand_count)
        return &graph->operands[index];
    xd_refuse(&build->source, "input %u is operand %u of %u", position, index,
              graph->operand_count);
    return NULL;
}

static bool scalar(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                   int32_t type, void *ret, size_t size)
{
    const struct hy_operand *operand = operand_at(build, operation, position);
    if (!operand)
        return false;
    if (operand->type != type)
        return xd_refuse(&build->source, "input %u has type %d, needs the scalar type %d", position,
                         operand->type, type);
    if (!xd_is_constant(operand))
        return xd_refuse(&build->source, "input %u is not constant", position);
    const uint8_t *bytes = xd_constant(&build->source, operand, size);
    if (bytes)
        memcpy(ret, bytes, size);
    return bytes != NULL;
}

bool xd_scalar_i32(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                   int32_t *ret)
{
    return scalar(build, operation, position, ANEURALNETWORKS_INT32, ret, sizeof *ret);
}

bool xd_scalar_f32(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                   float *ret)
{
    return scalar(build, operation, position, ANEURALNETWORKS_FLOAT32, ret, sizeof *ret);
}

bool xd_scalar_bool(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                    bool *ret)
{
    uint8_t byte = 0;
    if (!scalar(build, operation, position, ANEURALNETWORKS_BOOL, &byte, sizeof byte))
        return false;
    *ret = byte != 0;
    return true;
}

bool xd_list_i32(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                 uint32_t room, int32_t *ret, uint32_t *ret_count)
{
    const struct xd_tensor *tensor = xd_input(build, operation, position, XD_I32);
    if (!tensor)
        return false;
    if (!tensor->constant)
        return xd_refuse(&build->source, "input %u is not constant", position);
    const size_t count = xd_all_elements(tensor);
    if (count > room)
        return xd_refuse(&build->source, "input %u has %zu elements, at most %u fit", position,
                         count, room);
    memcpy(ret, tensor->constant, count * sizeof *ret);
    *ret_count = (uint32_t)count;
    return true;
}

bool xd_is_left_out(const struct xd_build *build, const struct hy_operation *operation,
                    uint32_t position)
{
    const struct hy_subgraph *graph = build->source.model->main;
    const uint32_t index = operation->inputs[position];
    return index < graph->operand_count && graph->operands[index].lifetime == HY_LIFETIME_NO_VALUE;
}

bool xd_axis(struct xd_build *build, int32_t value, uint32_t rank, uint32_t *ret)
{
    const int64_t axis = value < 0 ? (int64_t)value + rank : value;
    if (axis < 0 || axis >= rank)
        return xd_refuse(&build->source, "the axis is %d at rank %u", value, rank);
    *ret = (uint32_t)axis;
    return true;
}

/* ---- Conditions ------------------------------------------------------------------------------ */

bool xd_needs_nhwc(struct xd_build *build, const struct hy_operation *operation, uint32_t position)
{
    bool channels_first = false;
    if (position >= operation->input_count)
        return true;
    if (!xd_scalar_bool(build, operation, position, &channels_first))
        return false;
    return !channels_first || xd_refuse(&build->source, "channels first (NCHW) is not supported");
}

bool xd_same_quantisation(struct xd_build *build, const struct xd_tensor *input,
                          const struct xd_tensor *output)
{
    if (!XD_HAS(XD_Q8 | XD_QY8, input) ||
        (input->quant.scale == output->quant.scale && input->quant.zero == output->quant.zero))
        return true;
    return xd_refuse(&build->source, "input 0 has scale %g, zero point %d, output 0 has %g, %d",
                     (double)input->quant.scale, input->quant.zero, (double)output->quant.scale,
                     output->quant.zero);
}

bool xd_ratio_fits(struct xd_build *build, const char *what, float ratio, float low, float high)
{
    return (ratio >= low && ratio < high) ||
           xd_refuse(&build->source, "the scales of %s are %g, XNNPACK needs %g to %g", what,
                     (double)ratio, (double)low, (double)high);
}
