#ifndef HY_TESTS_UNIT_LIBHALYARD_KIT_RECURRENT_NETWORK_H
#define HY_TESTS_UNIT_LIBHALYARD_KIT_RECURRENT_NETWORK_H

#include "libhalyard/session/network.h"
#include "tests/unit/tools/operators/op_case.h"

/* Random networks of one recurrent operator, selected by a test. */

/* Every recurrent operator, starting with LSTM. */
enum { HY_RECURRENT_OPS = 7 };
extern const enum hy_tflite_op hy_recurrent_ops[HY_RECURRENT_OPS];

/* The row of an operator in the table of random models. */
const struct hy_op_row *hy_recurrent_row(enum hy_tflite_op op);

typedef bool hy_recurrent_test(const struct hy_graph *graph);

bool hy_recurrent_any(const struct hy_graph *graph); /* accepts every network */

/* Returns the first random network accepted by `wanted`. `made` receives its bytes, which must
 * outlive the network. If no network is accepted, records a test failure and returns NULL. */
struct hy_network *hy_recurrent_network(enum hy_tflite_op op, enum hy_tflite_type type,
                                        hy_recurrent_test *wanted, struct hy_op_case *made);

/* The tensor of input number `input` of the operator. */
struct hy_graph_tensor *hy_recurrent_input(struct hy_graph *graph, uint32_t input);

#endif
