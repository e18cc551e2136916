/* Memory of the driver's own: what it is made for, what it holds, and executions in it. */
#include "buffer_scene.h"
#include "support/threads.h"
#include "test.h"

#include <stdlib.h>

static const float ones[COUNT] = {1, 2, 3, 4, 5};
static const float twos[COUNT] = {2, 4, 6, 8, 10};
static const float squares[COUNT] = {1, 4, 9, 16, 25};

static void expect_run(struct scene *scene, int32_t status)
{
    EXPECT_INT(hy_runner_execute(&scene->runner), status);
}

/* ---- Making ---------------------------------------------------------------------------------- */

static void expect_refused(struct scene *scene, const struct hy_buffer_desc *desc)
{
    struct buffer buffer;
    EXPECT_INT(buffer_create(scene, desc, &buffer), HY_STATUS_INVALID_ARGUMENT);
    EXPECT(buffer.self == NULL && buffer.token == 0);
}

TEST(xnnpack_buffers, roles_that_are_none_are_refused)
{
    static const struct hy_buffer_role wrong[] = {
        {1, 0, 0, 1}, {0, 2, 0, 1},    {0, 0, 2, 1},    {0, 1, 2, 1},
        {0, 0, 0, 0}, {0, 0, 0, 1.5f}, {0, 0, 0, -.5f}, {UINT32_MAX, 0, 0, 1}};
    const struct hy_buffer_role twice[] = {all_roles[0], all_roles[1], all_roles[0]};
    struct scene scene;

    REQUIRE(scene_open(&scene));
    struct hy_buffer_desc desc = buffer_desc(&scene, wrong, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        desc.roles = &wrong[i];
        expect_refused(&scene, &desc);
    }
    desc = buffer_desc(&scene, twice, 3);
    expect_refused(&scene, &desc);
    desc = buffer_desc(&scene, all_roles, 0);
    expect_refused(&scene, &desc);
    desc = buffer_desc(&scene, all_roles, 4);
    desc.prepared_count = 0;
    expect_refused(&scene, &desc);
    desc = buffer_desc(&scene, all_roles, 4);
    desc.struct_size = 8;
    expect_refused(&scene, &desc);
    scene_close(&scene);
}

TEST(xnnpack_buffers, dimensions_have_to_be_those_of_the_roles)
{
    static const uint32_t same[] = {COUNT}, open[] = {0}, other[] = {COUNT + 1},
                          more[] = {1, COUNT};
    struct scene scene;

    REQUIRE(scene_open(&scene));
    struct hy_buffer_desc desc = buffer_desc(&scene, all_roles, 4);
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
        EXPECT_INT(buffer_create(&scene, &desc, &buffer), cases[i].status);
        buffer_destroy(&buffer);
    }
    scene_close(&scene);
}

/* A prepared model of another shape beside that of the scene. */
TEST(xnnpack_buffers, roles_have_to_agree)
{
    const struct hy_builder_type row = {.type = F32, .rank = 1, .dims = {COUNT + 1}};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    static const struct hy_buffer_role roles[] = {{0, 0, 0, 1}, {1, 0, 0, 1}};
    struct hy_builder builder;
    struct scene scene;
    void *other = NULL;

    REQUIRE(scene_open(&scene));
    hy_builder_init(&builder);
    const uint32_t input = hy_builder_input(&builder, &row);
    const uint32_t output = hy_builder_output(&builder, &row);
    hy_builder_operation(&builder, ANEURALNETWORKS_RELU, 1, &input, 1, &output);
    const struct hy_device *table = scene.runner.table;
    EXPECT_INT(table->prepare(scene.runner.device, hy_builder_model(&builder), &options, &other),
               HY_STATUS_OK);
    void *const both[] = {scene.runner.prepared, other};
    struct hy_buffer_desc desc = buffer_desc(&scene, roles, 2);
    desc.prepared = both;
    desc.prepared_count = 2;
    expect_refused(&scene, &desc);
    table->prepared_destroy(other);
    hy_builder_finish(&builder);
    scene_close(&scene);
}

TEST(xnnpack_buffers, more_than_there_are_tokens_for_are_refused)
{
    enum { MOST = 4096 };
    static struct buffer made[MOST];
    struct buffer one_more;
    struct scene scene;
    uint32_t count = 0;

    REQUIRE(scene_open(&scene));
    const struct hy_buffer_desc desc = buffer_desc(&scene, all_roles, 4);
    while (count < MOST && buffer_create(&scene, &desc, &made[count]) == HY_STATUS_OK)
        count++;
    EXPECT_INT(count, MOST - 2); /* the scene has two */
    EXPECT_INT(buffer_create(&scene, &desc, &one_more), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    buffer_destroy(&made[7]);
    EXPECT_INT(buffer_create(&scene, &desc, &made[7]), HY_STATUS_OK);
    for (uint32_t i = 0; i < count; i++)
        buffer_destroy(&made[i]);
    scene_close(&scene);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

TEST(xnnpack_buffers, what_is_copied_in_comes_out)
{
    static const uint32_t dims[] = {COUNT};
    const struct hy_pool pool = host_pool((void *)squares, sizeof squares);
    struct scene scene;

    REQUIRE(scene_open(&scene));
    EXPECT(buffer_holds_nothing(&scene.a));
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    EXPECT(buffer_holds(&scene.a, ones));
    EXPECT_INT(buffer_copy(&scene.b, scene.a.token), HY_STATUS_OK);
    EXPECT_INT(scene.a.table->buffer_copy_from(scene.a.self, &pool, dims, 1), HY_STATUS_OK);
    EXPECT(buffer_holds(&scene.a, squares) && buffer_holds(&scene.b, ones));
    EXPECT_INT(buffer_copy(&scene.a, scene.a.token), HY_STATUS_OK);
    EXPECT(buffer_holds(&scene.a, squares));
    scene_close(&scene);
}

TEST(xnnpack_buffers, after_a_copy_that_fails_it_holds_nothing)
{
    static const uint32_t dims[] = {COUNT + 1};
    float room[COUNT + 1] = {0};
    struct scene scene;

    REQUIRE(scene_open(&scene));
    const struct hy_pool right = host_pool(room, COUNT * sizeof *room);
    const struct hy_pool larger = host_pool(room, sizeof room), smaller = host_pool(room, 8);
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
        EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
        EXPECT_INT(
            scene.a.table->buffer_copy_from(scene.a.self, cases[i].pool, dims, cases[i].rank),
            cases[i].status);
        EXPECT(buffer_holds_nothing(&scene.a));
    }
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    EXPECT_INT(buffer_copy(&scene.a, scene.b.token), HY_STATUS_GENERAL_FAILURE);
    EXPECT(buffer_holds_nothing(&scene.a));
    EXPECT_INT(buffer_copy(&scene.a, 0), HY_STATUS_INVALID_ARGUMENT);
    scene_close(&scene);
}

TEST(xnnpack_buffers, copying_out_takes_memory_of_its_size)
{
    float room[COUNT + 1] = {0};
    struct scene scene;

    REQUIRE(scene_open(&scene));
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    const struct hy_pool larger = host_pool(room, sizeof room);
    EXPECT_INT(scene.a.table->buffer_copy_to(scene.a.self, &larger), HY_STATUS_INVALID_ARGUMENT);
    struct hy_pool locked = host_pool(room, COUNT * sizeof *room);
    locked.protection = HY_PROTECT_READ;
    EXPECT_INT(scene.a.table->buffer_copy_to(scene.a.self, &locked), HY_STATUS_INVALID_ARGUMENT);
    EXPECT(room[0] == 0 && buffer_holds(&scene.a, ones));
    scene_close(&scene);
}

/* ---- Executions ------------------------------------------------------------------------------ */

TEST(xnnpack_buffers, executions_read_and_write_them)
{
    struct scene scene;

    REQUIRE(scene_open(&scene));
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    scene_use(&scene, false, 0, scene.a.token);
    scene_use(&scene, true, 1, scene.b.token);
    for (uint32_t i = 0; i < 3; i++) {
        expect_run(&scene, HY_STATUS_OK);
        EXPECT(memcmp(scene.out[0], twos, sizeof twos) == 0);
        EXPECT(buffer_holds(&scene.b, squares));
    }
    EXPECT_INT(scene.runner.shapes[1].rank, 1);
    EXPECT_INT(scene.runner.shapes[1].dims[0], COUNT);
    EXPECT_INT(scene.runner.shapes[1].sufficient, 1);
    scene_close(&scene);
}

TEST(xnnpack_buffers, an_execution_reads_what_another_has_written)
{
    static const float threes[COUNT] = {3, 6, 9, 12, 15};
    struct scene scene;

    REQUIRE(scene_open(&scene));
    scene_use(&scene, true, 0, scene.a.token);
    expect_run(&scene, HY_STATUS_OK);
    scene_reset(&scene);
    scene_use(&scene, false, 1, scene.a.token);
    expect_run(&scene, HY_STATUS_OK);
    EXPECT(memcmp(scene.out[0], threes, sizeof threes) == 0);
    scene_close(&scene);
}

TEST(xnnpack_buffers, several_inputs_may_be_one_buffer)
{
    struct scene scene;

    REQUIRE(scene_open(&scene));
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    scene_use(&scene, false, 0, scene.a.token);
    scene_use(&scene, false, 1, scene.a.token);
    expect_run(&scene, HY_STATUS_OK);
    EXPECT(memcmp(scene.out[1], squares, sizeof squares) == 0);
    scene_argument(&scene, false, 1)->location.pool = 0; /* the same pool */
    expect_run(&scene, HY_STATUS_OK);
    EXPECT(memcmp(scene.out[1], squares, sizeof squares) == 0);
    scene_close(&scene);
}

TEST(xnnpack_buffers, an_output_is_nothing_else_in_a_request)
{
    struct scene scene;

    REQUIRE(scene_open(&scene));
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    scene_use(&scene, false, 0, scene.a.token);
    scene_use(&scene, true, 1, scene.a.token);
    expect_run(&scene, HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(scene.runner.message, "output 1: buffer");
    scene_reset(&scene);
    scene_use(&scene, true, 0, scene.b.token);
    scene_use(&scene, true, 1, scene.b.token);
    expect_run(&scene, HY_STATUS_INVALID_ARGUMENT);
    scene_reset(&scene);
    expect_run(&scene, HY_STATUS_OK); /* nothing is held */
    scene_close(&scene);
}

TEST(xnnpack_buffers, tokens_that_name_nothing_are_invalid)
{
    struct scene scene;

    REQUIRE(scene_open(&scene));
    const uint32_t tokens[] = {0, 1, 4095, scene.b.token + 1, scene.b.token + 4096, UINT32_MAX};
    for (size_t i = 0; i < 2 * sizeof tokens / sizeof *tokens; i++) {
        scene_use(&scene, i % 2, 0, tokens[i / 2]);
        expect_run(&scene, HY_STATUS_INVALID_ARGUMENT);
        EXPECT_CONTAINS(scene.runner.message, "is not there");
        scene_reset(&scene);
    }
    scene_close(&scene);
}

TEST(xnnpack_buffers, a_token_of_one_that_is_gone_names_no_other)
{
    struct scene scene;

    REQUIRE(scene_open(&scene));
    const struct hy_buffer_desc desc = buffer_desc(&scene, all_roles, 4);
    const uint32_t first = scene.a.token;
    for (uint32_t i = 0; i < 10000; i++) { /* each place is taken again, and again */
        const uint32_t old = scene.a.token;
        buffer_destroy(&scene.a);
        REQUIRE(buffer_create(&scene, &desc, &scene.a) == HY_STATUS_OK);
        EXPECT(scene.a.token != old && scene.a.token != first && scene.a.token != scene.b.token);
        if (i % 100 == 0)
            EXPECT_INT(buffer_copy(&scene.b, old), HY_STATUS_INVALID_ARGUMENT);
    }
    scene_use(&scene, true, 0, first);
    expect_run(&scene, HY_STATUS_INVALID_ARGUMENT);
    scene_close(&scene);
}

TEST(xnnpack_buffers, a_role_that_was_not_announced_is_invalid)
{
    struct buffer narrow;
    struct scene scene;

    REQUIRE(scene_open(&scene));
    const struct hy_buffer_desc desc = buffer_desc(&scene, &all_roles[1], 1);
    REQUIRE(buffer_create(&scene, &desc, &narrow) == HY_STATUS_OK);
    EXPECT_INT(buffer_write(&narrow, ones), HY_STATUS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        scene_use(&scene, i / 2, i % 2, narrow.token);
        expect_run(&scene, i == 1 ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT);
        scene_reset(&scene);
    }
    buffer_destroy(&narrow);
    scene_close(&scene);
}

TEST(xnnpack_buffers, arguments_are_whole_buffers_of_the_models_shape)
{
    static const uint32_t right[] = {COUNT}, wrong[] = {COUNT - 1};
    struct scene scene;

    REQUIRE(scene_open(&scene));
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    for (uint32_t i = 0; i < 5; i++) {
        scene_use(&scene, false, 0, scene.a.token);
        struct hy_argument *argument = scene_argument(&scene, false, 0);
        argument->rank = i == 0 || i == 4;
        argument->dims = i == 0 ? wrong : right;
        argument->location.offset = i == 1 ? 4 : 0;
        argument->location.length = i == 2 ? sizeof ones : 0;
        argument->location.padding = i == 3 ? 4 : 0;
        expect_run(&scene, i == 4 ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT);
    }
    scene_close(&scene);
}

TEST(xnnpack_buffers, reading_what_nobody_has_written_fails)
{
    struct scene scene;

    REQUIRE(scene_open(&scene));
    scene_use(&scene, false, 1, scene.a.token);
    expect_run(&scene, HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(scene.runner.message, "input 1 is a buffer that holds nothing");
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    expect_run(&scene, HY_STATUS_OK);
    scene_close(&scene);
}

TEST(xnnpack_buffers, after_an_execution_that_fails_outputs_hold_nothing)
{
    struct scene scene;

    REQUIRE(scene_open(&scene));
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    EXPECT_INT(buffer_write(&scene.b, ones), HY_STATUS_OK);
    scene_use(&scene, false, 0, scene.a.token);
    scene_use(&scene, true, 0, scene.b.token);
    scene.runner.deadline = 1;
    expect_run(&scene, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT(buffer_holds_nothing(&scene.b));
    EXPECT(buffer_holds(&scene.a, ones));
    scene.runner.deadline = HY_NO_DEADLINE;
    expect_run(&scene, HY_STATUS_OK);
    EXPECT(buffer_holds(&scene.b, twos));
    scene_close(&scene);
}

TEST(xnnpack_buffers, after_a_request_that_is_refused_outputs_hold_nothing)
{
    struct scene scene;

    REQUIRE(scene_open(&scene));
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    EXPECT_INT(buffer_write(&scene.b, ones), HY_STATUS_OK);
    scene_argument(&scene, false, 0)->location.length = 1;
    scene_use(&scene, false, 1, scene.a.token);
    scene_use(&scene, true, 1, scene.b.token);
    expect_run(&scene, HY_STATUS_INVALID_ARGUMENT);
    EXPECT(buffer_holds(&scene.a, ones));
    EXPECT(buffer_holds_nothing(&scene.b));
    scene_close(&scene);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Executions that read one buffer, each of which writes to another; and buffers that come and go
 * beside them. */
struct part {
    struct scene *scene;
    unsigned number, wrong;
};

static void work(void *argument)
{
    struct part *part = argument;
    struct scene *own = malloc(sizeof *own);
    struct buffer mine;
    REQUIRE(own != NULL);
    *own = *part->scene;
    scene_reset(own);
    const struct hy_buffer_desc desc = buffer_desc(own, all_roles, 4);
    for (unsigned i = 0; i < 200; i++) {
        if (buffer_create(own, &desc, &mine) != HY_STATUS_OK) {
            part->wrong++;
            continue;
        }
        scene_use(own, false, 0, own->a.token);
        scene_use(own, true, part->number % 2, mine.token);
        if (hy_runner_execute(&own->runner) != HY_STATUS_OK ||
            !buffer_holds(&mine, part->number % 2 ? squares : twos))
            part->wrong++;
        buffer_destroy(&mine);
        if (hy_runner_execute(&own->runner) != HY_STATUS_INVALID_ARGUMENT)
            part->wrong++;
        scene_reset(own);
    }
    free(own);
}

TEST(xnnpack_buffers, serve_many_threads)
{
    struct part parts[8];
    struct scene scene;

    REQUIRE(scene_open(&scene));
    EXPECT_INT(buffer_write(&scene.a, ones), HY_STATUS_OK);
    for (unsigned i = 0; i < 8; i++)
        parts[i] = (struct part){.scene = &scene, .number = i};
    EXPECT(hy_threads_run(8, work, parts, sizeof *parts));
    for (unsigned i = 0; i < 8; i++)
        EXPECT_INT(parts[i].wrong, 0);
    scene_close(&scene);
}

/* Threads name a buffer that another destroys: they use it to the end, or find none. */
static void race(void *argument)
{
    struct part *part = argument;
    struct scene *own = malloc(sizeof *own);
    REQUIRE(own != NULL);
    *own = *part->scene;
    scene_reset(own);
    if (part->number == 0) {
        buffer_destroy(&own->b);
        free(own);
        return;
    }
    scene_use(own, false, part->number % 2, own->b.token);
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
    struct scene scene;

    REQUIRE(scene_open(&scene));
    const struct hy_buffer_desc desc = buffer_desc(&scene, all_roles, 4);
    for (unsigned round = 0; round < 100; round++) {
        EXPECT_INT(buffer_write(&scene.b, ones), HY_STATUS_OK);
        for (unsigned i = 0; i < 4; i++)
            parts[i] = (struct part){.scene = &scene, .number = i};
        EXPECT(hy_threads_run(4, race, parts, sizeof *parts));
        for (unsigned i = 0; i < 4; i++)
            EXPECT_INT(parts[i].wrong, 0);
        REQUIRE(buffer_create(&scene, &desc, &scene.b) == HY_STATUS_OK);
    }
    scene_close(&scene);
}
