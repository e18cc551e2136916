/* Operators with a state. */
#include "tests/tools/operators/op_draft.h"

static void take(struct hy_op_draft *draft, uint32_t rank, int32_t rows, int32_t columns)
{
    const struct hy_op_tensor values =
        hy_op_of(draft, HY_TFLITE_FLOAT32, rank, (const int32_t[]){rows, columns});
    hy_op_constant(draft, &values);
}

static void take_gates(struct hy_op_draft *draft, bool coupled, uint32_t rank, int32_t rows,
                       int32_t columns)
{
    if (coupled)
        hy_op_nothing(draft);
    for (uint32_t gate = coupled; gate < 4; gate++)
        take(draft, rank, rows, columns);
}

/* Gates of input and forget may be coupled, the output may be projected, norms of layers are left
 * out. */
void hy_op_sequence_lstm(struct hy_op_draft *draft)
{
    const int32_t batch = hy_op_between(draft, 1, 3), steps = hy_op_between(draft, 1, 5);
    const int32_t features = hy_op_between(draft, 1, 20), cells = hy_op_between(draft, 1, 20);
    const bool coupled = hy_op_pick(draft, 3) == 0, peephole = hy_op_pick(draft, 3) == 0;
    const bool projected = hy_op_pick(draft, 3) == 0, time_major = hy_op_pick(draft, 2);
    const int32_t units = projected ? hy_op_between(draft, 1, 9) : cells;
    const int32_t rows = time_major ? steps : batch, columns = time_major ? batch : steps;
    const struct hy_op_tensor x =
        hy_op_of(draft, draft->type, 3, (const int32_t[]){rows, columns, features});
    const struct hy_op_tensor state = hy_op_shaped(&x, 2, (const int32_t[]){batch, units});
    const struct hy_op_tensor cell = hy_op_shaped(&x, 2, (const int32_t[]){batch, cells});
    const struct hy_op_tensor y = hy_op_shaped(&x, 3, (const int32_t[]){rows, columns, units});

    hy_op_input(draft, &x);
    take_gates(draft, coupled, 2, cells, features);
    take_gates(draft, coupled, 2, cells, units);
    for (int gate = 0; gate < 3; gate++) {
        if (peephole && !(coupled && gate == 0))
            take(draft, 1, cells, 1);
        else
            hy_op_nothing(draft);
    }
    take_gates(draft, coupled, 1, cells, 1);
    if (projected)
        take(draft, 2, units, cells);
    else
        hy_op_nothing(draft);
    hy_op_nothing(draft); /* bias of the projection */
    hy_op_state(draft, &state);
    hy_op_state(draft, &cell);
    hy_op_options(draft, HY_TFLITE_OPTIONS_UNIDIRECTIONAL_SEQUENCE_LSTM);
    hy_op_option(draft, 0, 1, HY_TFLITE_ACTIVATION_TANH);
    hy_op_option(draft, 3, 1, time_major);
    hy_op_output(draft, &y);
}
