#include "tests/kit/test.h"

#include "common/clock.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/result.h"
#include "tests/unit/plugins/service/wire/kit/bodies.h"
#include "tests/unit/plugins/service/wire/kit/counted.h"
#include "tests/unit/plugins/service/wire/kit/ends.h"

/* ---- Executions ------------------------------------------------------------------------------ */

struct execution {
    const struct hy_request *request;
    const struct hy_run_options *options;
    struct hy_result result;
};

static const uint32_t dims[] = {1, 224, 224, 3};

/* Two pools known by their ids, an input in one, an output in the other. */
static struct execution usual_execution(struct hy_output_shape *shape)
{
    static const struct hy_pool pools[] = {{.kind = HY_POOL_ASHMEM, .fd = -1, .id = 1},
                                           {.kind = HY_POOL_MMAP_FD, .fd = -1, .id = 2}};
    static const struct hy_argument input = {
        .rank = 4, .dims = dims, .location = {.pool = 0, .length = 602112}};
    static const struct hy_argument output = {.location = {.pool = 1, .length = 4004}};
    static const struct hy_request request = {.struct_size = sizeof request,
                                              .input_count = 1,
                                              .output_count = 1,
                                              .pool_count = 2,
                                              .inputs = &input,
                                              .outputs = &output,
                                              .pools = pools};
    static const struct hy_run_options options = {.struct_size = sizeof options,
                                                  .deadline = HY_NO_DEADLINE};

    return (struct execution){
        .request = &request, .options = &options, .result = {.output_count = 1, .outputs = shape}};
}

static int64_t in_a_minute(void)
{
    return INT64_MAX / 2 - hy_clock_left(INT64_MAX / 2) + INT64_C(60000000000);
}

/* The four halves of a call of EXECUTE, one after the other. */
static void ask(struct ends *ends, const struct execution *execution)
{
    hy_outgoing_begin(&ends->out, HY_WIRE_EXECUTE, 1);
    hy_request_pack(&ends->out.body, execution->request);
    hy_run_options_pack(&ends->out.body, execution->options);
    EXPECT_INT(hy_frame_send(&ends->near, &ends->out, in_a_minute(), NULL), HY_OK);
}

static void serve(struct ends *ends, struct hy_arena *arena)
{
    struct hy_request request = {0};
    struct hy_run_options options = {0};
    struct hy_pool *pools;
    struct hy_unpack in;

    EXPECT_INT(hy_frame_receive(&ends->far, &ends->in, HY_NO_DEADLINE, NULL), HY_OK);
    hy_arena_reset(arena);
    hy_incoming_unpack(&ends->in, arena, &in, NULL);
    hy_request_unpack(&in, &request, &pools);
    hy_run_options_unpack(&in, &options);
    EXPECT_INT(hy_unpack_end(&in), HY_OK);
    EXPECT_INT(request.inputs[0].dims[1], 224);
    EXPECT_INT(options.deadline, HY_NO_DEADLINE);
}

static void reply(struct ends *ends)
{
    struct hy_output_shape shape = {.rank = 2, .sufficient = 1, .dims = {1, 1001}};
    const struct hy_result result = {
        .output_count = 1, .outputs = &shape, .time_on_device = 5, .time_in_driver = 6};

    hy_reply_begin(&ends->out, &ends->in.header, 1);
    hy_result_pack(&ends->out.body, &result);
    EXPECT_INT(hy_frame_send(&ends->far, &ends->out, HY_NO_DEADLINE, NULL), HY_OK);
}

static void receive(struct ends *ends, struct hy_arena *arena, struct execution *execution)
{
    struct hy_unpack in;

    EXPECT_INT(hy_frame_receive(&ends->near, &ends->in, in_a_minute(), NULL), HY_OK);
    hy_incoming_unpack(&ends->in, arena, &in, NULL);
    hy_result_unpack(&in, &execution->result);
    EXPECT_INT(hy_unpack_end(&in), HY_OK);
    EXPECT_INT(execution->result.outputs[0].dims[1], 1001);
    EXPECT_INT(execution->result.time_in_driver, 6);
}

TEST(wire_cost, execution_costs_a_system_call_per_frame_and_end_and_no_allocation)
{
    enum { EXECUTIONS = 1000 };
    struct hy_output_shape shape;
    struct execution execution = usual_execution(&shape);
    struct hy_arena arena = {0};
    struct counted counted;
    struct ends ends;

    ends_open(&ends);
    for (int i = 0; i < EXECUTIONS + 10; i++) {
        if (i == 10)
            counted_start(&counted);
        ask(&ends, &execution);
        serve(&ends, &arena);
        reply(&ends);
        receive(&ends, &arena, &execution);
    }
    counted_stop(&counted);
    EXPECT_INT(counted.system_calls, 4 * EXECUTIONS);
    /* CUnit counts the checks without memory; so whatever is asked for is ours. */
    EXPECT_INT(counted.allocations, 0);
    hy_arena_finish(&arena);
    ends_close(&ends);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* All bytes 0xff: every count is as large as can be. */
TEST(wire_cost, counts_alone_reserve_nothing)
{
    enum { BYTES = 4096 };
    uint32_t words[BYTES / sizeof(uint32_t)];

    for (uint32_t i = 0; hy_wire_body(i); i++) {
        for (uint32_t word = 0; word < 24; word++) {
            struct hy_arena arena = {0};
            struct hy_unpack in;
            struct hy_pack out;
            struct counted counted;
            memset(words, 0, sizeof words);
            words[word] = UINT32_MAX;
            hy_pack_init(&out);
            hy_unpack_init(&in, hy_wire_body(i)->name, words, sizeof words, NULL, 0, &arena, NULL);
            counted_start(&counted);
            const enum hy_code code = hy_wire_echo(hy_wire_body(i), &in, &out);
            counted_stop(&counted);
            EXPECT_INT(code, HY_BAD_DATA);
            EXPECT(counted.largest < 16 * BYTES);
            hy_arena_finish(&arena);
            hy_pack_finish(&out);
        }
    }
}

/* Reads and writes a body while allocation number `number` fails. */
static enum hy_code echo_without(const struct hy_wire_body *body, const struct hy_pack *sent,
                                 unsigned long number, struct hy_error *err)
{
    struct hy_arena arena = {0};
    struct hy_unpack in;
    struct hy_pack out;

    hy_pack_init(&out);
    hy_unpack_init(&in, body->name, sent->bytes, sent->size, sent->fds, sent->fd_count, &arena,
                   err);
    counted_fail_at(number);
    const enum hy_code code = hy_wire_echo(body, &in, &out);
    counted_fail_at(0);
    if (code == HY_OUT_OF_MEMORY && out.code != HY_OK)
        *err = out.error;
    hy_arena_finish(&arena);
    hy_pack_finish(&out);
    return code;
}

TEST(wire_cost, every_allocation_that_fails_is_told)
{
    for (uint32_t i = 0; hy_wire_body(i); i++) {
        struct hy_wire_samples samples = {.chance = {3}};
        struct hy_pack sent;
        struct hy_error err = {0};
        unsigned long number = 0;
        enum hy_code code;
        hy_pack_init(&sent);
        hy_wire_make(hy_wire_body(i), &samples, &sent);
        do {
            err = (struct hy_error){0};
            code = echo_without(hy_wire_body(i), &sent, ++number, &err);
            if (code != HY_OK) {
                EXPECT_INT(code, HY_OUT_OF_MEMORY);
                EXPECT_CONTAINS(err.text, " bytes");
            }
        } while (code != HY_OK && number < 100);
        EXPECT_INT(code, HY_OK);
        hy_arena_finish(&samples.arena);
        hy_pack_finish(&sent);
    }
}

TEST(wire_cost, frame_that_cannot_be_received_for_want_of_memory_is_told)
{
    struct ends ends;
    struct hy_error err;

    ends_open(&ends);
    hy_outgoing_begin(&ends.out, HY_WIRE_PREPARE, 0);
    hy_pack_records(&ends.out.body, 2, HY_FRAME_INLINE);
    EXPECT_INT(hy_frame_send(&ends.near, &ends.out, 0, &err), HY_OK);
    counted_fail_at(1);
    EXPECT_INT(hy_frame_receive(&ends.far, &ends.in, 0, &err), HY_OUT_OF_MEMORY);
    counted_fail_at(2); /* the first is the room for bodies */
    EXPECT_INT(hy_frame_receive(&ends.far, &ends.in, 0, &err), HY_OUT_OF_MEMORY);
    EXPECT_STR(err.text, "receiving: prepare: a body of 122880 bytes");
    counted_fail_at(0);
    ends_close(&ends);
}

TEST(wire_cost, much_memory_is_not_kept)
{
    struct ends ends;

    ends_open(&ends);
    hy_outgoing_begin(&ends.out, HY_WIRE_PREPARE, 0);
    hy_pack_records(&ends.out.body, 1, (size_t)3 << 20);
    hy_outgoing_begin(&ends.out, HY_WIRE_EXECUTE, 0);
    EXPECT_INT(ends.out.body.capacity, 0);
    ends_close(&ends);
}
