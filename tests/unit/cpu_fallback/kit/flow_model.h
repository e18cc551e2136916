#ifndef HY_TESTS_FLOW_MODEL_H
#define HY_TESTS_FLOW_MODEL_H

#include "tests/kit/model_builder.h"

#define HY_FLOW_BODIES 20u

/* A model with bodies for IF and WHILE. Each subgraph has its own builder. */
struct hy_flow {
    struct hy_builder main;
    struct hy_builder bodies[HY_FLOW_BODIES];
    uint32_t body_count;
    const struct hy_subgraph *list[HY_FLOW_BODIES];
    struct hy_model model;
};

void hy_flow_init(struct hy_flow *flow);
void hy_flow_finish(struct hy_flow *flow);

/* A new empty body; indices count from 0. */
struct hy_builder *hy_flow_body(struct hy_flow *flow);

/* An operand with a reference to a body. */
uint32_t hy_flow_reference(struct hy_builder *builder, uint32_t body);

/* The complete model. Call only once, since the call moves the bodies' constants. */
struct hy_model *hy_flow_model(struct hy_flow *flow);

/* ---- Models of float tensors [extent], 0 = unknown ------------------------------------------- */

/* A body: y = x + value. Returns the body's index. */
uint32_t hy_flow_add_body(struct hy_flow *flow, uint32_t extent, float value);

/* A body: x[0..1) < limit. */
uint32_t hy_flow_less_body(struct hy_flow *flow, float limit);

/* A body with a single IF with a constant condition over two other bodies: y = IF(condition) x. */
uint32_t hy_flow_if_body(struct hy_flow *flow, uint32_t extent, int condition, uint32_t then_body,
                         uint32_t else_body);

/* Main subgraph: the same IF with the condition as input 0 and x as input 1. */
void hy_flow_if_main(struct hy_flow *flow, uint32_t extent, uint32_t then_body, uint32_t else_body);

/* Main subgraph: y = WHILE x. */
void hy_flow_while_main(struct hy_flow *flow, uint32_t extent, uint32_t condition, uint32_t body);

/* Main subgraph: y = x after 8^15 additions of zero, in fifteen levels of eight IFs each. */
void hy_flow_endless_main(struct hy_flow *flow, uint32_t extent);

/* A tensor of `count` floats; 0 means an unknown extent. */
struct hy_builder_type hy_flow_floats(uint32_t count);

#endif
