#ifndef HY_TESTS_LIBHALYARD_KIT_FLOW_PARTS_H
#define HY_TESTS_LIBHALYARD_KIT_FLOW_PARTS_H

#include "tests/libhalyard/kit/network_run.h"

/* Parts of models with several sub-graphs. Vectors are of two floats; pointers outlive the builder.
 */

/* Tensors of the current sub-graph. */
int32_t hy_flow_vector(struct hy_builder *builder, const char *name);
int32_t hy_flow_scalar(struct hy_builder *builder, enum hy_tflite_type type, const char *name);
int32_t hy_flow_float(struct hy_builder *builder, const float *value);
int32_t hy_flow_int(struct hy_builder *builder, const int32_t *value);

void hy_flow_binary(struct hy_builder *builder, int op, int32_t a, int32_t b, int32_t output);

/* An operator with one sub-graph or two as options, and its operands. */
struct hy_builder_operator hy_flow_operator(int op, unsigned kind, uint32_t first, uint32_t second);
void hy_flow_take(struct hy_builder_operator *operator_, int32_t input);
void hy_flow_give(struct hy_builder_operator *operator_, int32_t output);

/* Adds a sub-graph of one vector that gives `op` of the vector and of a constant. */
void hy_flow_elementwise_subgraph(struct hy_builder *builder, int op, const float *value);

/* Adds the sub-graph "count < limit" of a count, a vector, a limit and, if asked for, a factor. */
void hy_flow_condition_subgraph(struct hy_builder *builder, bool more);

/* Makes the current sub-graph one of x and limit: while (count < limit) { count += 1; x = x *
 * factor; }. Outputs: x, which is returned, count, factor. */
int32_t hy_flow_loop(struct hy_builder *builder, uint32_t condition, uint32_t body,
                     const float *factor);
void hy_flow_loop_subgraphs(struct hy_builder *builder); /* condition and body of the loop */

/* Runs with a vector, respectively a number, as an input. */
void hy_flow_run(struct hy_network_run *run, uint32_t input, float first, float second);
void hy_flow_set_int(struct hy_network_run *run, uint32_t input, int32_t value);

void hy_flow_expect_floats(const struct hy_network_run *run, float first, float second, int line);
void hy_flow_expect_refusal(struct hy_builder *builder, const char *words, int line);

#define HY_FLOW_EXPECT_FLOATS(run, first, second) \
    hy_flow_expect_floats(run, first, second, __LINE__)
#define HY_FLOW_EXPECT_REFUSAL(builder, words) hy_flow_expect_refusal(builder, words, __LINE__)

#endif
