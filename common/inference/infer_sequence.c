#include "common/inference/infer_sequence.h"

bool hy_call_has_input(const struct hy_call *call, uint32_t index)
{
    return index < call->input_count && !hy_call_input(call, index)->omitted;
}

static enum hy_code check_shape(const struct hy_call *call, uint32_t index, bool needed,
                                const struct hy_shape *shape, struct hy_error *err)
{
    char actual[HY_SHAPE_TEXT_SIZE], wanted[HY_SHAPE_TEXT_SIZE];

    if (!needed) {
        if (hy_call_has_input(call, index))
            return hy_fail(
                err, HY_FAILED,
                "input %u is given, but the other inputs of the same option are left out", index);
        return HY_OK;
    }
    if (index >= call->input_count)
        return hy_fail(err, HY_FAILED, "input %u does not exist", index);
    enum hy_code code = hy_call_check_rank(call, index, shape->rank, shape->rank, err);
    if (code != HY_OK)
        return code;
    const struct hy_shape *is = &hy_call_input(call, index)->shape;
    if (!hy_shape_equal(is, shape))
        return hy_fail(err, HY_FAILED, "input %u has shape %s, needs %s", index,
                       hy_shape_text(is, actual), hy_shape_text(shape, wanted));
    return HY_OK;
}

enum hy_code hy_call_check_matrix(const struct hy_call *call, uint32_t index, bool needed,
                                  uint32_t rows, uint32_t columns, struct hy_error *err)
{
    return check_shape(call, index, needed, &(struct hy_shape){2, {rows, columns}}, err);
}

enum hy_code hy_call_check_vector(const struct hy_call *call, uint32_t index, bool needed,
                                  uint32_t size, struct hy_error *err)
{
    return check_shape(call, index, needed, &(struct hy_shape){1, {size}}, err);
}

enum hy_code hy_call_cell_activation(const struct hy_call *call, uint32_t index, int32_t *out,
                                     struct hy_error *err)
{
    int32_t value;
    enum hy_code code = hy_call_int(call, index, &value, err);

    if (code != HY_OK)
        return code;
    if (value < 0 || value > 6 || value == 5)
        return hy_fail(err, HY_FAILED, "input %u is %d, not an activation (0 to 4, or 6)", index,
                       value);
    *out = value;
    return HY_OK;
}

enum hy_code hy_sequence_read_input(const struct hy_call *call, struct hy_sequence *sequence,
                                    struct hy_error *err)
{
    const struct hy_shape *shape = &hy_call_input(call, 0)->shape;
    char text[HY_SHAPE_TEXT_SIZE];

    enum hy_code code = hy_call_check_rank(call, 0, sequence->rank, sequence->rank, err);
    if (code != HY_OK)
        return code;
    if (hy_shape_span(shape, 0, shape->rank) == 0)
        return hy_fail(err, HY_FAILED, "input 0 of shape %s is empty", hy_shape_text(shape, text));
    sequence->steps = sequence->rank == 2 ? 1 : shape->dims[!sequence->time_major];
    sequence->batch = sequence->rank == 2 ? shape->dims[0] : shape->dims[sequence->time_major];
    for (uint32_t d = 0; d < sequence->count; d++)
        sequence->directions[d].in_size = shape->dims[sequence->rank - 1];
    return HY_OK;
}

enum hy_code hy_sequence_read_aux(const struct hy_call *call, uint32_t aux, bool joined,
                                  struct hy_sequence *sequence, struct hy_error *err)
{
    char text[HY_SHAPE_TEXT_SIZE], in_text[HY_SHAPE_TEXT_SIZE];

    if (!hy_call_has_input(call, aux))
        return HY_OK;
    enum hy_code code = hy_call_check_rank(call, aux, 3, 3, err);
    if (code != HY_OK)
        return code;
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    const struct hy_shape *shape = &hy_call_input(call, aux)->shape;
    if (shape->dims[0] != in->dims[0] || shape->dims[1] != in->dims[1] || shape->dims[2] == 0)
        return hy_fail(err, HY_FAILED, "auxiliary input %u has shape %s, input 0 has %s", aux,
                       hy_shape_text(shape, text), hy_shape_text(in, in_text));
    if (!joined) {
        sequence->directions[1].in = aux;
        sequence->directions[1].in_size = shape->dims[2];
        return HY_OK;
    }
    for (uint32_t d = 0; d < sequence->count; d++) {
        sequence->directions[d].aux = aux;
        sequence->directions[d].aux_size = shape->dims[2];
    }
    return HY_OK;
}

enum hy_code hy_sequence_number_outputs(const struct hy_call *call, bool merged, uint32_t states,
                                        struct hy_sequence *sequence, struct hy_error *err)
{
    struct hy_direction *forward = &sequence->directions[0], *backward = &sequence->directions[1];
    uint32_t plain = merged ? 1 : 2, all = plain + 2 * states;

    if (call->output_count != plain && call->output_count != all)
        return hy_fail(err, HY_FAILED, "%u outputs, %s needs %u or %u", call->output_count,
                       merged ? "merging" : "not merging", plain, all);
    sequence->gives_states = call->output_count == all;
    forward->state_out = plain;
    backward->state_out = plain + states;
    forward->out_size = forward->sizes[0];
    backward->out_size = backward->sizes[0];
    if (!merged) {
        backward->out = 1;
        return HY_OK;
    }
    if (forward->sizes[0] > UINT32_MAX - backward->sizes[0])
        return hy_fail(err, HY_FAILED, "merged rows of %u and %u elements are too long",
                       forward->sizes[0], backward->sizes[0]);
    backward->out_begin = forward->sizes[0];
    forward->out_size = backward->out_size = forward->sizes[0] + backward->sizes[0];
    return HY_OK;
}

void hy_sequence_shapes(const struct hy_sequence *sequence, struct hy_shape *outputs)
{
    uint32_t first = sequence->time_major ? sequence->steps : sequence->batch;
    uint32_t second = sequence->time_major ? sequence->batch : sequence->steps;

    for (uint32_t d = 0; d < sequence->count; d++) {
        const struct hy_direction *way = &sequence->directions[d];

        outputs[way->out] = sequence->rank == 2
                                ? (struct hy_shape){2, {sequence->batch, way->out_size}}
                                : (struct hy_shape){3, {first, second, way->out_size}};
        for (uint32_t s = 0; sequence->gives_states && s < HY_CELL_STATES && way->sizes[s]; s++)
            outputs[way->state_out + s] = (struct hy_shape){2, {sequence->batch, way->sizes[s]}};
    }
}
