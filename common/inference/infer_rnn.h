#ifndef HY_COMMON_INFERENCE_INFER_RNN_H
#define HY_COMMON_INFERENCE_INFER_RNN_H

#include "common/inference/infer_sequence.h"

/* RNN, UNIDIRECTIONAL_SEQUENCE_RNN or BIDIRECTIONAL_SEQUENCE_RNN, decoded and checked. */
struct hy_rnn {
    struct hy_sequence sequence;
    int32_t activation;
    struct hy_rnn_inputs {
        uint32_t weights;     /* input of the weights; recurrent weights and bias follow */
        uint32_t aux_weights; /* if the sequence has an auxiliary input */
    } inputs[HY_DIRECTIONS];
};

HY_MUST_CHECK enum hy_code hy_rnn_read(const struct hy_call *call, struct hy_rnn *rnn,
                                       struct hy_error *err);

/* SVDF: `filters` filters over `memory` past values; groups of `rank` filters are summed to `units`
 * outputs. */
struct hy_svdf {
    uint32_t batch, inputs, filters, memory, rank, units;
    int32_t activation;
};

HY_MUST_CHECK enum hy_code hy_svdf_read(const struct hy_call *call, struct hy_svdf *svdf,
                                        struct hy_error *err);

#endif
