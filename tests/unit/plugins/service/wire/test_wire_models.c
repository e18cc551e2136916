#include "tests/kit/test.h"

#include "common/operations/control_flow.h"
#include "tests/unit/plugins/service/wire/kit/round_trip.h"

/* What a model view promises: models that lie in one thing each are refused. */

/* ---- Models that lie ------------------------------------------------------------------------- */

struct lie {
    struct hy_operand operands[2];
    struct hy_operation operation;
    struct hy_subgraph main;
    struct hy_subgraph body;
    const struct hy_subgraph *referenced[1];
    uint32_t indices[2];
    uint64_t values[2];
    struct hy_pool pool;
    struct hy_model model;
};

/* True in everything, to begin with. */
static void make_valid(struct lie *lie)
{
    *lie = (struct lie){
        .operands = {{.lifetime = HY_LIFETIME_INPUT}, {.lifetime = HY_LIFETIME_OUTPUT}},
        .operation = {.input_count = 1, .output_count = 1},
        .indices = {0, 1},
        .pool = {.kind = HY_POOL_ASHMEM, .fd = -1, .id = 1}};
    lie->operation.inputs = &lie->indices[0];
    lie->operation.outputs = &lie->indices[1];
    lie->main = (struct hy_subgraph){.operand_count = 2,
                                     .operation_count = 1,
                                     .input_count = 1,
                                     .output_count = 1,
                                     .operands = lie->operands,
                                     .operations = &lie->operation,
                                     .inputs = &lie->indices[0],
                                     .outputs = &lie->indices[1]};
    lie->referenced[0] = &lie->body;
    lie->model = (struct hy_model){.main = &lie->main,
                                   .referenced = lie->referenced,
                                   .referenced_count = 1,
                                   .values = (const uint8_t *)lie->values,
                                   .values_size = sizeof lie->values,
                                   .pools = &lie->pool,
                                   .pool_count = 1};
}

static void expect_lie(const struct lie *lie, const char *expected)
{
    struct round_trip round_trip;
    struct hy_model model;
    struct hy_pool *pools;

    round_trip_open(&round_trip, 0);
    hy_model_pack(&round_trip.pack, &lie->model);
    round_trip_start_reading(&round_trip);
    hy_model_unpack(&round_trip.in, &model, &pools);
    if (expected)
        round_trip_expect_refused(&round_trip, expected);
    else
        (void)round_trip_is_valid(&round_trip);
    round_trip_close(&round_trip);
}

static void set_operand(struct lie *lie, int32_t lifetime, struct hy_location location)
{
    make_valid(lie);
    lie->operands[0].lifetime = lifetime;
    lie->operands[0].location = location;
}

TEST(wire_refused, locations_outside_of_what_there_is_are_refused)
{
    struct lie lie;

    make_valid(&lie);
    expect_lie(&lie, NULL);
    set_operand(&lie, HY_LIFETIME_CONSTANT_COPY, (struct hy_location){.offset = 8, .length = 8});
    expect_lie(&lie, NULL);
    set_operand(&lie, HY_LIFETIME_CONSTANT_COPY, (struct hy_location){.offset = 9, .length = 8});
    expect_lie(&lie, "operand 0: 8 bytes at offset 9 do not fit 16 bytes of values");
    set_operand(&lie, HY_LIFETIME_CONSTANT_COPY,
                (struct hy_location){.offset = UINT64_MAX, .length = 2});
    expect_lie(&lie, "do not fit 16 bytes of values");
    set_operand(&lie, HY_LIFETIME_CONSTANT_COPY, (struct hy_location){.offset = 99});
    expect_lie(&lie, NULL); /* no bytes, nowhere */
    set_operand(&lie, HY_LIFETIME_CONSTANT_POOL, (struct hy_location){.pool = 1, .length = 8});
    expect_lie(&lie, "operand 0: pool 1 does not exist, there are 1");
    set_operand(&lie, HY_LIFETIME_SUBGRAPH, (struct hy_location){.offset = 1});
    expect_lie(&lie, "operand 0: subgraph 1 does not exist, there are 1");
    set_operand(&lie, HY_LIFETIME_SUBGRAPH + 1, (struct hy_location){0});
    expect_lie(&lie, "operand 0 has lifetime 7");
    set_operand(&lie, -1, (struct hy_location){0});
    expect_lie(&lie, "operand 0 has lifetime -1");
}

TEST(wire_refused, indices_of_operands_that_there_are_not_are_refused)
{
    struct lie lie;

    make_valid(&lie);
    lie.indices[0] = 2;
    expect_lie(&lie, "operand 2 of 2");
    make_valid(&lie);
    lie.indices[1] = UINT32_MAX;
    expect_lie(&lie, "operand 4294967295 of 2");
    make_valid(&lie);
    uint32_t other = 7;
    lie.main.inputs = &other;
    expect_lie(&lie, "inputs: operand 7 of 2");
    make_valid(&lie);
    lie.main.outputs = &other;
    expect_lie(&lie, "outputs: operand 7 of 2");
}

/* ---- Bodies of control flow ------------------------------------------------------------------ */

enum { MOST_BODIES = 40 };

struct nest {
    struct hy_operand operands[MOST_BODIES][2];
    struct hy_subgraph bodies[MOST_BODIES];
    const struct hy_subgraph *referenced[MOST_BODIES];
    struct hy_operand start;
    struct hy_subgraph main;
    struct hy_model model;
};

/* A chain: main refers to body 0, each body to the next one, twice. */
static void chain(struct nest *nest, uint32_t count)
{
    *nest = (struct nest){.start = {.lifetime = HY_LIFETIME_SUBGRAPH}};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < 2 && i + 1 < count; k++)
            nest->operands[i][k] = (struct hy_operand){.lifetime = HY_LIFETIME_SUBGRAPH,
                                                       .location = {.offset = i + 1}};
        nest->bodies[i] = (struct hy_subgraph){.operand_count = 2, .operands = nest->operands[i]};
        nest->referenced[i] = &nest->bodies[i];
    }
    nest->main = (struct hy_subgraph){.operand_count = 1, .operands = &nest->start};
    nest->model = (struct hy_model){
        .main = &nest->main, .referenced = nest->referenced, .referenced_count = count};
}

static enum hy_code read_nest(const struct nest *nest, struct hy_error *err)
{
    struct round_trip round_trip;
    struct hy_model model;
    struct hy_pool *pools;

    round_trip_open(&round_trip, 0);
    hy_model_pack(&round_trip.pack, &nest->model);
    round_trip_start_reading(&round_trip);
    hy_model_unpack(&round_trip.in, &model, &pools);
    const enum hy_code code = hy_unpack_end(&round_trip.in);
    *err = round_trip.err;
    round_trip_close(&round_trip);
    return code;
}

TEST(wire_refused, bodies_nest_as_deep_as_is_allowed_and_no_deeper)
{
    struct nest nest;
    struct hy_error err;

    for (uint32_t count = 1; count <= MOST_BODIES; count++) {
        chain(&nest, count);
        EXPECT_INT(read_nest(&nest, &err), count <= HY_CONTROL_FLOW_DEPTH ? HY_OK : HY_BAD_DATA);
    }
    EXPECT_CONTAINS(err.text, "bodies of control flow nest deeper than 16");
}

TEST(wire_refused, bodies_in_a_circle_are_refused)
{
    struct nest nest;
    struct hy_error err;

    for (uint32_t last = 0; last < 5; last++) {
        for (uint32_t to = 0; to <= last; to++) {
            chain(&nest, last + 1);
            nest.operands[last][1] =
                (struct hy_operand){.lifetime = HY_LIFETIME_SUBGRAPH, .location = {.offset = to}};
            EXPECT_INT(read_nest(&nest, &err), HY_BAD_DATA);
            nest.start.lifetime = HY_LIFETIME_INPUT; /* nothing leads there */
            EXPECT_INT(read_nest(&nest, &err), HY_BAD_DATA);
        }
    }
}
