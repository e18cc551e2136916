#include "sample_cache_fixture.h"

#include "common/clock.h"
#include "common/random.h"
#include "tests/kit/test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define Q8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED

/* ---- The model ------------------------------------------------------------------------------- */

static void fill(const struct net *net, uint8_t *bytes, size_t count, struct hy_random *random)
{
    for (size_t i = 0; i < count; i++) {
        const float value = hy_random_real(random, -1, 1);
        if (net->is_quantised)
            bytes[i] = (uint8_t)hy_random_next(random);
        else
            memcpy(bytes + i * sizeof value, &value, sizeof value);
    }
}

static uint32_t add_operand(struct net *net, int32_t type, int32_t lifetime, uint32_t rank,
                            uint32_t first, uint32_t second)
{
    const uint32_t index = net->graph.operand_count++;
    net->dims[index][0] = first;
    net->dims[index][1] = second;
    net->operands[index] = (struct hy_operand){.type = type,
                                               .lifetime = lifetime,
                                               .rank = rank,
                                               .dims = rank > 0 ? net->dims[index] : NULL,
                                               .scale = type == Q8 ? 0.25f : 0};
    return index;
}

/* The next bytes of the pool. */
static void position(struct net *net, uint32_t operand, uint64_t length, uint64_t *used)
{
    net->operands[operand].location = (struct hy_location){.offset = *used, .length = length};
    *used += (length + 3) / 4 * 4;
}

static uint32_t add_layer(struct net *net, uint32_t layer, uint32_t input, uint64_t *used)
{
    const int32_t type = net->is_quantised ? Q8 : F32;
    const uint32_t depth = net->widths[layer], units = net->widths[layer + 1];
    const uint64_t size = net->is_quantised ? 1 : sizeof(float);
    const uint32_t weights = add_operand(net, type, HY_LIFETIME_CONSTANT_POOL, 2, units, depth);
    const uint32_t bias = add_operand(net, net->is_quantised ? ANEURALNETWORKS_TENSOR_INT32 : F32,
                                      HY_LIFETIME_CONSTANT_POOL, 1, units, 0);
    const uint32_t code =
        add_operand(net, ANEURALNETWORKS_INT32, HY_LIFETIME_CONSTANT_COPY, 0, 0, 0);
    const bool is_last = layer + 1 == net->layers;
    const uint32_t output =
        add_operand(net, type, is_last ? HY_LIFETIME_OUTPUT : HY_LIFETIME_TEMPORARY, 2, 2, units);
    net->operands[weights].scale = net->is_quantised ? 0.01f : 0;
    net->operands[code].location.length = sizeof net->activation;
    position(net, weights, units * (uint64_t)depth * size, used);
    position(net, bias, units * sizeof(float), used);
    const uint32_t operands[] = {input, weights, bias, code, output};
    memcpy(net->operands_of[layer], operands, sizeof operands);
    net->operations[layer] = (struct hy_operation){.type = ANEURALNETWORKS_FULLY_CONNECTED,
                                                   .input_count = 4,
                                                   .output_count = 1,
                                                   .inputs = net->operands_of[layer],
                                                   .outputs = net->operands_of[layer] + 4};
    return output;
}

void net_make(struct net *net, bool is_quantised, uint32_t layers, const uint32_t *widths)
{
    struct hy_random random = {7};
    memset(net, 0, sizeof *net);
    net->is_quantised = is_quantised;
    net->layers = layers;
    net->activation = ANEURALNETWORKS_FUSED_RELU6;
    memcpy(net->widths, widths, (layers + 1) * sizeof *widths);
    uint32_t tensor = add_operand(net, is_quantised ? Q8 : F32, HY_LIFETIME_INPUT, 2, 2, widths[0]);
    net->arguments[0] = tensor;
    for (uint32_t i = 0; i < layers; i++)
        tensor = add_layer(net, i, tensor, &net->weights_size);
    net->arguments[1] = tensor;

    const size_t size = is_quantised ? 1 : sizeof(float);
    net->weights = calloc(1, net->weights_size);
    net->input = calloc(1, net_input_size(net));
    REQUIRE(net->weights && net->input);
    fill(net, net->weights, net->weights_size / size, &random);
    fill(net, net->input, net_input_size(net) / size, &random);
    net->pool = (struct hy_pool){.kind = HY_POOL_HOST,
                                 .protection = HY_PROTECT_READ,
                                 .fd = -1,
                                 .size = net->weights_size,
                                 .address = net->weights};
    net->graph.struct_size = sizeof net->graph;
    net->graph.operation_count = layers;
    net->graph.input_count = net->graph.output_count = 1;
    net->graph.operands = net->operands;
    net->graph.operations = net->operations;
    net->graph.inputs = &net->arguments[0];
    net->graph.outputs = &net->arguments[1];
    net->model = (struct hy_model){.struct_size = sizeof net->model,
                                   .main = &net->graph,
                                   .values = (const uint8_t *)&net->activation,
                                   .values_size = sizeof net->activation,
                                   .pools = &net->pool,
                                   .pool_count = 1,
                                   .feature_level = 4};
}

void net_finish(struct net *net)
{
    free(net->weights);
    free(net->input);
}

size_t net_input_size(const struct net *net)
{
    return (size_t)2 * net->widths[0] * (net->is_quantised ? 1 : sizeof(float));
}

size_t net_output_size(const struct net *net)
{
    return (size_t)2 * net->widths[net->layers] * (net->is_quantised ? 1 : sizeof(float));
}

/* ---- The device ------------------------------------------------------------------------------ */

bool cached_device_init(struct cached_device *device, const char *arguments, bool has_cache)
{
    if (!plugin_fixture_init(&device->plugins))
        return false;
    plugin_fixture_manifest(&device->plugins, "a.json", SAMPLE_DRIVER_PATH, arguments, 0);
    device->plugins.discovery.driver_files = plugin_fixture_path(&device->plugins, "a.json");
    if (has_cache)
        hy_host_cache_add(&device->plugins.host);
    if (!plugin_fixture_open(&device->plugins) ||
        hy_plugins_device_count(device->plugins.plugins) != 1) {
        hy_test_fail(__FILE__, __LINE__, "no device: %s", device->plugins.log);
        return false;
    }
    const struct hy_plugin_device *found = hy_plugins_device(device->plugins.plugins, 0);
    device->table = found->table;
    device->device = found->device;
    device->data_count = found->info->data_cache_files;
    hy_host_cache_expect(found->info->model_cache_files, device->data_count);
    return true;
}

void cached_device_finish(struct cached_device *device)
{
    plugin_fixture_finish(&device->plugins);
}

/* ---- Files ----------------------------------------------------------------------------------- */

void cached_files_open(const struct cached_device *device, uint8_t number,
                       struct cached_files *files)
{
    memset(files->token, number, sizeof files->token);
    files->count = 1 + device->data_count;
    for (uint32_t i = 0; i < files->count; i++)
        files->fds[i] = memfd_create("halyard-test-cache", MFD_CLOEXEC);
}

void cached_files_close(struct cached_files *files)
{
    while (files->count > 0)
        close(files->fds[--files->count]);
}

int64_t cached_files_bytes(const struct cached_files *files)
{
    int64_t bytes = 0;
    struct stat file_info;
    for (uint32_t i = 0; i < files->count; i++)
        bytes += fstat(files->fds[i], &file_info) == 0 ? file_info.st_size : 0;
    return bytes;
}

bool cached_files_reopen(const struct cached_device *device, struct cached_files *files)
{
    struct cached_files committed = *files;
    if (!hy_host_cache_open(files->token, committed.fds, committed.fds + 1))
        return false;
    cached_files_close(files);
    *files = committed;
    files->count = 1 + device->data_count;
    return true;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

int64_t cached_now(void)
{
    return hy_clock_boot();
}

static struct hy_prepare_options options_of(const struct cached_device *device,
                                            const struct cached_files *files, int64_t deadline)
{
    struct hy_prepare_options options = {.struct_size = sizeof options, .deadline = deadline};
    if (files) {
        options.model_cache = files->fds;
        options.data_cache = files->fds + 1;
        options.model_cache_count = 1;
        options.data_cache_count = device->data_count;
        options.token = files->token;
    }
    return options;
}

int32_t cached_prepare(const struct cached_device *device, const struct net *net,
                       const struct cached_files *files, int64_t deadline, void **prepared)
{
    const struct hy_prepare_options options = options_of(device, files, deadline);
    return device->table->prepare(device->device, &net->model, &options, prepared);
}

int32_t cached_restore(const struct cached_device *device, const struct cached_files *files,
                       int64_t deadline, void **prepared)
{
    const struct hy_prepare_options options = options_of(device, files, deadline);
    return device->table->prepare_from_cache(device->device, &options, prepared);
}

int32_t cached_execute(const struct cached_device *device, const struct net *net, void *prepared,
                       int64_t deadline, uint8_t *output)
{
    const struct hy_pool pools[] = {{.kind = HY_POOL_HOST,
                                     .protection = HY_PROTECT_READ,
                                     .fd = -1,
                                     .size = net_input_size(net),
                                     .address = net->input},
                                    {.kind = HY_POOL_HOST,
                                     .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                     .fd = -1,
                                     .size = net_output_size(net),
                                     .address = output}};
    const struct hy_argument input = {.location = {.pool = 0, .length = net_input_size(net)}};
    const struct hy_argument out = {.location = {.pool = 1, .length = net_output_size(net)}};
    const struct hy_request request = {.struct_size = sizeof request,
                                       .input_count = 1,
                                       .output_count = 1,
                                       .pool_count = 2,
                                       .inputs = &input,
                                       .outputs = &out,
                                       .pools = pools};
    const struct hy_run_options options = {.struct_size = sizeof options, .deadline = deadline};
    struct hy_output_shape shape;
    struct hy_result result = {.struct_size = sizeof result, .output_count = 1, .outputs = &shape};
    return device->table->execute(prepared, &request, &options, &result);
}
