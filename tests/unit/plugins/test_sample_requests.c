#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/sample_fixture.h"

#include <pthread.h>
#include <stdlib.h>

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32

/* A prepared "out = in + 1" over four floats, and a good request for it that tests spoil. */
struct prepared_add {
    struct sample_fixture fixture;
    struct sample_model model;
    void *prepared;
    float in[4], out[4];
    uint32_t dims[2];
    struct hy_pool pools[2];
    struct hy_argument arguments[2];
    struct hy_output_shape shape;
    struct hy_request request;
    struct hy_run_options options;
    struct hy_result result;
    char text[128];
};

static bool prepare_add(struct prepared_add *add)
{
    const uint32_t dims[] = {1, 4};
    const float one[] = {1, 1, 1, 1};
    if (!sample_fixture_init(&add->fixture))
        return false;
    sample_model_init(&add->model);
    uint32_t inputs[] = {sample_model_tensor(&add->model, F32, HY_LIFETIME_INPUT, 2, dims, 0, 0),
                         sample_model_constant(&add->model, F32, 2, dims, 0, 0, one, sizeof one),
                         sample_model_i32(&add->model, 0)};
    uint32_t output = sample_model_tensor(&add->model, F32, HY_LIFETIME_OUTPUT, 2, dims, 0, 0);
    sample_model_operation(&add->model, ANEURALNETWORKS_ADD, 3, inputs, output);

    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    int32_t status = add->fixture.table->prepare(add->fixture.device, &add->model.model, &options,
                                                 &add->prepared);
    EXPECT_INT(status, HY_STATUS_OK);
    return status == HY_STATUS_OK;
}

static void good_request(struct prepared_add *add)
{
    for (int i = 0; i < 4; i++) {
        add->in[i] = (float)i;
        add->out[i] = -1;
    }
    for (uint32_t i = 0; i < 2; i++) {
        add->pools[i] = (struct hy_pool){.kind = HY_POOL_HOST,
                                         .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                         .fd = -1,
                                         .size = 16,
                                         .address = i ? add->out : add->in};
        add->arguments[i] = (struct hy_argument){.location = {.pool = i, .length = 16}};
    }
    add->dims[0] = 1;
    add->dims[1] = 4;
    add->request = (struct hy_request){.struct_size = sizeof add->request,
                                       .input_count = 1,
                                       .output_count = 1,
                                       .pool_count = 2,
                                       .inputs = &add->arguments[0],
                                       .outputs = &add->arguments[1],
                                       .pools = add->pools};
    add->options = (struct hy_run_options){.struct_size = sizeof add->options,
                                           .deadline = HY_NO_DEADLINE,
                                           .message = {add->text, sizeof add->text}};
    add->result = (struct hy_result){
        .struct_size = sizeof add->result, .output_count = 1, .outputs = &add->shape};
}

static int32_t execute(struct prepared_add *add)
{
    return add->fixture.table->execute(add->prepared, &add->request, &add->options, &add->result);
}

static void finish_add(struct prepared_add *add)
{
    if (add->prepared)
        add->fixture.table->prepared_destroy(add->prepared);
    sample_fixture_finish(&add->fixture);
}

TEST(sample_requests, a_good_one_is_served_with_shape_and_time)
{
    struct prepared_add add = {0};
    REQUIRE(prepare_add(&add));
    good_request(&add);
    EXPECT_INT(execute(&add), HY_STATUS_OK);
    EXPECT(add.out[0] == 1 && add.out[3] == 4);
    EXPECT_INT(add.shape.rank, 2);
    EXPECT_INT(add.shape.dims[1], 4);
    EXPECT_INT(add.shape.sufficient, 1);
    EXPECT(add.result.time_in_driver == HY_NO_TIME);

    add.options.measure = 1;
    add.arguments[0].rank = add.arguments[1].rank = 2;
    add.arguments[0].dims = add.arguments[1].dims = add.dims;
    EXPECT_INT(execute(&add), HY_STATUS_OK);
    EXPECT(add.result.time_in_driver != HY_NO_TIME);
    EXPECT(add.result.time_on_device <= add.result.time_in_driver);
    finish_add(&add);
}

TEST(sample_requests, hostile_ones_are_refused_and_touch_nothing)
{
    struct prepared_add add = {0};
    REQUIRE(prepare_add(&add));

#define REFUSED(change, status) \
    do { \
        good_request(&add); \
        change; \
        EXPECT_INT(execute(&add), status); \
        EXPECT(add.out[0] == -1); \
    } while (0)

    REFUSED(add.request.struct_size = 8, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.options.struct_size = 0, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.result.struct_size = 0, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.request.input_count = 0, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.request.input_count = UINT32_MAX, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.request.output_count = 2, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.result.output_count = 0, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[0].location.pool = 2, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[1].location.pool = UINT32_MAX, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[0].location.offset = 1, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[1].location.offset = UINT64_MAX, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[0].location.length = 15, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[0].location.length = UINT64_MAX, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[1].location.length = UINT64_MAX, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.pools[0].size = 0, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.pools[1].protection = HY_PROTECT_READ, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.pools[0].kind = 99, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.pools[1].kind = HY_POOL_BUFFER, HY_STATUS_GENERAL_FAILURE);
    REFUSED(add.pools[0].kind = HY_POOL_HARDWARE_BUFFER, HY_STATUS_GENERAL_FAILURE);
    REFUSED((add.pools[0].kind = HY_POOL_HARDWARE_BUFFER, add.arguments[0].location.length = 0),
            HY_STATUS_GENERAL_FAILURE);
    REFUSED((add.pools[1].kind = HY_POOL_HARDWARE_BUFFER, add.arguments[1].location.length = 0),
            HY_STATUS_GENERAL_FAILURE);
    REFUSED(add.arguments[0].flags = HY_ARGUMENT_NO_VALUE, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[1].flags = 8, HY_STATUS_INVALID_ARGUMENT);
    REFUSED((add.arguments[0].rank = 2, add.arguments[0].dims = NULL), HY_STATUS_INVALID_ARGUMENT);
    REFUSED((add.arguments[0].rank = 1, add.arguments[0].dims = add.dims),
            HY_STATUS_INVALID_ARGUMENT);
    REFUSED((add.arguments[0].rank = 2, add.arguments[0].dims = add.dims, add.dims[1] = 0),
            HY_STATUS_INVALID_ARGUMENT);
    REFUSED((add.arguments[1].rank = 2, add.arguments[1].dims = add.dims, add.dims[1] = 3),
            HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.options.deadline = 1, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
#undef REFUSED
    good_request(&add);
    EXPECT_INT(execute(&add), HY_STATUS_OK); /* none of it did harm */
    finish_add(&add);
}

TEST(sample_requests, too_small_an_output_is_told_with_the_true_shape)
{
    struct prepared_add add = {0};
    REQUIRE(prepare_add(&add));
    good_request(&add);
    add.arguments[1].location.length = 15;
    EXPECT_INT(execute(&add), HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_INT(add.shape.sufficient, 0);
    EXPECT_INT(add.shape.dims[1], 4);
    EXPECT_CONTAINS(add.text, "output 0 does not fit");
    EXPECT(add.out[0] == -1);
    finish_add(&add);
}

TEST(sample_requests, tensors_may_lie_at_any_address)
{
    struct prepared_add add = {0};
    REQUIRE(prepare_add(&add));
    good_request(&add);
    char in[17], out[17];
    memcpy(in + 1, add.in, 16);
    add.pools[0].address = in;
    add.pools[1].address = out;
    add.pools[0].size = add.pools[1].size = 17;
    add.arguments[0].location.offset = add.arguments[1].location.offset = 1;
    EXPECT_INT(execute(&add), HY_STATUS_OK);
    memcpy(add.out, out + 1, 16);
    EXPECT(add.out[0] == 1 && add.out[3] == 4);
    finish_add(&add);
}

TEST(sample_requests, wrong_models_are_refused_by_prepare)
{
    struct prepared_add add = {0};
    REQUIRE(prepare_add(&add));
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE,
                                               .message = {add.text, sizeof add.text}};

#define REFUSED(change, reason) \
    do { \
        struct sample_model model = add.model; \
        model.model.main = &model.graph; \
        model.graph.inputs = model.inputs; \
        model.graph.outputs = model.outputs; \
        model.graph.operands = model.operands; \
        change; \
        void *prepared = NULL; \
        EXPECT_INT( \
            add.fixture.table->prepare(add.fixture.device, &model.model, &options, &prepared), \
            HY_STATUS_INVALID_ARGUMENT); \
        EXPECT_CONTAINS(add.text, reason); \
        EXPECT(!prepared); \
    } while (0)

    REFUSED(model.inputs[0] = 99, "an input of the model is operand 99");
    REFUSED(model.inputs[0] = 1, "an input of the model is operand 1");
    REFUSED(model.graph.input_count = 0, "operand 0 is not an input or output of the model");
    REFUSED(model.graph.operation_count = 0, "no operation writes output 0 of the model");
#undef REFUSED
    finish_add(&add);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct runner {
    const struct prepared_add *add;
    int wrong;
};

static void *run_often(void *argument)
{
    struct runner *runner = argument;
    struct prepared_add own = *runner->add;
    for (int i = 0; i < 200; i++) {
        good_request(&own);
        own.in[2] = (float)i;
        if (execute(&own) != HY_STATUS_OK || own.out[2] != (float)i + 1)
            runner->wrong++;
    }
    return NULL;
}

TEST(sample_requests, one_prepared_model_serves_many_threads)
{
    struct prepared_add add = {0};
    REQUIRE(prepare_add(&add));
    pthread_t threads[8];
    struct runner runners[8];
    for (int i = 0; i < 8; i++) {
        runners[i] = (struct runner){.add = &add};
        REQUIRE(pthread_create(&threads[i], NULL, run_often, &runners[i]) == 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_INT(runners[i].wrong, 0);
    }
    finish_add(&add);
}
