/* Requests of a model with two inputs, the second one optional, and one output of four floats. */
#include "driver_kit/request_binding.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"

#include <android/NeuralNetworks.h>

enum { INPUTS = 2, ARGUMENTS = 3, COUNT = 4, BYTES = COUNT * sizeof(float), CAPACITY = 64 };

static struct hy_buffer_tensor tensors[ARGUMENTS];

static bool argument(const void *prepared, bool is_output, uint32_t index,
                     struct hy_buffer_tensor *tensor)
{
    EXPECT(prepared == tensors);
    if (index >= (is_output ? 1 : INPUTS))
        return false;
    *tensor = tensors[is_output ? INPUTS : index];
    return true;
}

static uint64_t stored_bytes(const struct hy_buffer_tensor *tensor)
{
    return tensor->bytes;
}

static const struct hy_buffer_functions functions = {argument, stored_bytes, NULL};

/* A good request over one pool for each argument, which tests spoil. */
struct fixture {
    struct hy_device_buffers buffers;
    struct hy_request_target target;
    float memory[ARGUMENTS][CAPACITY / sizeof(float)];
    uint32_t dims[2];
    struct hy_pool pools[ARGUMENTS];
    struct hy_argument arguments[ARGUMENTS];
    struct hy_request request;
    struct hy_run_options options;
    struct hy_output_shape shape;
    struct hy_result result;
    struct hy_bound_argument bound[ARGUMENTS];
    char text[128];
    struct hy_message message;
};

static void fill_request(struct fixture *fixture)
{
    for (uint32_t i = 0; i < ARGUMENTS; i++) {
        fixture->pools[i] = (struct hy_pool){.kind = HY_POOL_HOST,
                                             .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                             .fd = -1,
                                             .size = CAPACITY,
                                             .address = fixture->memory[i]};
        fixture->arguments[i] = (struct hy_argument){.location = {.pool = i, .length = BYTES}};
    }
    fixture->request = (struct hy_request){.struct_size = sizeof fixture->request,
                                           .input_count = INPUTS,
                                           .output_count = 1,
                                           .pool_count = ARGUMENTS,
                                           .inputs = fixture->arguments,
                                           .outputs = &fixture->arguments[INPUTS],
                                           .pools = fixture->pools};
}

static void fixture_open(struct fixture *fixture, uint32_t capacity)
{
    *fixture = (struct fixture){.dims = {1, COUNT}};
    for (uint32_t i = 0; i < ARGUMENTS; i++)
        tensors[i] = (struct hy_buffer_tensor){.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                               .rank = 2,
                                               .dims = {1, COUNT},
                                               .bytes = BYTES,
                                               .is_optional = i == 1};
    EXPECT(hy_device_buffers_init(&fixture->buffers, hy_test_host(), &functions, capacity));
    fixture->target = (struct hy_request_target){.buffers = &fixture->buffers,
                                                 .prepared = tensors,
                                                 .input_count = INPUTS,
                                                 .output_count = 1};
    fixture->options = (struct hy_run_options){.struct_size = sizeof fixture->options};
    fixture->result = (struct hy_result){
        .struct_size = sizeof fixture->result, .output_count = 1, .outputs = &fixture->shape};
    fixture->message = (struct hy_message){fixture->text, sizeof fixture->text};
    fill_request(fixture);
}

static int32_t bind(struct fixture *fixture)
{
    return hy_request_bind(&fixture->target, &fixture->request, fixture->bound, &fixture->message);
}

static void release(struct fixture *fixture, int32_t status)
{
    hy_request_release(&fixture->target, &fixture->request, fixture->bound, status);
}

/* Binds, and releases with the status of that. */
static int32_t try_bind(struct fixture *fixture)
{
    const int32_t status = bind(fixture);
    release(fixture, status);
    return status;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

TEST(driver_kit_request, arguments_are_found_with_the_bytes_behind_them)
{
    struct fixture fixture;
    fixture_open(&fixture, 0);
    fixture.arguments[0].location.offset = 8;
    EXPECT_INT(bind(&fixture), HY_STATUS_OK);
    EXPECT(fixture.bound[0].address == (uint8_t *)fixture.memory[0] + 8);
    EXPECT_INT(fixture.bound[0].trailing, CAPACITY - 8 - BYTES);
    EXPECT(fixture.bound[2].address == (uint8_t *)fixture.memory[2]);
    EXPECT(!fixture.bound[2].buffer);
    release(&fixture, HY_STATUS_OK);
}

TEST(driver_kit_request, optional_input_may_be_left_out_and_others_not)
{
    struct fixture fixture;
    fixture_open(&fixture, 0);
    fixture.arguments[1] = (struct hy_argument){.flags = HY_ARGUMENT_NO_VALUE};
    EXPECT_INT(try_bind(&fixture), HY_STATUS_OK);
    EXPECT(!fixture.bound[1].address);
    fixture.arguments[1].flags = HY_ARGUMENT_NO_VALUE | 8;
    EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
    fill_request(&fixture);
    fixture.arguments[0].flags = HY_ARGUMENT_NO_VALUE;
    EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
    fill_request(&fixture);
    fixture.arguments[2].flags = HY_ARGUMENT_NO_VALUE;
    EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
}

TEST(driver_kit_request, input_that_no_operation_reads_is_not_looked_at)
{
    struct fixture fixture;
    fixture_open(&fixture, 0);
    tensors[0].bytes = 0;
    fixture.arguments[0] = (struct hy_argument){.location = {.pool = 99, .length = UINT64_MAX}};
    EXPECT_INT(try_bind(&fixture), HY_STATUS_OK);
    EXPECT(!fixture.bound[0].address);
}

TEST(driver_kit_request, shape_is_left_out_or_repeated_and_open_for_an_output)
{
    static const uint32_t open[] = {1, 0}, other[] = {1, COUNT + 1};
    struct fixture fixture;
    fixture_open(&fixture, 0);
    for (uint32_t i = 0; i < ARGUMENTS; i += 2) {
        fill_request(&fixture);
        struct hy_argument *argument = &fixture.arguments[i];
        argument->rank = 2;
        EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT); /* no extents */
        argument->dims = fixture.dims;
        EXPECT_INT(try_bind(&fixture), HY_STATUS_OK);
        argument->dims = other;
        EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
        argument->dims = open;
        EXPECT_INT(try_bind(&fixture), i == 2 ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT);
        argument->rank = 1;
        EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
    }
}

TEST(driver_kit_request, memory_outside_of_a_pool_is_refused)
{
    static const uint64_t far[] = {CAPACITY - BYTES + 1, CAPACITY, CAPACITY + 1,
                                   UINT64_MAX - BYTES + 1, UINT64_MAX};
    struct fixture fixture;
    fixture_open(&fixture, 0);
    for (uint32_t i = 0; i < ARGUMENTS; i++) {
        for (unsigned k = 0; k < sizeof far / sizeof *far; k++) {
            fill_request(&fixture);
            fixture.arguments[i].location.offset = far[k];
            EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
        }
        fill_request(&fixture);
        fixture.arguments[i].location.pool = ARGUMENTS;
        EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
    }
    EXPECT_STR(fixture.text, "output 0 does not fit (status 4)");
}

TEST(driver_kit_request, image_is_refused)
{
    struct fixture fixture;
    fixture_open(&fixture, 0);
    for (uint32_t i = 0; i < ARGUMENTS; i++) {
        fill_request(&fixture);
        fixture.pools[i].kind = HY_POOL_HARDWARE_BUFFER;
        fixture.arguments[i].location.length = 0;
        EXPECT_INT(try_bind(&fixture), HY_STATUS_GENERAL_FAILURE);
    }
}

TEST(driver_kit_request, output_that_is_read_needs_memory_that_can_be_read)
{
    struct fixture fixture;
    fixture_open(&fixture, 0);
    fixture.pools[2].protection = HY_PROTECT_WRITE;
    EXPECT_INT(try_bind(&fixture), HY_STATUS_OK);
    tensors[2].is_read = true;
    EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
}

/* ---- Lengths and shapes ---------------------------------------------------------------------- */

TEST(driver_kit_request, input_has_its_bytes_exactly_and_an_output_at_least)
{
    struct fixture fixture;
    fixture_open(&fixture, 0);
    for (uint64_t length = BYTES - 1; length <= BYTES + 1; length++) {
        fill_request(&fixture);
        fixture.arguments[0].location.length = length;
        EXPECT_INT(try_bind(&fixture), length == BYTES ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT);
        fill_request(&fixture);
        fixture.arguments[2].location.length = length;
        const int32_t status = try_bind(&fixture);
        EXPECT_INT(status, length >= BYTES ? HY_STATUS_OK : HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
        hy_request_write_result(&fixture.target, &fixture.request, status, 5, 7, &fixture.result);
        EXPECT(fixture.result.time_on_device == (length >= BYTES ? 5 : HY_NO_TIME));
        EXPECT(fixture.result.time_in_driver == (length >= BYTES ? 7 : HY_NO_TIME));
        EXPECT_INT(fixture.shape.sufficient, length >= BYTES);
        EXPECT_INT(fixture.shape.rank, 2);
        EXPECT_INT(fixture.shape.dims[1], COUNT);
    }
}

TEST(driver_kit_request, views_of_an_older_version_or_another_model_do_not_fit)
{
    struct fixture fixture;
    fixture_open(&fixture, 0);
#define FITS hy_request_fits(&fixture.target, &fixture.request, &fixture.options, &fixture.result)
    EXPECT(FITS);
    fixture.request.struct_size = 8;
    EXPECT(!FITS);
    fill_request(&fixture);
    fixture.request.input_count = INPUTS + 1;
    EXPECT(!FITS);
    fill_request(&fixture);
    fixture.request.output_count = 0;
    EXPECT(!FITS);
    fill_request(&fixture);
    fixture.options.struct_size = 0;
    EXPECT(!FITS);
    fixture.options.struct_size = sizeof fixture.options;
    fixture.result.output_count = 0;
    EXPECT(!FITS);
#undef FITS
}

TEST(driver_kit_request, failure_tells_neither_shapes_nor_times)
{
    struct fixture fixture;
    fixture_open(&fixture, 0);
    hy_request_write_result(&fixture.target, &fixture.request, HY_STATUS_GENERAL_FAILURE, 5, 7,
                            &fixture.result);
    EXPECT_INT(fixture.shape.rank, 0);
    EXPECT(fixture.result.time_on_device == HY_NO_TIME);
    EXPECT(fixture.result.time_in_driver == HY_NO_TIME);
}

/* ---- Buffers --------------------------------------------------------------------------------- */

/* A buffer for input 0 and for the output. */
static struct hy_device_buffer *create(struct fixture *fixture)
{
    void *const prepared[] = {tensors};
    const struct hy_buffer_role roles[] = {{.frequency = 1}, {.is_output = 1, .frequency = 1}};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .prepared_count = 1,
                                        .prepared = prepared,
                                        .role_count = 2,
                                        .roles = roles};
    void *buffer = NULL;
    uint32_t token = 0;
    EXPECT_INT(hy_device_buffer_create(&fixture->buffers, &desc, &token, &buffer), HY_STATUS_OK);
    return buffer;
}

static void use_buffer(struct fixture *fixture, uint32_t number,
                       const struct hy_device_buffer *buffer)
{
    fixture->pools[number] =
        (struct hy_pool){.kind = HY_POOL_BUFFER, .buffer_token = buffer->token};
    fixture->arguments[number].location.length = 0;
}

TEST(driver_kit_request, output_buffer_holds_what_a_success_wrote_and_nothing_after_a_failure)
{
    struct fixture fixture;
    fixture_open(&fixture, 4);
    struct hy_device_buffer *buffer = create(&fixture);
    REQUIRE(buffer != NULL);
    use_buffer(&fixture, 2, buffer);
    EXPECT_INT(bind(&fixture), HY_STATUS_OK);
    EXPECT(fixture.bound[2].buffer == buffer && fixture.bound[2].address == buffer->memory);
    EXPECT(!buffer->is_written);
    release(&fixture, HY_STATUS_OK);
    EXPECT(buffer->is_written);
    hy_request_write_result(&fixture.target, &fixture.request, HY_STATUS_OK, 0, 0, &fixture.result);
    EXPECT_INT(fixture.shape.sufficient, 1);

    EXPECT_INT(bind(&fixture), HY_STATUS_OK);
    release(&fixture, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT(!buffer->is_written);
    buffer->is_written = true;
    hy_request_fail(&fixture.target, &fixture.request);
    EXPECT(!buffer->is_written);
    buffer->is_written = true;
    fixture.arguments[0].location.length = 1; /* the output is not looked at any more */
    EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
    EXPECT(!buffer->is_written);
    hy_device_buffer_destroy(buffer);
    hy_device_buffers_finish(&fixture.buffers);
}

TEST(driver_kit_request, input_buffer_that_holds_nothing_is_refused)
{
    struct fixture fixture;
    fixture_open(&fixture, 4);
    struct hy_device_buffer *buffer = create(&fixture);
    REQUIRE(buffer != NULL);
    use_buffer(&fixture, 0, buffer);
    EXPECT_INT(try_bind(&fixture), HY_STATUS_GENERAL_FAILURE);
    EXPECT_STR(fixture.text, "input 0: the buffer has no contents");
    buffer->is_written = true;
    EXPECT_INT(try_bind(&fixture), HY_STATUS_OK);
    hy_device_buffer_destroy(buffer);
    hy_device_buffers_finish(&fixture.buffers);
}

TEST(driver_kit_request, buffer_is_used_whole_for_its_roles_and_once_if_it_is_written)
{
    struct fixture fixture;
    fixture_open(&fixture, 4);
    struct hy_device_buffer *buffer = create(&fixture);
    REQUIRE(buffer != NULL);
    buffer->is_written = true;
    use_buffer(&fixture, 0, buffer);
    fixture.arguments[0].location.length = BYTES;
    EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
    fill_request(&fixture);
    use_buffer(&fixture, 1, buffer); /* which it was not made for */
    EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
    fill_request(&fixture);
    use_buffer(&fixture, 0, buffer);
    use_buffer(&fixture, 2, buffer);
    EXPECT_INT(try_bind(&fixture), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(fixture.text, "output 0: buffer ");
    const uint32_t token = buffer->token;
    hy_device_buffer_destroy(buffer); /* nobody holds it any more */
    EXPECT(!hy_token_table_hold(&fixture.buffers.tokens, token));
    hy_device_buffers_finish(&fixture.buffers);
}

TEST(driver_kit_request, device_without_buffers_refuses_them)
{
    struct fixture fixture;
    fixture_open(&fixture, 0);
    fixture.pools[0] = (struct hy_pool){.kind = HY_POOL_BUFFER, .buffer_token = 1};
    fixture.arguments[0].location.length = 0;
    EXPECT_INT(try_bind(&fixture), HY_STATUS_GENERAL_FAILURE);
}
