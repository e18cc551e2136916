#include "tests/unit/libhalyard/kit/recurrent_network.h"

#include "tests/kit/test.h"

const enum hy_tflite_op hy_recurrent_ops[HY_RECURRENT_OPS] = {
    HY_TFLITE_OP_LSTM,
    HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM,
    HY_TFLITE_OP_BIDIRECTIONAL_SEQUENCE_LSTM,
    HY_TFLITE_OP_RNN,
    HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_RNN,
    HY_TFLITE_OP_BIDIRECTIONAL_SEQUENCE_RNN,
    HY_TFLITE_OP_SVDF,
};

const struct hy_op_row *hy_recurrent_row(enum hy_tflite_op op)
{
    for (size_t i = 0; i < hy_op_row_count; i++) {
        if (hy_op_rows[i].op == op)
            return &hy_op_rows[i];
    }
    return NULL;
}

bool hy_recurrent_any(const struct hy_graph *graph)
{
    (void)graph;
    return true;
}

struct hy_network *hy_recurrent_network(enum hy_tflite_op op, enum hy_tflite_type type,
                                        hy_recurrent_test *wanted, struct hy_op_case *made)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct hy_network *network = NULL;
        hy_op_case_make(hy_recurrent_row(op), type, seed, made);
        if (hy_network_open(made->model, made->length, NULL, &network, NULL) == HY_OK &&
            wanted(&network->graph))
            return network;
        hy_network_close(network);
        hy_op_case_finish(made);
    }
    hy_test_fail(__FILE__, __LINE__, "no such network");
    return NULL;
}

struct hy_graph_tensor *hy_recurrent_input(struct hy_graph *graph, uint32_t input)
{
    return &graph->tensors[graph->nodes[0].inputs[input]];
}
