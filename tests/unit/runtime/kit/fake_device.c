#include "fake_device.h"

#include <android/NeuralNetworks.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Threads may compile for one device at once. */
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;

enum { MAX_OPERANDS = 64, MAX_OPERATIONS = 32, MAX_FLOATS = 64 };

/* A model as the device keeps it: the view is gone after prepare, constants are copied. */
struct fake_prepared {
    struct fake_device *fake;
    uint32_t operand_count, operation_count, input_count, output_count;
    struct {
        int32_t lifetime;
        uint32_t rank;
        uint32_t extent;
        float constant[MAX_FLOATS];
    } operands[MAX_OPERANDS];
    struct {
        int32_t type;
        uint32_t inputs[2];
        uint32_t output;
    } operations[MAX_OPERATIONS];
    uint32_t inputs[MAX_OPERANDS], outputs[MAX_OPERANDS];
};

static uint32_t bit_of(int32_t operation)
{
    switch (operation) {
    case ANEURALNETWORKS_ADD:
        return FAKE_ADD;
    case ANEURALNETWORKS_MUL:
        return FAKE_MUL;
    case ANEURALNETWORKS_RELU:
        return FAKE_RELU;
    case ANEURALNETWORKS_FLOOR:
        return FAKE_FLOOR;
    case ANEURALNETWORKS_ABS:
        return FAKE_ABS;
    default:
        return 0;
    }
}

static bool supports(const struct fake_device *fake, int32_t operation)
{
    return (bit_of(operation) & fake->operations) != 0 ||
           (fake->extension_operation != 0 && operation == fake->extension_operation);
}

/* Whether the operation reads an input of the model whose extent is unknown. */
static bool reads_open_input(const struct hy_subgraph *graph, const struct hy_operation *operation)
{
    for (uint32_t i = 0; i < operation->input_count; i++) {
        const struct hy_operand *operand = &graph->operands[operation->inputs[i]];
        if (operand->lifetime == HY_LIFETIME_INPUT && (!operand->rank || operand->dims[0] == 0))
            return true;
    }
    return false;
}

static unsigned kinds_of(const struct hy_pool *pools, uint32_t count)
{
    unsigned kinds = 0;
    for (uint32_t i = 0; i < count; i++)
        kinds |= 1u << pools[i].kind;
    return kinds;
}

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    struct fake_device *fake = device;

    pthread_mutex_lock(&noting);
    fake->model_kinds |= kinds_of(model->pools, model->pool_count);
    fake->last_asked_count = model->main->operation_count;
    pthread_mutex_unlock(&noting);
    for (uint32_t i = 0; i < model->main->operation_count; i++) {
        supported[i] = supports(fake, model->main->operations[i].type) &&
                       !(fake->refuses_open_inputs &&
                         reads_open_input(model->main, &model->main->operations[i]));
        if (!supported[i] && fake->reason)
            refusals->refuse(refusals->context, i, fake->reason);
        if (supported[i] && fake->support_byte)
            supported[i] = fake->support_byte;
    }
    if (fake->reason) /* a driver that miscounts is not believed */
        refusals->refuse(refusals->context, model->main->operation_count, "there is none");
    return fake->support_status;
}

static void note_hints(struct fake_device *fake, const struct hy_hint *hints, uint32_t count)
{
    fake->last_hint_count = count;
    fake->last_hint_token = count ? hints[count - 1].token : 0;
    fake->last_hint_byte =
        count && hints[count - 1].length ? *(const uint8_t *)hints[count - 1].data : 0;
}

static void note_prepare(struct fake_device *fake, const struct hy_model *model,
                         const struct hy_prepare_options *options)
{
    pthread_mutex_lock(&noting);
    fake->prepare_count++;
    fake->last_operation_count = model->main->operation_count;
    fake->last_input_count = model->main->input_count;
    fake->last_output_count = model->main->output_count;
    fake->last_model = model;
    fake->model_kinds |= kinds_of(model->pools, model->pool_count);
    fake->last_values = model->values;
    fake->last_pools = model->pools;
    fake->last_preference = options->preference;
    fake->last_priority = options->priority;
    fake->last_prefix_count = options->extension_count;
    note_hints(fake, options->hints, options->hint_count);
    fake->last_prepare_deadline = options->deadline;
    pthread_mutex_unlock(&noting);
}

static void copy_operand(struct fake_prepared *prepared, const struct hy_model *model, uint32_t i)
{
    const struct hy_operand *from = &model->main->operands[i];
    const uint8_t *bytes = NULL;

    prepared->operands[i].lifetime = from->lifetime;
    prepared->operands[i].rank = from->rank;
    prepared->operands[i].extent = from->rank ? from->dims[0] : 1;
    if (from->lifetime == HY_LIFETIME_CONSTANT_COPY)
        bytes = model->values;
    if (from->lifetime == HY_LIFETIME_CONSTANT_POOL)
        bytes = model->pools[from->location.pool].address;
    if (bytes && from->location.length <= sizeof prepared->operands[i].constant)
        memcpy(prepared->operands[i].constant, bytes + from->location.offset,
               from->location.length);
}

static struct fake_prepared *copy_model(struct fake_device *fake, const struct hy_model *model)
{
    const struct hy_subgraph *graph = model->main;
    if (graph->operand_count > MAX_OPERANDS || graph->operation_count > MAX_OPERATIONS)
        return NULL;

    struct fake_prepared *prepared = calloc(1, sizeof *prepared);
    if (!prepared)
        return NULL;
    prepared->fake = fake;
    prepared->operand_count = graph->operand_count;
    prepared->operation_count = graph->operation_count;
    prepared->input_count = graph->input_count;
    prepared->output_count = graph->output_count;
    memcpy(prepared->inputs, graph->inputs, graph->input_count * sizeof(uint32_t));
    memcpy(prepared->outputs, graph->outputs, graph->output_count * sizeof(uint32_t));
    for (uint32_t i = 0; i < graph->operand_count; i++)
        copy_operand(prepared, model, i);
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        const struct hy_operation *from = &graph->operations[i];
        prepared->operations[i].type = from->type;
        prepared->operations[i].inputs[0] = from->inputs[0];
        prepared->operations[i].inputs[1] = from->input_count > 1 ? from->inputs[1] : 0;
        prepared->operations[i].output = from->outputs[0];
    }
    return prepared;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **ret)
{
    struct fake_device *fake = device;

    note_prepare(fake, model, options);
    if (fake->prepare_status != HY_STATUS_OK) {
        snprintf(options->message.text, options->message.size, "the compiler\ntripped");
        return fake->prepare_status;
    }
    if (fake->prepare_nothing)
        return HY_STATUS_OK;
    struct fake_prepared *prepared = copy_model(fake, model);
    if (!prepared)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    fake->prepared++;
    *ret = prepared;
    return HY_STATUS_OK;
}

static void prepared_destroy(void *self)
{
    struct fake_prepared *prepared = self;
    prepared->fake->prepared--;
    free(prepared);
}

/* ---- Computing ------------------------------------------------------------------------------- */

/* The operands of one run. */
struct run {
    float *data[MAX_OPERANDS];
    uint32_t extent[MAX_OPERANDS];
    float temporary[MAX_OPERANDS][MAX_FLOATS];
};

static float *address_of(const struct hy_request *request, const struct hy_argument *argument)
{
    const struct hy_pool *pool = &request->pools[argument->location.pool];
    return (float *)((char *)pool->address + argument->location.offset);
}

static void position(struct run *run, const struct fake_prepared *prepared,
                     const struct hy_request *request)
{
    for (uint32_t i = 0; i < prepared->operand_count; i++) {
        run->data[i] = run->temporary[i];
        run->extent[i] = prepared->operands[i].extent;
        if (prepared->operands[i].lifetime == HY_LIFETIME_CONSTANT_COPY ||
            prepared->operands[i].lifetime == HY_LIFETIME_CONSTANT_POOL)
            memcpy(run->temporary[i], prepared->operands[i].constant, sizeof run->temporary[i]);
    }
    for (uint32_t i = 0; i < prepared->input_count; i++) {
        const struct hy_argument *argument = &request->inputs[i];
        if (argument->flags & HY_ARGUMENT_NO_VALUE)
            continue;
        run->data[prepared->inputs[i]] = address_of(request, argument);
        if (argument->rank)
            run->extent[prepared->inputs[i]] = argument->dims[0];
    }
}

static float compute(int32_t type, float a, float b)
{
    switch (type) {
    case ANEURALNETWORKS_ADD:
        return a + b;
    case ANEURALNETWORKS_MUL:
        return a * b;
    case ANEURALNETWORKS_RELU:
        return a > 0 ? a : 0;
    case ANEURALNETWORKS_FLOOR:
        return floorf(a);
    case ANEURALNETWORKS_ABS:
        return fabsf(a);
    default: /* of an extension */
        return 2 * a;
    }
}

static void run_operations(struct run *run, const struct fake_prepared *prepared)
{
    for (uint32_t i = 0; i < prepared->operation_count; i++) {
        const uint32_t a = prepared->operations[i].inputs[0];
        const uint32_t b = prepared->operations[i].inputs[1];
        const uint32_t out = prepared->operations[i].output;
        float result[MAX_FLOATS];

        run->extent[out] = run->extent[a];
        for (uint32_t j = 0; j < run->extent[a]; j++)
            result[j] = compute(prepared->operations[i].type, run->data[a][j],
                                run->data[b][j % run->extent[b]]);
        memcpy(run->temporary[out], result, run->extent[a] * sizeof *result);
        run->data[out] = run->temporary[out];
    }
}

/* What was not computed is 0. */
static void write_result(const struct run *run, uint32_t operand, uint32_t extent, float *to)
{
    for (uint32_t i = 0; i < extent; i++)
        to[i] = i < run->extent[operand] ? run->data[operand][i] : 0;
}

/* Writes results and their shapes; false when one had too little room. */
static bool deliver(const struct run *run, const struct fake_prepared *prepared,
                    const struct hy_request *request, struct hy_result *result)
{
    bool all = true;

    for (uint32_t i = 0; i < prepared->output_count; i++) {
        const struct hy_argument *argument = &request->outputs[i];
        const uint32_t operand = prepared->outputs[i];
        uint32_t extent = run->extent[operand];
        if (argument->flags & HY_ARGUMENT_NO_VALUE)
            continue;
        if (extent < prepared->fake->min_extent)
            extent = prepared->fake->min_extent;
        if (prepared->fake->gives_nothing)
            extent = 0;
        const bool enough = extent * sizeof(float) <= argument->location.length;
        if (enough)
            write_result(run, operand, extent, address_of(request, argument));
        result->outputs[i] =
            (struct hy_output_shape){.rank = 1, .sufficient = enough, .dims = {extent}};
        all &= enough;
    }
    return all;
}

static int32_t lie(enum fake_lie kind, const struct hy_output_shape *before,
                   struct hy_result *result)
{
    switch (kind) {
    case FAKE_HONEST:
        break;
    case FAKE_REPORTS_NOTHING:
        result->outputs[0] = *before;
        break;
    case FAKE_OTHER_EXTENT:
        result->outputs[0].dims[0]--;
        break;
    case FAKE_OTHER_RANK:
        result->outputs[0].rank = 2;
        result->outputs[0].dims[1] = 1;
        break;
    case FAKE_HUGE_RANK:
        result->outputs[0].rank = 1000;
        break;
    case FAKE_SMALL_BUT_SUCCESS:
        result->outputs[0].sufficient = 0;
        break;
    case FAKE_SMALL_FOR_NOTHING:
        result->outputs[0].sufficient = 0;
        return HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    case FAKE_ODD_FLAG:
        result->outputs[0].sufficient = 2;
        break;
    case FAKE_ODD_TIMES:
        result->time_on_device = 20;
        result->time_in_driver = 10;
        break;
    case FAKE_ODD_STATUS:
        return 4711;
    }
    return HY_STATUS_OK;
}

static int32_t execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const struct fake_prepared *prepared = self;
    struct fake_device *fake = prepared->fake;
    struct run run;
    const struct hy_output_shape before = result->outputs[0];

    fake->runs++;
    pthread_barrier_t *inside = fake->inside;
    if (inside) {
        pthread_barrier_wait(inside);
        pthread_barrier_wait(inside);
    }
    if (fake->run_us) {
        const struct timespec time = {.tv_nsec = (long)fake->run_us * 1000};
        nanosleep(&time, NULL);
    }
    if (fake->execute_status != HY_STATUS_OK) {
        snprintf(options->message.text, options->message.size, "the core is on fire");
        return fake->execute_status;
    }
    fake->request_kinds |= kinds_of(request->pools, request->pool_count);
    position(&run, prepared, request);
    run_operations(&run, prepared);
    if (!deliver(&run, prepared, request, result))
        return HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    if (options->measure) {
        result->time_on_device = 5;
        result->time_in_driver = 7;
    }
    return lie(fake->lie, &before, result);
}

/* Only for tests that run one at a time. */
static int32_t execute_and_note(void *self, const struct hy_request *request,
                                const struct hy_run_options *options, struct hy_result *result)
{
    struct fake_device *fake = ((struct fake_prepared *)self)->fake;

    fake->last_pool_count = request->pool_count;
    fake->last_deadline = options->deadline;
    fake->last_loop_timeout = options->loop_timeout;
    note_hints(fake, options->hints, options->hint_count);
    return execute(self, request, options, result);
}

static int32_t describe(void *device, struct hy_device_info *info)
{
    *info = ((struct fake_device *)device)->device.info;
    return HY_STATUS_OK;
}

static int32_t capabilities(void *device, struct hy_capabilities *ret)
{
    *ret = ((struct fake_device *)device)->device.capabilities;
    return HY_STATUS_OK;
}

static const struct hy_device table = {
    .struct_size = sizeof table,
    .abi = HY_DRIVER_ABI,
    .describe = describe,
    .capabilities = capabilities,
    .supported_operations = supported_operations,
    .prepare = prepare,
    .prepared_destroy = prepared_destroy,
    .execute = execute_and_note,
};

/* The same for runs in parallel: it notes nothing that is not atomic. */
const struct hy_device fake_parallel_table = {
    .struct_size = sizeof table,
    .abi = HY_DRIVER_ABI,
    .describe = describe,
    .capabilities = capabilities,
    .supported_operations = supported_operations,
    .prepare = prepare,
    .prepared_destroy = prepared_destroy,
    .execute = execute,
};

void fake_device_init(struct fake_device *fake, const char *name, int32_t kind, float cost,
                      uint32_t operations)
{
    memset(fake, 0, sizeof *fake);
    fake->operations = operations;
    fake->performance = (struct hy_operand_performance){
        .type = ANEURALNETWORKS_TENSOR_FLOAT32,
        .performance = {.exec_time = cost, .power_usage = cost},
    };
    fake->device = (struct hy_runtime_device){
        .kind = kind,
        .abi = HY_DRIVER_ABI,
        .table = &table,
        .self = fake,
        .info = {.struct_size = sizeof fake->device.info,
                 .type = HY_DEVICE_ACCELERATOR,
                 .name = name,
                 .version = "1",
                 .build_id = "test",
                 .feature_level = 8},
        .capabilities = {.struct_size = sizeof fake->device.capabilities,
                         .operand_count = 1,
                         .operands = &fake->performance,
                         .relaxed_tensor = {cost, cost},
                         .relaxed_scalar = {cost, cost},
                         .if_overhead = {1, 1},
                         .while_overhead = {1, 1}},
        .manifest = "",
        .library = "",
        .work = &fake->work,
    };
}
