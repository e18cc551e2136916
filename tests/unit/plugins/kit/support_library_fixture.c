#include "support_library_fixture.h"

#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#define POOL_SIZE 4096u

static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    (void)context;
    if (protection & ~pool->protection)
        return HY_STATUS_INVALID_ARGUMENT;
    *address = pool->address;
    return HY_STATUS_OK;
}

static struct fake_support_library *find_fake(void)
{
    fake_support_library_fn get = NULL;
    void *library = dlopen(FAKE_SUPPORT_LIBRARY_PATH, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "fake_support_library") : NULL;

    memcpy(&get, &symbol, sizeof get);
    EXPECT(get);
    return get ? get() : NULL;
}

bool sl_fixture_init(struct sl_fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->fake = find_fake();
    if (!fixture->fake || !plugin_fixture_init(&fixture->plugins))
        return false;
    memset(fixture->fake, 0, sizeof *fixture->fake);
    fixture->plugins.host.map = map;
    fixture->library = FAKE_SUPPORT_LIBRARY_PATH;
    fixture->prepare_options = (struct hy_prepare_options){
        .struct_size = sizeof fixture->prepare_options,
        .preference = HY_PREFER_SUSTAINED_SPEED,
        .priority = HY_PRIORITY_HIGH,
        .deadline = HY_NO_DEADLINE,
        .message = {fixture->message, sizeof fixture->message},
    };
    return true;
}

void sl_fixture_finish(struct sl_fixture *fixture)
{
    if (fixture->prepared)
        fixture->table->prepared_destroy(fixture->prepared);
    plugin_fixture_finish(&fixture->plugins);
    EXPECT_INT(fixture->fake->live, 0);
}

bool sl_fixture_open(struct sl_fixture *fixture, const char *arguments)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
             "\"kind\":\"nnapi-sl\",\"arguments\":%s}}",
             fixture->library, arguments);
    plugin_fixture_write(&fixture->plugins, "sl.json", text);
    fixture->plugins.discovery.driver_files = plugin_fixture_path(&fixture->plugins, "sl.json");
    fixture->table = NULL;
    if (!plugin_fixture_open(&fixture->plugins))
        return false;
    if (hy_plugins_device_count(fixture->plugins.plugins) > 0) {
        const struct hy_plugin_device *device = hy_plugins_device(fixture->plugins.plugins, 0);
        fixture->table = device->table;
        fixture->device = device->device;
    }
    return true;
}

void sl_fixture_expect_refusal(struct sl_fixture *fixture, const char *reason)
{
    if (!sl_fixture_open(fixture, "{}"))
        return;
    EXPECT(!fixture->table);
    EXPECT_CONTAINS(plugin_fixture_reason(&fixture->plugins), reason);
}

void sl_fixture_relu(struct hy_builder *builder)
{
    const struct hy_builder_type type = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 2, .dims = {1, 4}};

    hy_builder_init(builder);
    const uint32_t input = hy_builder_input(builder, &type);
    const uint32_t output = hy_builder_output(builder, &type);
    hy_builder_operation(builder, ANEURALNETWORKS_RELU, 1, &input, 1, &output);
}

int32_t sl_fixture_prepare_model(struct sl_fixture *fixture, const struct hy_model *model)
{
    fixture->message[0] = '\0';
    return fixture->table->prepare(fixture->device, model, &fixture->prepare_options,
                                   &fixture->prepared);
}

bool sl_fixture_prepare(struct sl_fixture *fixture)
{
    struct hy_builder builder;

    if (!sl_fixture_open(fixture, "{}") || !fixture->table)
        return false;
    sl_fixture_relu(&builder);
    int32_t status = sl_fixture_prepare_model(fixture, hy_builder_model(&builder));
    hy_builder_finish(&builder);
    EXPECT_INT(status, HY_STATUS_OK);
    sl_fixture_request(fixture);
    fixture->fake->log[0] = '\0';
    return status == HY_STATUS_OK;
}

void sl_fixture_request(struct sl_fixture *fixture)
{
    for (uint32_t i = 0; i < 4; i++) {
        fixture->in[i] = (float)i + 1;
        fixture->out[i] = -1;
    }
    fixture->dims[0] = 1;
    fixture->dims[1] = 4;
    for (uint32_t i = 0; i < 2; i++) {
        fixture->pools[i] = (struct hy_pool){.kind = HY_POOL_HOST,
                                             .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                             .fd = -1,
                                             .size = sizeof fixture->in,
                                             .address = i ? fixture->out : fixture->in};
        fixture->arguments[i] =
            (struct hy_argument){.location = {.pool = i, .length = sizeof fixture->in}};
    }
    fixture->request = (struct hy_request){.struct_size = sizeof fixture->request,
                                           .input_count = 1,
                                           .output_count = 1,
                                           .pool_count = 2,
                                           .inputs = &fixture->arguments[0],
                                           .outputs = &fixture->arguments[1],
                                           .pools = fixture->pools};
    fixture->options =
        (struct hy_run_options){.struct_size = sizeof fixture->options,
                                .deadline = HY_NO_DEADLINE,
                                .message = {fixture->message, sizeof fixture->message}};
    fixture->result = (struct hy_result){
        .struct_size = sizeof fixture->result, .output_count = 1, .outputs = &fixture->shape};
}

int32_t sl_fixture_execute(struct sl_fixture *fixture)
{
    fixture->message[0] = '\0';
    return fixture->table->execute(fixture->prepared, &fixture->request, &fixture->options,
                                   &fixture->result);
}

void sl_fixture_use_fd(struct sl_fixture *fixture, uint32_t argument, uint64_t id, uint64_t offset)
{
    struct hy_pool *pool = &fixture->pools[argument];
    const int fd = memfd_create("fake", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && ftruncate(fd, POOL_SIZE) == 0);
    void *address = mmap(NULL, POOL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(address != MAP_FAILED);

    memcpy((char *)address + offset, pool->address, sizeof fixture->in);
    *pool = (struct hy_pool){.kind = HY_POOL_MMAP_FD,
                             .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                             .fd = fd,
                             .id = id,
                             .size = POOL_SIZE,
                             .address = address};
    fixture->arguments[argument].location.offset = offset;
}

void sl_fixture_close_fds(struct sl_fixture *fixture)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (fixture->pools[i].fd < 0)
            continue;
        munmap(fixture->pools[i].address, POOL_SIZE);
        close(fixture->pools[i].fd);
    }
    sl_fixture_request(fixture);
}
