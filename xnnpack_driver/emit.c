#include "emit.h"

#include "range.h"

/* ---- Nodes ----------------------------------------------------------------------------------- */

struct xd_node *xd_emit(struct xd_build *build, enum xd_kind kind, const struct xd_tensor *input,
                        struct xd_tensor *output)
{
    struct xd_program *program = build->program;
    struct xd_node *node = xd_program_add_node(program);
    if (!node) {
        hy_refuse_exhausted(&build->reader);
        return NULL;
    }
    const size_t channels = output->dims[output->rank - 1];
    node->kind = kind;
    node->inputs[0] = xd_tensor_index(program, input);
    node->inputs[1] = XD_NO_TENSOR;
    node->output = xd_tensor_index(program, output);
    node->rows = xd_all_elements(output) / channels;
    node->channels = node->depth = channels;
    node->input_stride = node->output_stride = channels;
    node->in[0] = input->quant;
    node->out = output->quant;
    node->range = hy_full_range(output->type);
    node->work = xd_all_elements(output);
    output->writer = program->node_count - 1;
    return node;
}

struct xd_node *xd_emit_quantise(struct xd_build *build, const struct xd_tensor *input,
                                 struct xd_tensor *output)
{
    return xd_emit(build,
                   XD_HAS(XD_QU8, output) ? XD_KIND_convert_nc_f32_qu8 : XD_KIND_convert_nc_f32_qs8,
                   input, output);
}

struct xd_node *xd_emit_dequantise(struct xd_build *build, const struct xd_tensor *input,
                                   struct xd_tensor *output)
{
    return xd_emit(build,
                   XD_HAS(XD_QU8, input) ? XD_KIND_convert_nc_qu8_f32 : XD_KIND_convert_nc_qs8_f32,
                   input, output);
}

struct xd_node *xd_emit_copy(struct xd_build *build, const struct xd_tensor *input,
                             struct xd_tensor *output)
{
    static const enum xd_kind kinds[] = {
        [1] = XD_KIND_copy_nc_x8, [2] = XD_KIND_copy_nc_x16, [4] = XD_KIND_copy_nc_x32};
    return xd_emit(build, kinds[hy_tensor_element_size(input->type)], input, output);
}

/* ---- Detours --------------------------------------------------------------------------------- */

struct xd_tensor *xd_detour_input(struct xd_build *build, struct xd_tensor *input)
{
    if (!xd_is_quantised(input))
        return input;
    struct xd_tensor *real = xd_temporary(build, ANEURALNETWORKS_TENSOR_FLOAT32, input);
    return real && xd_emit_dequantise(build, input, real) ? real : NULL;
}

struct xd_tensor *xd_detour_output(struct xd_build *build, struct xd_tensor *output)
{
    if (!xd_is_quantised(output))
        return output;
    return xd_temporary(build, ANEURALNETWORKS_TENSOR_FLOAT32, output);
}

bool xd_detour_end(struct xd_build *build, const struct xd_tensor *from, struct xd_tensor *output,
                   const struct hy_value_range *range)
{
    if (from == output)
        return true;
    struct xd_node *node = xd_emit_quantise(build, from, output);
    if (node)
        node->range = *range;
    return node != NULL;
}

/* ---- Views ----------------------------------------------------------------------------------- */

/*
 * The tensor whose node could as well write elsewhere: where `tensor` lies, if nothing else is
 * there and nobody but one reader wants it. NULL: there is none.
 */
static struct xd_tensor *movable(struct xd_program *program, struct xd_tensor *tensor)
{
    for (;;) {
        struct xd_tensor *base = &program->tensors[tensor->base];
        if (tensor->lifetime != HY_LIFETIME_TEMPORARY || tensor->readers > 1 || tensor->constant)
            return NULL;
        if (base == tensor)
            break;
        if (tensor->offset != 0 || tensor->row_stride != 0 || base->bytes != tensor->bytes)
            return NULL;
        tensor = base;
    }
    return tensor->writer != UINT32_MAX || tensor->has_parts ? tensor : NULL;
}

static void make_view(struct xd_build *build, struct xd_tensor *tensor, struct xd_tensor *base,
                      uint64_t offset)
{
    tensor->base = xd_tensor_index(build->program, base);
    tensor->offset = offset;
}

void xd_same_bytes(struct xd_build *build, struct xd_tensor *input, struct xd_tensor *output)
{
    struct xd_tensor *origin =
        output->lifetime == HY_LIFETIME_OUTPUT ? movable(build->program, input) : NULL;
    if (input->constant) {
        output->constant = input->constant;
        output->is_padded = input->is_padded;
    } else if (origin) {
        make_view(build, origin, output, 0);
        output->has_parts = true;
    } else {
        make_view(build, output, input, 0);
    }
}

bool xd_alias_part(struct xd_build *build, struct xd_tensor *part, struct xd_tensor *whole,
                   size_t rows, size_t offset, size_t stride)
{
    struct xd_tensor *origin = movable(build->program, part);
    if (!origin)
        return false;
    if (rows > 1) {
        const struct xd_node *node =
            origin->has_parts ? NULL : &build->program->nodes[origin->writer];
        if (!node || xd_node_output_form(node) == XD_OUTPUT_DENSE ||
            node->channels != xd_all_elements(part) / rows)
            return false;
        origin->row_stride = stride;
    }
    make_view(build, origin, whole, offset * hy_tensor_element_size(whole->type));
    whole->has_parts = true;
    return true;
}

void xd_view_part(struct xd_build *build, struct xd_tensor *part, struct xd_tensor *whole,
                  size_t offset)
{
    make_view(build, part, whole, offset * hy_tensor_element_size(whole->type));
}
