#include "sample_step.h"

#include "tests/kit/test.h"

#include <string.h>

void *sample_step_prepare(const struct sample_fixture *fixture, const struct hy_model *model)
{
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    void *prepared = NULL;
    EXPECT_INT(fixture->table->prepare(fixture->device, model, &options, &prepared), HY_STATUS_OK);
    return prepared;
}

void sample_step_describe(struct sample_step_case *step, uint32_t batches)
{
    const struct lstm_form form = {.batches = batches, .has_input_gate = true, .activation = 4};
    const uint32_t columns[] = {3,          LSTM_UNITS, LSTM_UNITS, 4 * LSTM_UNITS,
                                LSTM_UNITS, LSTM_UNITS, LSTM_UNITS};
    lstm_case_init(&form, &step->lstm);
    lstm_case_model(&step->lstm, &step->model);
    for (uint32_t i = 0; i < ARGUMENTS; i++)
        step->sizes[i] = batches * columns[i] * sizeof(float);
}

bool sample_step_init(struct sample_step_case *step, uint32_t batches)
{
    if (!sample_fixture_init_member(&step->fixture, "recurrent.json"))
        return false;
    sample_step_describe(step, batches);
    step->prepared = sample_step_prepare(&step->fixture, &step->model.model);
    return step->prepared != NULL;
}

void sample_step_finish(struct sample_step_case *step)
{
    if (step->prepared)
        step->fixture.table->prepared_destroy(step->prepared);
    sample_fixture_finish(&step->fixture);
}

int32_t sample_step_execute(const struct sample_fixture *fixture, void *prepared,
                            uint32_t input_count, uint32_t output_count,
                            struct sample_buffer *const *buffers, const size_t *sizes)
{
    struct hy_pool pools[ARGUMENTS];
    struct hy_argument arguments[ARGUMENTS];
    struct hy_output_shape shapes[OUTPUTS];
    for (uint32_t i = 0; i < input_count + output_count; i++) {
        const bool has_buffer = buffers[i]->token != 0;
        pools[i] = (struct hy_pool){.kind = has_buffer ? HY_POOL_BUFFER : HY_POOL_HOST,
                                    .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                    .fd = -1,
                                    .buffer_token = buffers[i]->token,
                                    .size = has_buffer ? 0 : sizes[i],
                                    .address = has_buffer ? NULL : buffers[i]->bytes};
        arguments[i] =
            (struct hy_argument){.location = {.pool = i, .length = has_buffer ? 0 : sizes[i]}};
    }
    const struct hy_request request = {.struct_size = sizeof request,
                                       .input_count = input_count,
                                       .output_count = output_count,
                                       .pool_count = input_count + output_count,
                                       .inputs = arguments,
                                       .outputs = arguments + input_count,
                                       .pools = pools};
    const struct hy_run_options options = {.struct_size = sizeof options,
                                           .deadline = HY_NO_DEADLINE};
    struct hy_result result = {
        .struct_size = sizeof result, .output_count = output_count, .outputs = shapes};
    return fixture->table->execute(prepared, &request, &options, &result);
}

int32_t sample_step_run(const struct sample_step_case *step,
                        struct sample_buffer *const buffers[ARGUMENTS])
{
    return sample_step_execute(&step->fixture, step->prepared, FIRST_OUTPUT, OUTPUTS, buffers,
                               step->sizes);
}

int32_t sample_buffer_create(const struct sample_fixture *fixture, void *const *prepared,
                             uint32_t prepared_count, const struct hy_buffer_role *roles,
                             uint32_t count, struct sample_buffer *position)
{
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .prepared = prepared,
                                        .roles = roles,
                                        .prepared_count = prepared_count,
                                        .role_count = count};
    return fixture->table->buffer_create(fixture->device, &desc, &position->token,
                                         &position->buffer);
}

/* For a state: what it comes in and goes out by. */
int32_t sample_buffer_create_state(const struct sample_step_case *step, uint32_t argument,
                                   struct sample_buffer *position)
{
    const struct hy_buffer_role roles[] = {
        {.index = argument, .frequency = 1},
        {.is_output = 1, .index = argument, .frequency = 1}}; /* 1, 2: states come in their order */
    return sample_buffer_create(&step->fixture, &step->prepared, 1, roles, 2, position);
}

void sample_buffer_destroy(const struct sample_step_case *step, struct sample_buffer *position)
{
    if (position->buffer)
        step->fixture.table->buffer_destroy(position->buffer);
    position->buffer = NULL;
    position->token = 0;
}

static struct hy_pool pool_of(struct sample_buffer *position, size_t size)
{
    return (struct hy_pool){.kind = HY_POOL_HOST,
                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                            .fd = -1,
                            .size = size,
                            .address = position->bytes};
}

int32_t sample_buffer_copy_in(const struct sample_step_case *step, struct sample_buffer *position,
                              size_t size)
{
    const struct hy_pool pool = pool_of(position, size);
    return step->fixture.table->buffer_copy_from(position->buffer, &pool, NULL, 0);
}

int32_t sample_buffer_copy_out(const struct sample_step_case *step, struct sample_buffer *position,
                               size_t size)
{
    const struct hy_pool pool = pool_of(position, size);
    return step->fixture.table->buffer_copy_to(position->buffer, &pool);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

void sample_step_fill(const struct sample_step_case *step, struct sample_buffer *buffers)
{
    memcpy(buffers[INPUT].bytes, step->lstm.values[0], step->sizes[INPUT]);
    memcpy(buffers[STATE_IN].bytes, step->lstm.values[18], step->sizes[STATE_IN]);
    memcpy(buffers[CELLS_IN].bytes, step->lstm.values[19], step->sizes[CELLS_IN]);
}

void sample_step_run_chain(const struct sample_step_case *step, bool on_device, float *output)
{
    static struct sample_buffer states[2][2], others[3]; /* sets of output state and cell state */
    memset(states, 0, sizeof states);
    memcpy(others[0].bytes, step->lstm.values[0], step->sizes[INPUT]);
    for (uint32_t i = 0; i < 4 && on_device; i++)
        EXPECT_INT(sample_buffer_create_state(step, STATE_IN + i % 2, &states[i / 2][i % 2]),
                   HY_STATUS_OK);
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(states[0][i].bytes, step->lstm.values[18 + i], step->sizes[STATE_IN + i]);
        if (on_device)
            EXPECT_INT(sample_buffer_copy_in(step, &states[0][i], step->sizes[STATE_IN + i]),
                       HY_STATUS_OK);
    }
    for (uint32_t i = 0; i < 5; i++) {
        struct sample_buffer *from = states[i % 2], *to = states[!(i % 2)];
        struct sample_buffer *const buffers[] = {&others[0], &from[0], &from[1],  &others[1],
                                                 &to[0],     &to[1],   &others[2]};
        EXPECT_INT(sample_step_run(step, buffers), HY_STATUS_OK);
    }
    memcpy(output, others[2].bytes, step->sizes[OUTPUT]);
    for (uint32_t i = 0; i < 4; i++)
        sample_buffer_destroy(step, &states[i / 2][i % 2]);
}
