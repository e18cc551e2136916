#ifndef HY_TESTS_UNIT_LIBHALYARD_KIT_FLOW_PARTS_H
#define HY_TESTS_UNIT_LIBHALYARD_KIT_FLOW_PARTS_H

#include "tests/unit/libhalyard/kit/network_run.h"

/* Parts of models with several sub-graphs. Vectors have two floats. Pointers must outlive the
 * builder. */

/* Tensors of the current sub-graph. */
int32_t hy_flow_vector(struct hy_builder *builder, const char *name);
int32_t hy_flow_scalar(struct hy_builder *builder, enum hy_tflite_type type, const char *name);
int32_t hy_flow_float(struct hy_builder *builder, const float *value);
int32_t hy_flow_int(struct hy_builder *builder, const int32_t *value);

void hy_flow_binary(struct hy_builder *builder, int op, int32_t a, int32_t b, int32_t output);

/* An operator with one or two sub-graphs as options, and functions for adding its operands. */
struct hy_builder_operator hy_flow_operator(int op, unsigned kind, uint32_t first, uint32_t second);
void hy_flow_add_input(struct hy_builder_operator *operator_, int32_t input);
void hy_flow_give(struct hy_builder_operator *operator_, int32_t output);

/* Adds a sub-graph with one vector input. The output is `op` of the vector and a constant. */
void hy_flow_elementwise_subgraph(struct hy_builder *builder, int op, const float *value);

/* Adds the sub-graph "count < limit" with the inputs count, vector, limit and, with `more`,
 * factor. */
void hy_flow_condition_subgraph(struct hy_builder *builder, bool more);

/* Builds a loop in the current sub-graph with the inputs x and limit: while (count < limit) { count
 * += 1; x = x * factor; }. The outputs are x, count and factor. Returns x. */
int32_t hy_flow_loop(struct hy_builder *builder, uint32_t condition, uint32_t body,
                     const float *factor);
void hy_flow_loop_subgraphs(struct hy_builder *builder); /* condition and body of the loop */

/* Runs with a vector as input; hy_flow_set_int sets a number as input. */
void hy_flow_run(struct hy_network_run *run, uint32_t input, float first, float second);
void hy_flow_set_int(struct hy_network_run *run, uint32_t input, int32_t value);

void hy_flow_expect_floats(const struct hy_network_run *run, float first, float second, int line);
void hy_flow_expect_refusal(struct hy_builder *builder, const char *expected, int line);

#define HY_FLOW_EXPECT_FLOATS(run, first, second) \
    hy_flow_expect_floats(run, first, second, __LINE__)
#define HY_FLOW_EXPECT_REFUSAL(builder, expected) \
    hy_flow_expect_refusal(builder, expected, __LINE__)

#endif
