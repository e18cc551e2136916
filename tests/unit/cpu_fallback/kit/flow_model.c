#include "flow_model.h"

#include <android/NeuralNetworksTypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/operations/operation.h"
static const struct hy_builder_type bool_type = {ANEURALNETWORKS_TENSOR_BOOL8, 0, 0, 1, {1}};

void hy_flow_init(struct hy_flow *flow)
{
    *flow = (struct hy_flow){0};
    hy_builder_init(&flow->main);
}

void hy_flow_finish(struct hy_flow *flow)
{
    for (uint32_t i = 0; i < flow->body_count; i++)
        hy_builder_finish(&flow->bodies[i]);
    hy_builder_finish(&flow->main);
}

struct hy_builder *hy_flow_body(struct hy_flow *flow)
{
    struct hy_builder *body = &flow->bodies[flow->body_count++];

    hy_builder_init(body);
    return body;
}

uint32_t hy_flow_reference(struct hy_builder *builder, uint32_t body)
{
    const struct hy_builder_type type = {.type = ANEURALNETWORKS_MODEL};
    uint32_t operand = hy_builder_temporary(builder, &type);

    builder->operands[operand].lifetime = HY_LIFETIME_SUBGRAPH;
    builder->operands[operand].location.offset = body;
    return operand;
}

/* All subgraphs of a view share one block of values. */
static void move_values(struct hy_builder *from, struct hy_builder *to)
{
    uint8_t *values = realloc(to->values, to->values_size + from->values_size + 1);

    if (!values)
        abort();
    to->values = values;
    if (from->values_size > 0)
        memcpy(values + to->values_size, from->values, from->values_size);
    for (uint32_t i = 0; i < from->operand_count; i++) {
        if (from->operands[i].lifetime == HY_LIFETIME_CONSTANT_COPY)
            from->operands[i].location.offset += to->values_size;
    }
    to->values_size += from->values_size;
}

struct hy_model *hy_flow_model(struct hy_flow *flow)
{
    for (uint32_t i = 0; i < flow->body_count; i++) {
        move_values(&flow->bodies[i], &flow->main);
        flow->list[i] = hy_builder_model(&flow->bodies[i])->main;
    }
    flow->model = *hy_builder_model(&flow->main);
    flow->model.referenced = flow->list;
    flow->model.referenced_count = flow->body_count;
    return &flow->model;
}

struct hy_builder_type hy_flow_floats(uint32_t count)
{
    return (struct hy_builder_type){ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {count}};
}

uint32_t hy_flow_add_body(struct hy_flow *flow, uint32_t extent, float value)
{
    const struct hy_builder_type type = hy_flow_floats(extent), one = hy_flow_floats(1);
    struct hy_builder *body = hy_flow_body(flow);
    uint32_t inputs[] = {hy_builder_input(body, &type),
                         hy_builder_constant(body, &one, &value, sizeof value),
                         hy_builder_int(body, 0)};
    uint32_t output = hy_builder_output(body, &type);

    hy_builder_operation(body, HY_OP_ADD, 3, inputs, 1, &output);
    return flow->body_count - 1;
}

uint32_t hy_flow_less_body(struct hy_flow *flow, float limit)
{
    const struct hy_builder_type one = hy_flow_floats(1);
    struct hy_builder *body = hy_flow_body(flow);
    uint32_t inputs[] = {hy_builder_input(body, &one),
                         hy_builder_constant(body, &one, &limit, sizeof limit)};
    uint32_t output = hy_builder_output(body, &bool_type);

    hy_builder_operation(body, HY_OP_LESS, 2, inputs, 1, &output);
    return flow->body_count - 1;
}

static void build_if(struct hy_builder *builder, uint32_t condition, uint32_t extent,
                     uint32_t then_body, uint32_t else_body)
{
    const struct hy_builder_type type = hy_flow_floats(extent);
    uint32_t inputs[] = {condition, hy_flow_reference(builder, then_body),
                         hy_flow_reference(builder, else_body), hy_builder_input(builder, &type)};
    uint32_t output = hy_builder_output(builder, &type);

    hy_builder_operation(builder, HY_OP_IF, 4, inputs, 1, &output);
}

uint32_t hy_flow_if_body(struct hy_flow *flow, uint32_t extent, int condition, uint32_t then_body,
                         uint32_t else_body)
{
    struct hy_builder *body = hy_flow_body(flow);
    const uint8_t byte = condition != 0;

    build_if(body, hy_builder_constant(body, &bool_type, &byte, 1), extent, then_body, else_body);
    return flow->body_count - 1;
}

void hy_flow_if_main(struct hy_flow *flow, uint32_t extent, uint32_t then_body, uint32_t else_body)
{
    build_if(&flow->main, hy_builder_input(&flow->main, &bool_type), extent, then_body, else_body);
}

void hy_flow_while_main(struct hy_flow *flow, uint32_t extent, uint32_t condition, uint32_t body)
{
    const struct hy_builder_type type = hy_flow_floats(extent);
    struct hy_builder *main = &flow->main;
    uint32_t inputs[] = {hy_flow_reference(main, condition), hy_flow_reference(main, body),
                         hy_builder_input(main, &type)};
    uint32_t output = hy_builder_output(main, &type);

    hy_builder_operation(main, HY_OP_WHILE, 3, inputs, 1, &output);
}

/* y = x, through eight IFs, one after the other, that all do what `body` does. */
static void build_ifs(struct hy_builder *builder, uint32_t extent, uint32_t body)
{
    enum { IFS = 8 };
    const struct hy_builder_type type = hy_flow_floats(extent);
    const uint8_t yes = 1;
    const uint32_t condition = hy_builder_constant(builder, &bool_type, &yes, 1);
    uint32_t value = hy_builder_input(builder, &type);

    for (uint32_t i = 0; i < IFS; i++) {
        const uint32_t inputs[] = {condition, hy_flow_reference(builder, body),
                                   hy_flow_reference(builder, body), value};
        value =
            i + 1 < IFS ? hy_builder_temporary(builder, &type) : hy_builder_output(builder, &type);
        hy_builder_operation(builder, HY_OP_IF, 4, inputs, 1, &value);
    }
}

void hy_flow_endless_main(struct hy_flow *flow, uint32_t extent)
{
    uint32_t body = hy_flow_add_body(flow, extent, 0);

    for (uint32_t level = 1; level < 15; level++) {
        build_ifs(hy_flow_body(flow), extent, body);
        body = flow->body_count - 1;
    }
    build_ifs(&flow->main, extent, body);
}
