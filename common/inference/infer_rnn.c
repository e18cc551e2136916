#include "common/inference/infer_rnn.h"
#include "common/inference/infer_rules.h"

#include "common/operations/operation.h"

/* Operand numbers of BIDIRECTIONAL_SEQUENCE_RNN. */
enum { AUX = 9, FORWARD_AUX_WEIGHTS = 10, BACKWARD_AUX_WEIGHTS = 11 };

/* Weights, bias and state of one direction; the length of its input rows must be known. */
static enum hy_code read_cell(const struct hy_call *call, const struct hy_rnn_inputs *inputs,
                              uint32_t batch, struct hy_direction *way, struct hy_error *err)
{
    uint32_t weights = inputs->weights;
    enum hy_code code = hy_call_check_rank(call, weights, 2, 2, err);

    if (code != HY_OK)
        return code;
    uint32_t units = hy_call_input(call, weights)->shape.dims[0];
    if (units == 0)
        return hy_fail(err, HY_FAILED, "input %u has no rows", weights);
    code = hy_call_check_matrix(call, weights, true, units, way->in_size, err);
    if (code == HY_OK)
        code = hy_call_check_matrix(call, weights + 1, true, units, units, err);
    if (code == HY_OK)
        code = hy_call_check_vector(call, weights + 2, true, units, err);
    if (code == HY_OK)
        code = hy_call_check_matrix(call, way->state, true, batch, units, err);
    if (code == HY_OK && inputs->aux_weights)
        code = hy_call_check_matrix(call, inputs->aux_weights, way->aux_size > 0, units,
                                    way->aux_size, err);
    way->sizes[0] = units;
    return code;
}

static enum hy_code read_cells(const struct hy_call *call, struct hy_rnn *rnn, struct hy_error *err)
{
    struct hy_sequence *sequence = &rnn->sequence;
    enum hy_code code = hy_sequence_read_input(call, sequence, err);

    if (code == HY_OK && sequence->count == 2)
        code = hy_sequence_read_aux(call, AUX, hy_call_has_input(call, FORWARD_AUX_WEIGHTS),
                                    sequence, err);
    for (uint32_t d = 0; d < sequence->count && code == HY_OK; d++)
        code = read_cell(call, &rnn->inputs[d], sequence->batch, &sequence->directions[d], err);
    return code;
}

/* RNN, and the sequence in one direction. */
static enum hy_code read_forward(const struct hy_call *call, struct hy_rnn *rnn,
                                 struct hy_error *err)
{
    bool single = call->operation == HY_OP_RNN;
    int32_t time_major = 1;

    *rnn = (struct hy_rnn){
        .sequence = {.count = 1, .rank = single ? 2 : 3, .directions = {{.state = 4}}},
        .inputs = {{.weights = 1}},
    };
    enum hy_code code = hy_call_cell_activation(call, 5, &rnn->activation, err);
    if (code == HY_OK && !single)
        code = hy_call_int(call, 6, &time_major, err);
    if (code == HY_OK && (time_major < 0 || time_major > 1))
        code = hy_fail(err, HY_FAILED, "input 6 is %d, needs 0 or 1", time_major);
    rnn->sequence.time_major = time_major;
    if (code == HY_OK)
        code = read_cells(call, rnn, err);

    struct hy_direction *way = &rnn->sequence.directions[0];
    way->out = single ? 1 : 0;
    way->state_out = single ? 0 : 1;
    way->out_size = way->sizes[0];
    rnn->sequence.gives_states = call->output_count > 1;
    return code;
}

static enum hy_code read_both_ways(const struct hy_call *call, struct hy_rnn *rnn,
                                   struct hy_error *err)
{
    bool merged = false;

    *rnn = (struct hy_rnn){
        .sequence = {.count = 2, .rank = 3, .directions = {{.state = 4}, {.state = 8}}},
        .inputs = {{1, FORWARD_AUX_WEIGHTS}, {5, BACKWARD_AUX_WEIGHTS}},
    };
    enum hy_code code = hy_call_cell_activation(call, 12, &rnn->activation, err);
    if (code == HY_OK)
        code = hy_call_bool(call, 13, &rnn->sequence.time_major, err);
    if (code == HY_OK)
        code = hy_call_bool(call, 14, &merged, err);
    if (code == HY_OK)
        code = read_cells(call, rnn, err);
    if (code == HY_OK)
        code = hy_sequence_number_outputs(call, merged, 1, &rnn->sequence, err);
    return code;
}

enum hy_code hy_rnn_read(const struct hy_call *call, struct hy_rnn *rnn, struct hy_error *err)
{
    struct hy_rnn read;
    bool both = call->operation == HY_OP_BIDIRECTIONAL_SEQUENCE_RNN;
    enum hy_code code = both ? read_both_ways(call, &read, err) : read_forward(call, &read, err);

    if (code == HY_OK)
        *rnn = read;
    return code;
}

enum hy_code hy_infer_rnn(const struct hy_call *call, struct hy_shape *outputs,
                          struct hy_error *err)
{
    struct hy_rnn rnn;
    enum hy_code code = hy_rnn_read(call, &rnn, err);

    if (code == HY_OK)
        hy_sequence_shapes(&rnn.sequence, outputs);
    return code;
}

/* Checks the ranks of the three inputs with sizes, and that no size is 0. */
static enum hy_code read_svdf_sizes(const struct hy_call *call, struct hy_svdf *svdf,
                                    struct hy_error *err)
{
    const uint32_t *in = hy_call_input(call, 0)->shape.dims;
    const uint32_t *times = hy_call_input(call, 2)->shape.dims;

    enum hy_code code = hy_call_check_rank(call, 0, 2, 2, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 2, 2, 2, err);
    if (code != HY_OK)
        return code;
    svdf->batch = in[0];
    svdf->inputs = in[1];
    svdf->filters = times[0];
    svdf->memory = times[1];
    if (!svdf->batch || !svdf->inputs || !svdf->filters || !svdf->memory)
        return hy_fail(err, HY_FAILED, "inputs of [%u, %u] and [%u, %u] are empty", svdf->batch,
                       svdf->inputs, svdf->filters, svdf->memory);
    return HY_OK;
}

static enum hy_code check_svdf_shapes(const struct hy_call *call, const struct hy_svdf *svdf,
                                      struct hy_error *err)
{
    uint64_t state = (uint64_t)svdf->filters * svdf->memory;

    if (state > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "%u filters of %u values are too many", svdf->filters,
                       svdf->memory);
    enum hy_code code = hy_call_check_matrix(call, 1, true, svdf->filters, svdf->inputs, err);
    if (code == HY_OK)
        code = hy_call_check_vector(call, 3, hy_call_has_input(call, 3), svdf->units, err);
    if (code == HY_OK)
        code = hy_call_check_matrix(call, 4, true, svdf->batch, (uint32_t)state, err);
    return code;
}

enum hy_code hy_svdf_read(const struct hy_call *call, struct hy_svdf *svdf, struct hy_error *err)
{
    struct hy_svdf read = {0};
    enum hy_code code = read_svdf_sizes(call, &read, err);

    if (code == HY_OK)
        code = hy_call_size(call, 5, 1, &read.rank, err);
    if (code == HY_OK && call->operation == HY_OP_SVDF)
        code = hy_call_cell_activation(call, 6, &read.activation, err);
    if (code != HY_OK)
        return code;
    if (read.filters % read.rank != 0)
        return hy_fail(err, HY_FAILED, "%u filters do not divide by rank %u", read.filters,
                       read.rank);
    read.units = read.filters / read.rank;
    code = check_svdf_shapes(call, &read, err);
    if (code == HY_OK)
        *svdf = read;
    return code;
}

enum hy_code hy_infer_svdf(const struct hy_call *call, struct hy_shape *outputs,
                           struct hy_error *err)
{
    struct hy_svdf svdf;
    enum hy_code code = hy_svdf_read(call, &svdf, err);

    if (code != HY_OK)
        return code;
    outputs[0] = (struct hy_shape){2, {svdf.batch, svdf.filters * svdf.memory}};
    outputs[1] = (struct hy_shape){2, {svdf.batch, svdf.units}};
    return HY_OK;
}
