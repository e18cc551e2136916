#include "libhalyard/graph/shapes/shape_rules.h"

/* The inputs that determine the number of units. */
enum {
    LSTM_RECURRENT_TO_OUTPUT = 8,
    BACKWARD_LSTM_RECURRENT_TO_OUTPUT = 25,
    RNN_WEIGHTS = 1,
    BACKWARD_RNN_WEIGHTS = 5,
};

/* Inputs of a basic LSTM. */
enum { BASIC_PREVIOUS_OUTPUT = 1 };

/* The first input's shape with another last extent, as output `output`. */
static void give_units(struct hy_shaping *shaping, uint32_t output, int64_t units)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);

    hy_shaping_expect(shaping, shape.rank >= 2);
    if (shaping->fits)
        hy_shaping_set_extent(shaping, &shape, shape.rank - 1, units);
    hy_shaping_give(shaping, output, &shape);
}

/* Outputs per step of a direction; recurrent weights may be a diagonal. */
static int64_t lstm_units(struct hy_shaping *shaping, uint32_t recurrent)
{
    const struct hy_shape shape = hy_shaping_shape(shaping, recurrent);

    hy_shaping_expect(shaping, shape.rank == 1 || shape.rank == 2);
    return shaping->fits ? shape.extents[shape.rank - 1] : 0;
}

static int64_t rnn_units(struct hy_shaping *shaping, uint32_t weights)
{
    const struct hy_shape shape = hy_shaping_shape(shaping, weights);

    hy_shaping_expect(shaping, shape.rank == 2);
    return shaping->fits ? shape.extents[0] : 0;
}

static void give_both_ways(struct hy_shaping *shaping, bool merged, int64_t forward,
                           int64_t backward)
{
    give_units(shaping, 0, merged ? forward + backward : forward);
    if (!merged)
        give_units(shaping, 1, backward);
}

/* Output, cell state, and two tensors of intermediate values: [input, output] and the gates. */
static void give_basic_lstm(struct hy_shaping *shaping)
{
    const struct hy_shape input = hy_shaping_shape(shaping, 0);
    const struct hy_shape previous = hy_shaping_shape(shaping, BASIC_PREVIOUS_OUTPUT);

    hy_shaping_expect(shaping, input.rank >= 2 && previous.rank >= 2);
    if (!shaping->fits)
        return;
    const int64_t units = previous.extents[previous.rank - 1];
    give_units(shaping, 0, units);
    give_units(shaping, 1, units);
    give_units(shaping, 2, input.extents[input.rank - 1] + units);
    give_units(shaping, 3, 4 * units);
}

void hy_shape_lstm(struct hy_shaping *shaping)
{
    if (shaping->node->attributes.lstm.is_basic)
        give_basic_lstm(shaping);
    else
        give_units(shaping, 0, lstm_units(shaping, LSTM_RECURRENT_TO_OUTPUT));
}

void hy_shape_bidirectional_lstm(struct hy_shaping *shaping)
{
    give_both_ways(shaping, shaping->node->attributes.lstm.merge_outputs,
                   lstm_units(shaping, LSTM_RECURRENT_TO_OUTPUT),
                   lstm_units(shaping, BACKWARD_LSTM_RECURRENT_TO_OUTPUT));
}

void hy_shape_rnn(struct hy_shaping *shaping)
{
    give_units(shaping, 0, rnn_units(shaping, RNN_WEIGHTS));
}

void hy_shape_bidirectional_rnn(struct hy_shaping *shaping)
{
    give_both_ways(shaping, shaping->node->attributes.rnn.merge_outputs,
                   rnn_units(shaping, RNN_WEIGHTS), rnn_units(shaping, BACKWARD_RNN_WEIGHTS));
}

void hy_shape_svdf(struct hy_shaping *shaping)
{
    const int32_t rank = shaping->node->attributes.svdf.rank;
    const struct hy_shape weights = hy_shaping_shape(shaping, 1);

    hy_shaping_expect(shaping, weights.rank == 2 && rank > 0);
    if (shaping->fits)
        give_units(shaping, 0, weights.extents[0] / rank);
}
