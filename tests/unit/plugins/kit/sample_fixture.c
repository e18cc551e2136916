#include "sample_fixture.h"

#include "tests/kit/test.h"

#include <stdio.h>

static bool open_one(struct sample_fixture *fixture, const char *driver_files)
{
    if (!plugin_fixture_init(&fixture->plugins))
        return false;
    fixture->plugins.discovery.driver_files = driver_files;
    if (!plugin_fixture_open(&fixture->plugins) ||
        hy_plugins_device_count(fixture->plugins.plugins) != 1) {
        hy_test_fail(__FILE__, __LINE__, "the sample driver gave no device: %s",
                     fixture->plugins.log);
        return false;
    }
    fixture->table = hy_plugins_device(fixture->plugins.plugins, 0)->table;
    fixture->device = hy_plugins_device(fixture->plugins.plugins, 0)->device;
    return true;
}

bool sample_fixture_init(struct sample_fixture *fixture)
{
    return open_one(fixture, SAMPLE_MANIFEST_DIR);
}

bool sample_fixture_init_member(struct sample_fixture *fixture, const char *manifest)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", SAMPLE_FAMILY_DIR, manifest);
    return open_one(fixture, path);
}

void sample_fixture_finish(struct sample_fixture *fixture)
{
    plugin_fixture_finish(&fixture->plugins);
}

/* ---- Models ---------------------------------------------------------------------------------- */

void sample_model_init(struct sample_model *model)
{
    memset(model, 0, sizeof *model);
    model->graph = (struct hy_subgraph){.struct_size = sizeof model->graph,
                                        .operands = model->operands,
                                        .operations = model->operations,
                                        .inputs = model->inputs,
                                        .outputs = model->outputs};
    model->model = (struct hy_model){.struct_size = sizeof model->model,
                                     .main = &model->graph,
                                     .values = model->values,
                                     .feature_level = 4};
}

uint32_t sample_model_tensor(struct sample_model *model, int32_t type, int32_t lifetime,
                             uint32_t rank, const uint32_t *dims, float scale, int32_t zero_point)
{
    uint32_t index = model->graph.operand_count++;
    for (uint32_t i = 0; i < rank; i++)
        model->dims[index][i] = dims[i];
    model->operands[index] = (struct hy_operand){.type = type,
                                                 .lifetime = lifetime,
                                                 .rank = rank,
                                                 .dims = rank ? model->dims[index] : NULL,
                                                 .scale = scale,
                                                 .zero_point = zero_point};
    if (lifetime == HY_LIFETIME_INPUT)
        model->inputs[model->graph.input_count++] = index;
    if (lifetime == HY_LIFETIME_OUTPUT)
        model->outputs[model->graph.output_count++] = index;
    return index;
}

uint32_t sample_model_constant(struct sample_model *model, int32_t type, uint32_t rank,
                               const uint32_t *dims, float scale, int32_t zero_point,
                               const void *data, size_t size)
{
    uint32_t index =
        sample_model_tensor(model, type, HY_LIFETIME_CONSTANT_COPY, rank, dims, scale, zero_point);
    memcpy(model->values + model->model.values_size, data, size);
    model->operands[index].location =
        (struct hy_location){.offset = model->model.values_size, .length = size};
    model->model.values_size += (size + 3) / 4 * 4;
    return index;
}

uint32_t sample_model_i32(struct sample_model *model, int32_t value)
{
    return sample_model_constant(model, ANEURALNETWORKS_INT32, 0, NULL, 0, 0, &value, sizeof value);
}

static void add_operation(struct sample_model *model, int32_t type, uint32_t input_count,
                          const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
    uint32_t index = model->graph.operation_count++;
    memcpy(model->operation_inputs[index], inputs, input_count * sizeof *inputs);
    memcpy(model->operation_outputs[index], outputs, output_count * sizeof *outputs);
    model->operations[index] = (struct hy_operation){.type = type,
                                                     .input_count = input_count,
                                                     .output_count = output_count,
                                                     .inputs = model->operation_inputs[index],
                                                     .outputs = model->operation_outputs[index]};
}

void sample_model_operation(struct sample_model *model, int32_t type, uint32_t input_count,
                            const uint32_t *inputs, uint32_t output)
{
    add_operation(model, type, input_count, inputs, 1, &output);
}

void sample_model_lstm(struct sample_model *model, uint32_t input_count, const uint32_t *inputs,
                       const uint32_t outputs[4])
{
    add_operation(model, ANEURALNETWORKS_LSTM, input_count, inputs, 4, outputs);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void save_reason(void *context, uint32_t operation, const char *reason)
{
    if (operation == 0)
        snprintf(context, 256, "%s", reason);
}

const char *sample_refusal(const struct sample_fixture *fixture, const struct sample_model *model)
{
    static char reason[256];
    uint8_t supported[SAMPLE_MODEL_OPS] = {7, 7, 7, 7};
    const struct hy_refusals refusals = {
        .struct_size = sizeof refusals, .context = reason, .refuse = save_reason};
    reason[0] = '\0';
    EXPECT_INT(
        fixture->table->supported_operations(fixture->device, &model->model, supported, &refusals),
        HY_STATUS_OK);
    EXPECT_INT(supported[0], reason[0] == '\0');

    /* What is supported prepares, and what is not does not. */
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    void *prepared = NULL;
    int32_t status = fixture->table->prepare(fixture->device, &model->model, &options, &prepared);
    EXPECT_INT(status == HY_STATUS_OK, supported[0] == 1);
    if (status == HY_STATUS_OK)
        fixture->table->prepared_destroy(prepared);
    return reason;
}

static int32_t execute(const struct sample_fixture *fixture, void *prepared,
                       const struct sample_model *model, const void *const *inputs,
                       const size_t *input_sizes, void *const *outputs, const size_t *output_sizes)
{
    struct hy_pool pools[SAMPLE_MODEL_INPUTS + 4];
    struct hy_argument arguments[SAMPLE_MODEL_INPUTS + 4];
    struct hy_output_shape shapes[4];
    uint32_t input_count = model->graph.input_count, count = input_count;
    count += model->graph.output_count;
    for (uint32_t i = 0; i < count; i++) {
        bool is_input = i < input_count;
        size_t size = is_input ? input_sizes[i] : output_sizes[i - input_count];
        pools[i] = (struct hy_pool){
            .kind = HY_POOL_HOST,
            .protection = is_input ? HY_PROTECT_READ : HY_PROTECT_READ | HY_PROTECT_WRITE,
            .fd = -1,
            .size = size,
            .address = is_input ? (void *)inputs[i] : outputs[i - input_count]};
        arguments[i] = pools[i].address
                           ? (struct hy_argument){.location = {.pool = i, .length = size}}
                           : (struct hy_argument){.flags = HY_ARGUMENT_NO_VALUE};
    }
    const struct hy_request request = {.struct_size = sizeof request,
                                       .input_count = input_count,
                                       .output_count = model->graph.output_count,
                                       .pool_count = count,
                                       .inputs = arguments,
                                       .outputs = arguments + input_count,
                                       .pools = pools};
    const struct hy_run_options options = {.struct_size = sizeof options,
                                           .deadline = HY_NO_DEADLINE};
    struct hy_result result = {
        .struct_size = sizeof result, .output_count = model->graph.output_count, .outputs = shapes};
    return fixture->table->execute(prepared, &request, &options, &result);
}

int32_t sample_run(const struct sample_fixture *fixture, const struct sample_model *model,
                   const void *const *inputs, const size_t *input_sizes, void *const *outputs,
                   const size_t *output_sizes)
{
    char text[256] = "";
    const struct hy_prepare_options options = {
        .struct_size = sizeof options, .deadline = HY_NO_DEADLINE, .message = {text, sizeof text}};
    void *prepared = NULL;
    int32_t status = fixture->table->prepare(fixture->device, &model->model, &options, &prepared);
    if (status != HY_STATUS_OK) {
        hy_test_fail(__FILE__, __LINE__, "prepare: %s", text);
        return status;
    }
    status = execute(fixture, prepared, model, inputs, input_sizes, outputs, output_sizes);
    fixture->table->prepared_destroy(prepared);
    return status;
}
