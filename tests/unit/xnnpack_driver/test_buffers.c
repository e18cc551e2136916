/* Memory of the driver's own: what it is made for, what it holds, and executions in it. */
#include "buffer_fixture.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <stdlib.h>

static const float ones[COUNT] = {1, 2, 3, 4, 5};
static const float twos[COUNT] = {2, 4, 6, 8, 10};
static const float squares[COUNT] = {1, 4, 9, 16, 25};

static void expect_run(struct fixture *fixture, int32_t status)
{
    EXPECT_INT(hy_runner_execute(&fixture->runner), status);
}

/* ---- Making ---------------------------------------------------------------------------------- */

static void expect_refused(struct fixture *fixture, const struct hy_buffer_desc *desc)
{
    struct buffer buffer;
    EXPECT_INT(buffer_create(fixture, desc, &buffer), HY_STATUS_INVALID_ARGUMENT);
    EXPECT(buffer.self == NULL && buffer.token == 0);
}

TEST(xnnpack_buffers, roles_that_are_none_are_refused)
{
    static const struct hy_buffer_role wrong[] = {
        {1, 0, 0, 1}, {0, 2, 0, 1},    {0, 0, 2, 1},    {0, 1, 2, 1},
        {0, 0, 0, 0}, {0, 0, 0, 1.5f}, {0, 0, 0, -.5f}, {UINT32_MAX, 0, 0, 1}};
    const struct hy_buffer_role twice[] = {all_roles[0], all_roles[1], all_roles[0]};
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    struct hy_buffer_desc desc = buffer_desc(&fixture, wrong, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        desc.roles = &wrong[i];
        expect_refused(&fixture, &desc);
    }
    desc = buffer_desc(&fixture, twice, 3);
    expect_refused(&fixture, &desc);
    desc = buffer_desc(&fixture, all_roles, 0);
    expect_refused(&fixture, &desc);
    desc = buffer_desc(&fixture, all_roles, 4);
    desc.prepared_count = 0;
    expect_refused(&fixture, &desc);
    desc = buffer_desc(&fixture, all_roles, 4);
    desc.struct_size = 8;
    expect_refused(&fixture, &desc);
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, dimensions_have_to_be_those_of_the_roles)
{
    static const uint32_t same[] = {COUNT}, open[] = {0}, other[] = {COUNT + 1},
                          more[] = {1, COUNT};
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    struct hy_buffer_desc desc = buffer_desc(&fixture, all_roles, 4);
    const struct {
        const uint32_t *dims;
        uint32_t rank;
        int32_t status;
    } cases[] = {{same, 1, HY_STATUS_OK},
                 {open, 1, HY_STATUS_OK},
                 {other, 1, HY_STATUS_INVALID_ARGUMENT},
                 {more, 2, HY_STATUS_INVALID_ARGUMENT},
                 {NULL, 1, HY_STATUS_INVALID_ARGUMENT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer buffer;
        desc.dims = cases[i].dims;
        desc.rank = cases[i].rank;
        EXPECT_INT(buffer_create(&fixture, &desc, &buffer), cases[i].status);
        buffer_destroy(&buffer);
    }
    fixture_close(&fixture);
}

/* A prepared model of another shape beside that of the scene. */
TEST(xnnpack_buffers, roles_have_to_agree)
{
    const struct hy_builder_type row = {.type = F32, .rank = 1, .dims = {COUNT + 1}};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    static const struct hy_buffer_role roles[] = {{0, 0, 0, 1}, {1, 0, 0, 1}};
    struct hy_builder builder;
    struct fixture fixture;
    void *other = NULL;

    REQUIRE(fixture_open(&fixture));
    hy_builder_init(&builder);
    const uint32_t input = hy_builder_input(&builder, &row);
    const uint32_t output = hy_builder_output(&builder, &row);
    hy_builder_operation(&builder, ANEURALNETWORKS_RELU, 1, &input, 1, &output);
    const struct hy_device *table = fixture.runner.table;
    EXPECT_INT(table->prepare(fixture.runner.device, hy_builder_model(&builder), &options, &other),
               HY_STATUS_OK);
    void *const both[] = {fixture.runner.prepared, other};
    struct hy_buffer_desc desc = buffer_desc(&fixture, roles, 2);
    desc.prepared = both;
    desc.prepared_count = 2;
    expect_refused(&fixture, &desc);
    table->prepared_destroy(other);
    hy_builder_finish(&builder);
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, more_than_there_are_tokens_for_are_refused)
{
    enum { MOST = 4096 };
    static struct buffer made[MOST];
    struct buffer one_more;
    struct fixture fixture;
    uint32_t count = 0;

    REQUIRE(fixture_open(&fixture));
    const struct hy_buffer_desc desc = buffer_desc(&fixture, all_roles, 4);
    while (count < MOST && buffer_create(&fixture, &desc, &made[count]) == HY_STATUS_OK)
        count++;
    EXPECT_INT(count, MOST - 2); /* the scene has two */
    EXPECT_INT(buffer_create(&fixture, &desc, &one_more), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    buffer_destroy(&made[7]);
    EXPECT_INT(buffer_create(&fixture, &desc, &made[7]), HY_STATUS_OK);
    for (uint32_t i = 0; i < count; i++)
        buffer_destroy(&made[i]);
    fixture_close(&fixture);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

TEST(xnnpack_buffers, what_is_copied_in_comes_out)
{
    static const uint32_t dims[] = {COUNT};
    const struct hy_pool pool = host_pool((void *)squares, sizeof squares);
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    EXPECT(buffer_holds_nothing(&fixture.a));
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    EXPECT(buffer_holds(&fixture.a, ones));
    EXPECT_INT(buffer_copy(&fixture.b, fixture.a.token), HY_STATUS_OK);
    EXPECT_INT(fixture.a.table->buffer_copy_from(fixture.a.self, &pool, dims, 1), HY_STATUS_OK);
    EXPECT(buffer_holds(&fixture.a, squares) && buffer_holds(&fixture.b, ones));
    EXPECT_INT(buffer_copy(&fixture.a, fixture.a.token), HY_STATUS_OK);
    EXPECT(buffer_holds(&fixture.a, squares));
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, after_a_copy_that_fails_it_holds_nothing)
{
    static const uint32_t dims[] = {COUNT + 1};
    float capacity[COUNT + 1] = {0};
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    const struct hy_pool right = host_pool(capacity, COUNT * sizeof *capacity);
    const struct hy_pool larger = host_pool(capacity, sizeof capacity),
                         smaller = host_pool(capacity, 8);
    struct hy_pool image = right, locked = right;
    image.kind = HY_POOL_HARDWARE_BUFFER;
    locked.protection = 0;
    const struct {
        const struct hy_pool *pool;
        uint32_t rank;
        int32_t status;
    } cases[] = {{&larger, 0, HY_STATUS_INVALID_ARGUMENT},
                 {&smaller, 0, HY_STATUS_INVALID_ARGUMENT},
                 {&locked, 0, HY_STATUS_INVALID_ARGUMENT},
                 {&image, 0, HY_STATUS_GENERAL_FAILURE},
                 {&right, 1, HY_STATUS_INVALID_ARGUMENT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
        EXPECT_INT(
            fixture.a.table->buffer_copy_from(fixture.a.self, cases[i].pool, dims, cases[i].rank),
            cases[i].status);
        EXPECT(buffer_holds_nothing(&fixture.a));
    }
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    EXPECT_INT(buffer_copy(&fixture.a, fixture.b.token), HY_STATUS_GENERAL_FAILURE);
    EXPECT(buffer_holds_nothing(&fixture.a));
    EXPECT_INT(buffer_copy(&fixture.a, 0), HY_STATUS_INVALID_ARGUMENT);
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, copying_out_takes_memory_of_its_size)
{
    float capacity[COUNT + 1] = {0};
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    const struct hy_pool larger = host_pool(capacity, sizeof capacity);
    EXPECT_INT(fixture.a.table->buffer_copy_to(fixture.a.self, &larger),
               HY_STATUS_INVALID_ARGUMENT);
    struct hy_pool locked = host_pool(capacity, COUNT * sizeof *capacity);
    locked.protection = HY_PROTECT_READ;
    EXPECT_INT(fixture.a.table->buffer_copy_to(fixture.a.self, &locked),
               HY_STATUS_INVALID_ARGUMENT);
    EXPECT(capacity[0] == 0 && buffer_holds(&fixture.a, ones));
    fixture_close(&fixture);
}

/* ---- Executions ------------------------------------------------------------------------------ */

TEST(xnnpack_buffers, executions_read_and_write_them)
{
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    fixture_use(&fixture, false, 0, fixture.a.token);
    fixture_use(&fixture, true, 1, fixture.b.token);
    for (uint32_t i = 0; i < 3; i++) {
        expect_run(&fixture, HY_STATUS_OK);
        EXPECT(memcmp(fixture.out[0], twos, sizeof twos) == 0);
        EXPECT(buffer_holds(&fixture.b, squares));
    }
    EXPECT_INT(fixture.runner.shapes[1].rank, 1);
    EXPECT_INT(fixture.runner.shapes[1].dims[0], COUNT);
    EXPECT_INT(fixture.runner.shapes[1].sufficient, 1);
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, an_execution_reads_what_another_has_written)
{
    static const float threes[COUNT] = {3, 6, 9, 12, 15};
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    fixture_use(&fixture, true, 0, fixture.a.token);
    expect_run(&fixture, HY_STATUS_OK);
    fixture_reset(&fixture);
    fixture_use(&fixture, false, 1, fixture.a.token);
    expect_run(&fixture, HY_STATUS_OK);
    EXPECT(memcmp(fixture.out[0], threes, sizeof threes) == 0);
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, several_inputs_may_be_one_buffer)
{
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    fixture_use(&fixture, false, 0, fixture.a.token);
    fixture_use(&fixture, false, 1, fixture.a.token);
    expect_run(&fixture, HY_STATUS_OK);
    EXPECT(memcmp(fixture.out[1], squares, sizeof squares) == 0);
    fixture_argument(&fixture, false, 1)->location.pool = 0; /* the same pool */
    expect_run(&fixture, HY_STATUS_OK);
    EXPECT(memcmp(fixture.out[1], squares, sizeof squares) == 0);
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, an_output_is_nothing_else_in_a_request)
{
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    fixture_use(&fixture, false, 0, fixture.a.token);
    fixture_use(&fixture, true, 1, fixture.a.token);
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(fixture.runner.message, "output 1: buffer");
    fixture_reset(&fixture);
    fixture_use(&fixture, true, 0, fixture.b.token);
    fixture_use(&fixture, true, 1, fixture.b.token);
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    fixture_reset(&fixture);
    expect_run(&fixture, HY_STATUS_OK); /* nothing is held */
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, tokens_that_name_nothing_are_invalid)
{
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    const uint32_t tokens[] = {0, 1, 4095, fixture.b.token + 1, fixture.b.token + 4096, UINT32_MAX};
    for (size_t i = 0; i < 2 * sizeof tokens / sizeof *tokens; i++) {
        fixture_use(&fixture, i % 2, 0, tokens[i / 2]);
        expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
        EXPECT_CONTAINS(fixture.runner.message, "does not exist");
        fixture_reset(&fixture);
    }
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, a_token_of_one_that_is_gone_names_no_other)
{
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    const struct hy_buffer_desc desc = buffer_desc(&fixture, all_roles, 4);
    const uint32_t first = fixture.a.token;
    for (uint32_t i = 0; i < 10000; i++) { /* each place is taken again, and again */
        const uint32_t old = fixture.a.token;
        buffer_destroy(&fixture.a);
        REQUIRE(buffer_create(&fixture, &desc, &fixture.a) == HY_STATUS_OK);
        EXPECT(fixture.a.token != old && fixture.a.token != first &&
               fixture.a.token != fixture.b.token);
        if (i % 100 == 0)
            EXPECT_INT(buffer_copy(&fixture.b, old), HY_STATUS_INVALID_ARGUMENT);
    }
    fixture_use(&fixture, true, 0, first);
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, a_role_that_was_not_announced_is_invalid)
{
    struct buffer narrow;
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    const struct hy_buffer_desc desc = buffer_desc(&fixture, &all_roles[1], 1);
    REQUIRE(buffer_create(&fixture, &desc, &narrow) == HY_STATUS_OK);
    EXPECT_INT(buffer_write(&narrow, ones), HY_STATUS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        fixture_use(&fixture, i / 2, i % 2, narrow.token);
        expect_run(&fixture, i == 1 ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT);
        fixture_reset(&fixture);
    }
    buffer_destroy(&narrow);
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, arguments_are_whole_buffers_of_the_models_shape)
{
    static const uint32_t right[] = {COUNT}, wrong[] = {COUNT - 1};
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    for (uint32_t i = 0; i < 5; i++) {
        fixture_use(&fixture, false, 0, fixture.a.token);
        struct hy_argument *argument = fixture_argument(&fixture, false, 0);
        argument->rank = i == 0 || i == 4;
        argument->dims = i == 0 ? wrong : right;
        argument->location.offset = i == 1 ? 4 : 0;
        argument->location.length = i == 2 ? sizeof ones : 0;
        argument->location.padding = i == 3 ? 4 : 0;
        expect_run(&fixture, i == 4 ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT);
    }
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, reading_what_nobody_has_written_fails)
{
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    fixture_use(&fixture, false, 1, fixture.a.token);
    expect_run(&fixture, HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(fixture.runner.message, "input 1: the buffer has no contents");
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    expect_run(&fixture, HY_STATUS_OK);
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, after_an_execution_that_fails_outputs_hold_nothing)
{
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    EXPECT_INT(buffer_write(&fixture.b, ones), HY_STATUS_OK);
    fixture_use(&fixture, false, 0, fixture.a.token);
    fixture_use(&fixture, true, 0, fixture.b.token);
    fixture.runner.deadline = 1;
    expect_run(&fixture, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT(buffer_holds_nothing(&fixture.b));
    EXPECT(buffer_holds(&fixture.a, ones));
    fixture.runner.deadline = HY_NO_DEADLINE;
    expect_run(&fixture, HY_STATUS_OK);
    EXPECT(buffer_holds(&fixture.b, twos));
    fixture_close(&fixture);
}

TEST(xnnpack_buffers, after_a_request_that_is_refused_outputs_hold_nothing)
{
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    EXPECT_INT(buffer_write(&fixture.b, ones), HY_STATUS_OK);
    fixture_argument(&fixture, false, 0)->location.length = 1;
    fixture_use(&fixture, false, 1, fixture.a.token);
    fixture_use(&fixture, true, 1, fixture.b.token);
    expect_run(&fixture, HY_STATUS_INVALID_ARGUMENT);
    EXPECT(buffer_holds(&fixture.a, ones));
    EXPECT(buffer_holds_nothing(&fixture.b));
    fixture_close(&fixture);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Executions that read one buffer, each of which writes to another; and buffers that come and go
 * beside them. */
struct part {
    struct fixture *fixture;
    unsigned number, wrong;
};

static void work(void *argument)
{
    struct part *part = argument;
    struct fixture *own = malloc(sizeof *own);
    struct buffer mine;
    REQUIRE(own != NULL);
    *own = *part->fixture;
    fixture_reset(own);
    const struct hy_buffer_desc desc = buffer_desc(own, all_roles, 4);
    for (unsigned i = 0; i < 200; i++) {
        if (buffer_create(own, &desc, &mine) != HY_STATUS_OK) {
            part->wrong++;
            continue;
        }
        fixture_use(own, false, 0, own->a.token);
        fixture_use(own, true, part->number % 2, mine.token);
        if (hy_runner_execute(&own->runner) != HY_STATUS_OK ||
            !buffer_holds(&mine, part->number % 2 ? squares : twos))
            part->wrong++;
        buffer_destroy(&mine);
        if (hy_runner_execute(&own->runner) != HY_STATUS_INVALID_ARGUMENT)
            part->wrong++;
        fixture_reset(own);
    }
    free(own);
}

TEST(xnnpack_buffers, serve_many_threads)
{
    struct part parts[8];
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    EXPECT_INT(buffer_write(&fixture.a, ones), HY_STATUS_OK);
    for (unsigned i = 0; i < 8; i++)
        parts[i] = (struct part){.fixture = &fixture, .number = i};
    EXPECT(hy_threads_run(8, work, parts, sizeof *parts));
    for (unsigned i = 0; i < 8; i++)
        EXPECT_INT(parts[i].wrong, 0);
    fixture_close(&fixture);
}

/* Threads name a buffer that another destroys: they use it to the end, or find none. */
static void race(void *argument)
{
    struct part *part = argument;
    struct fixture *own = malloc(sizeof *own);
    REQUIRE(own != NULL);
    *own = *part->fixture;
    fixture_reset(own);
    if (part->number == 0) {
        buffer_destroy(&own->b);
        free(own);
        return;
    }
    fixture_use(own, false, part->number % 2, own->b.token);
    for (unsigned i = 0; i < 20; i++) {
        const int32_t status = hy_runner_execute(&own->runner);
        if (status != HY_STATUS_INVALID_ARGUMENT &&
            !(status == HY_STATUS_OK && memcmp(own->out[0], twos, sizeof twos) == 0))
            part->wrong++;
    }
    free(own);
}

TEST(xnnpack_buffers, one_that_is_destroyed_while_it_is_used_lasts_as_long)
{
    struct part parts[4];
    struct fixture fixture;

    REQUIRE(fixture_open(&fixture));
    const struct hy_buffer_desc desc = buffer_desc(&fixture, all_roles, 4);
    for (unsigned round = 0; round < 100; round++) {
        EXPECT_INT(buffer_write(&fixture.b, ones), HY_STATUS_OK);
        for (unsigned i = 0; i < 4; i++)
            parts[i] = (struct part){.fixture = &fixture, .number = i};
        EXPECT(hy_threads_run(4, race, parts, sizeof *parts));
        for (unsigned i = 0; i < 4; i++)
            EXPECT_INT(parts[i].wrong, 0);
        REQUIRE(buffer_create(&fixture, &desc, &fixture.b) == HY_STATUS_OK);
    }
    fixture_close(&fixture);
}
