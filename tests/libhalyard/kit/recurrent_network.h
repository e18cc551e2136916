#ifndef HY_TESTS_LIBHALYARD_KIT_RECURRENT_NETWORK_H
#define HY_TESTS_LIBHALYARD_KIT_RECURRENT_NETWORK_H

#include "libhalyard/session/network.h"
#include "tests/tools/operators/op_case.h"

/* Random networks of one recurrent operator, as tests want them. */

/* Every recurrent operator; the first is LSTM. */
enum { HY_RECURRENT_OPS = 7 };
extern const enum hy_tflite_op hy_recurrent_ops[HY_RECURRENT_OPS];

/* The row of an operator that has random models. */
const struct hy_op_row *hy_recurrent_row(enum hy_tflite_op op);

typedef bool hy_recurrent_test(const struct hy_graph *graph);

bool hy_recurrent_any(const struct hy_graph *graph); /* every network passes */

/* The first of the random networks that passes a test, and its bytes, which outlive the network.
 * NULL, after a failure of the test program, where there is none. */
struct hy_network *hy_recurrent_network(enum hy_tflite_op op, enum hy_tflite_type type,
                                        hy_recurrent_test *wanted, struct hy_op_case *made);

/* The tensor of an input of the operator. */
struct hy_graph_tensor *hy_recurrent_input(struct hy_graph *graph, uint32_t input);

#endif
