/* Buffers of a device whose second layout is the order of the API, element by element backwards. */
#include "driver_kit/device_buffer.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"

#include <android/NeuralNetworks.h>

enum { COUNT = 3, INPUTS = 2, BACKWARDS = 1 };

/* A prepared model: two inputs and one output of COUNT floats. */
struct model {
    struct hy_buffer_tensor arguments[INPUTS + 1];
};

static bool argument(const void *prepared, bool is_output, uint32_t index,
                     struct hy_buffer_tensor *tensor)
{
    const struct model *model = prepared;
    if (index >= (is_output ? 1 : INPUTS))
        return false;
    *tensor = model->arguments[is_output ? INPUTS : index];
    return true;
}

static uint64_t stored_bytes(const struct hy_buffer_tensor *tensor)
{
    return tensor->bytes + 8;
}

static void convert(const struct hy_buffer_tensor *tensor, uint32_t from_layout,
                    const uint8_t *from, uint32_t to_layout, uint8_t *to)
{
    EXPECT(from_layout != to_layout);
    for (uint64_t i = 0; i < tensor->bytes; i += sizeof(float))
        memcpy(to + tensor->bytes - sizeof(float) - i, from + i, sizeof(float));
}

static const struct hy_buffer_functions functions = {argument, stored_bytes, convert};

struct fixture {
    struct hy_device_buffers buffers;
    struct model model;
    const void *prepared[1];
    struct hy_buffer_role roles[INPUTS + 1];
    struct hy_buffer_desc desc; /* for the first `desc.role_count` roles */
};

static void fixture_open(struct fixture *fixture, uint32_t capacity)
{
    const struct hy_buffer_tensor tensor = {.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                            .rank = 1,
                                            .dims = {COUNT},
                                            .bytes = COUNT * sizeof(float),
                                            .layout = BACKWARDS};
    *fixture = (struct fixture){.model = {{tensor, tensor, tensor}},
                                .roles = {{0, 0, 0, 1}, {0, 0, 1, 1}, {0, 1, 0, 1}}};
    fixture->prepared[0] = &fixture->model;
    fixture->desc = (struct hy_buffer_desc){.struct_size = sizeof fixture->desc,
                                            .prepared_count = 1,
                                            .prepared = (void *const *)fixture->prepared,
                                            .role_count = INPUTS + 1,
                                            .roles = fixture->roles};
    EXPECT(hy_device_buffers_init(&fixture->buffers, hy_test_host(), &functions, capacity));
}

static struct hy_device_buffer *create(struct fixture *fixture, int32_t status)
{
    void *buffer = NULL;
    uint32_t token = 0;
    EXPECT_INT(hy_device_buffer_create(&fixture->buffers, &fixture->desc, &token, &buffer), status);
    EXPECT((buffer != NULL) == (status == HY_STATUS_OK));
    EXPECT((token != 0) == (status == HY_STATUS_OK));
    return buffer;
}

static struct hy_pool pool_of(void *bytes, uint64_t size)
{
    return (struct hy_pool){.kind = HY_POOL_HOST,
                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                            .address = bytes,
                            .size = size};
}

TEST(device_buffer, copies_convert_between_layouts)
{
    float in[COUNT] = {1, 2, 3}, out[COUNT] = {0}, stored[COUNT];
    struct hy_pool from = pool_of(in, sizeof in), to = pool_of(out, sizeof out);
    struct fixture fixture;

    fixture_open(&fixture, 4);
    struct hy_device_buffer *buffer = create(&fixture, HY_STATUS_OK);
    REQUIRE(buffer != NULL);
    EXPECT_INT(buffer->tensor.layout, BACKWARDS);
    EXPECT_INT(hy_device_buffer_copy_to(buffer, &to), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(hy_device_buffer_copy_from(buffer, &from, NULL, 0), HY_STATUS_OK);
    memcpy(stored, buffer->memory, sizeof stored);
    EXPECT(stored[0] == 3 && stored[1] == 2 && stored[2] == 1);
    EXPECT_INT(hy_device_buffer_copy_to(buffer, &to), HY_STATUS_OK);
    EXPECT_INT(memcmp(in, out, sizeof in), 0);
    hy_device_buffer_destroy(buffer);
    hy_device_buffers_finish(&fixture.buffers);
}

TEST(device_buffer, roles_of_different_layouts_share_the_order_of_the_api)
{
    float in[COUNT] = {1, 2, 3}, out[COUNT] = {0};
    struct hy_pool from = pool_of(in, sizeof in), to = pool_of(out, sizeof out);
    struct fixture fixture;

    fixture_open(&fixture, 4);
    struct hy_device_buffer *backwards = create(&fixture, HY_STATUS_OK);
    fixture.model.arguments[1].layout = 0;
    struct hy_device_buffer *plain = create(&fixture, HY_STATUS_OK);
    REQUIRE(backwards && plain);
    EXPECT_INT(plain->tensor.layout, 0);
    EXPECT_INT(hy_device_buffer_copy_from(backwards, &from, NULL, 0), HY_STATUS_OK);
    struct hy_pool inside = {.kind = HY_POOL_BUFFER, .buffer_token = backwards->token};
    EXPECT_INT(hy_device_buffer_copy_from(plain, &inside, NULL, 0), HY_STATUS_OK);
    EXPECT_INT(memcmp(plain->memory, in, sizeof in), 0);
    EXPECT_INT(hy_device_buffer_copy_to(plain, &to), HY_STATUS_OK);
    EXPECT_INT(memcmp(in, out, sizeof in), 0);
    inside.buffer_token = plain->token;
    EXPECT_INT(hy_device_buffer_copy_from(plain, &inside, NULL, 0), HY_STATUS_OK);
    EXPECT_INT(memcmp(plain->memory, in, sizeof in), 0);
    hy_device_buffer_destroy(backwards);
    hy_device_buffer_destroy(plain);
    hy_device_buffers_finish(&fixture.buffers);
}

TEST(device_buffer, copy_that_fails_leaves_nothing_to_read)
{
    float in[COUNT + 1] = {1, 2, 3};
    const uint32_t right[] = {COUNT}, wrong[] = {0};
    struct hy_pool from = pool_of(in, COUNT * sizeof *in), large = pool_of(in, sizeof in);
    struct fixture fixture;

    fixture_open(&fixture, 4);
    struct hy_device_buffer *buffer = create(&fixture, HY_STATUS_OK);
    REQUIRE(buffer != NULL);
    const struct {
        const struct hy_pool pool;
        const uint32_t *dims;
        int32_t status;
    } cases[] = {
        {large, NULL, HY_STATUS_INVALID_ARGUMENT},
        {from, wrong, HY_STATUS_INVALID_ARGUMENT},
        {{.kind = HY_POOL_HARDWARE_BUFFER}, NULL, HY_STATUS_GENERAL_FAILURE},
        {{.kind = HY_POOL_BUFFER, .buffer_token = 1}, NULL, HY_STATUS_INVALID_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        EXPECT_INT(hy_device_buffer_copy_from(buffer, &from, right, 1), HY_STATUS_OK);
        EXPECT(atomic_load(&buffer->is_written));
        EXPECT_INT(hy_device_buffer_copy_from(buffer, &cases[i].pool, cases[i].dims,
                                              cases[i].dims ? 1 : 0),
                   cases[i].status);
        EXPECT(!atomic_load(&buffer->is_written));
    }
    hy_device_buffer_destroy(buffer);
    hy_device_buffers_finish(&fixture.buffers);
}

TEST(device_buffer, roles_that_are_wrong_are_refused)
{
    static const struct hy_buffer_role wrong[] = {
        {1, 0, 0, 1}, {0, 2, 0, 1}, {0, 0, 2, 1},    {0, 1, 1, 1},
        {0, 0, 0, 0}, {0, 0, 0, 2}, {0, 0, 0, -.5f}, {0, 0, 1, 1} /* twice */
    };
    struct fixture fixture;

    fixture_open(&fixture, 4);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fixture.roles[2] = wrong[i];
        (void)create(&fixture, HY_STATUS_INVALID_ARGUMENT);
    }
    fixture.desc.role_count = 0;
    (void)create(&fixture, HY_STATUS_INVALID_ARGUMENT);
    fixture.desc.role_count = 1;
    fixture.desc.struct_size = 8;
    (void)create(&fixture, HY_STATUS_INVALID_ARGUMENT);
    hy_device_buffers_finish(&fixture.buffers);
}

TEST(device_buffer, roles_and_dimensions_have_to_agree)
{
    static const uint32_t open[] = {0}, other[] = {COUNT + 1};
    struct fixture fixture;

    fixture_open(&fixture, 4);
    fixture.desc.rank = 1;
    fixture.desc.dims = open;
    hy_device_buffer_destroy(create(&fixture, HY_STATUS_OK));
    fixture.desc.dims = other;
    (void)create(&fixture, HY_STATUS_INVALID_ARGUMENT);
    fixture.desc.rank = 0;
    fixture.model.arguments[1].scale = -0.f; /* equal to 0, in other bits */
    hy_device_buffer_destroy(create(&fixture, HY_STATUS_OK));
    fixture.model.arguments[1].scale = .5f;
    (void)create(&fixture, HY_STATUS_INVALID_ARGUMENT);
    fixture.model.arguments[1].bytes = 0;
    (void)create(&fixture, HY_STATUS_GENERAL_FAILURE);
    hy_device_buffers_finish(&fixture.buffers);
}

TEST(device_buffer, is_held_only_for_what_it_was_made_for)
{
    struct fixture fixture;

    fixture_open(&fixture, 4);
    fixture.desc.role_count = 1;
    struct hy_device_buffer *buffer = create(&fixture, HY_STATUS_OK);
    REQUIRE(buffer != NULL);
    const uint32_t token = buffer->token;
    const struct hy_buffer_use use = {&fixture.model, false, 0}, output = {&fixture.model, true, 0},
                               second = {&fixture.model, false, 1}, stranger = {&fixture, false, 0};
    EXPECT(hy_device_buffer_hold(&fixture.buffers, token, use) == buffer);
    EXPECT(!hy_device_buffer_hold(&fixture.buffers, token, output));
    EXPECT(!hy_device_buffer_hold(&fixture.buffers, token, second));
    EXPECT(!hy_device_buffer_hold(&fixture.buffers, token, stranger));
    hy_device_buffer_destroy(buffer); /* held: its memory stays */
    EXPECT(!hy_device_buffer_hold(&fixture.buffers, token, use));
    buffer->memory[0] = 1;
    hy_device_buffer_release(buffer);
    hy_device_buffers_finish(&fixture.buffers);
}

TEST(device_buffer, capacity_limits_what_lives_at_once)
{
    struct fixture fixture;

    fixture_open(&fixture, 1);
    struct hy_device_buffer *buffer = create(&fixture, HY_STATUS_OK);
    REQUIRE(buffer != NULL);
    (void)create(&fixture, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    hy_device_buffer_destroy(buffer);
    hy_device_buffer_destroy(create(&fixture, HY_STATUS_OK));
    hy_device_buffers_finish(&fixture.buffers);
}
