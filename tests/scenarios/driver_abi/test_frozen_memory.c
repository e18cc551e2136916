/* What a driver of 1.0 allocates for clients of a shared service: it does not ask, so the service
 * charges what it knows. */
#include "plugins/service/wire/buffers.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/wire_request.h"
#include "tests/kit/model_builder.h"
#include "tests/kit/test.h"
#include "tests/scenarios/service/shared/raw_client.h"
#include "tests/scenarios/service/shared/shared_service.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of a service that may have 256 MiB a client gets 96 MiB. */
#define SERVICE_MEMORY "268435456"
enum { FLOATS = 25 * 1024 * 1024, BYTES = 4 * FLOATS, ADD = 0, TENSOR_FLOAT32 = 3 };

static struct shared_service service;

static bool start(struct raw_client *client)
{
    static const char *const arguments[] = {"--manifest", FROZEN_MANIFEST, NULL};
    int status;

    setenv("HALYARD_SERVICE_MEMORY", SERVICE_MEMORY, 1);
    const bool is_ready =
        shared_service_init(&service) && shared_service_start(&service, arguments, &status);
    unsetenv("HALYARD_SERVICE_MEMORY");
    return is_ready && raw_begin(client, service.socket, FROZEN_DRIVER, "{}");
}

static void end(struct raw_client *client)
{
    raw_close(client);
    EXPECT(shared_service_logs(&service, " has left\n", 1));
    EXPECT_INT(shared_service_count(&service, "still allocated"), 0);
    shared_service_finish(&service);
}

TEST(frozen_memory, buffer_is_charged_by_its_extents)
{
    static const uint32_t extent = FLOATS;
    static const struct hy_buffer_role role = {.frequency = 1.0f};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .rank = 1,
                                        .dims = &extent,
                                        .roles = &role,
                                        .prepared_count = 1,
                                        .role_count = 1};
    struct raw_client client;
    uint32_t token;

    REQUIRE(start(&client));
    const uint64_t prepared = raw_prepare(&client);
    REQUIRE(prepared != 0);
    raw_call(&client, HY_WIRE_BUFFER_CREATE, 0);
    hy_buffer_desc_pack(&client.call.body, &desc, &prepared);
    EXPECT_INT(raw_make(&client), HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_CONTAINS(client.error_text, "a request for 104857600 more is refused");
    EXPECT(raw_buffer(&client, prepared, &token) != 0);
    end(&client);
}

/* Each keeps its descriptors, and perhaps a thread, until it is destroyed. */
TEST(frozen_memory, descriptors_of_fenced_executions_are_limited)
{
    enum { WAITS = 20, DESCRIPTORS = 1024 };
    struct raw_client client, other;
    struct hy_fences fences = {.wait_count = WAITS};
    int32_t waits[WAITS], status = HY_STATUS_OK;
    int ends[2];
    uint32_t count = 0;

    REQUIRE(start(&client));
    REQUIRE(raw_begin(&other, service.socket, FROZEN_DRIVER, "{}"));
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    for (int i = 0; i < WAITS; i++)
        waits[i] = eventfd(1, EFD_CLOEXEC); /* signalled */
    const struct hy_pool pool = {.kind = HY_POOL_ASHMEM,
                                 .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                 .fd = memfd_create("tensors", MFD_CLOEXEC),
                                 .size = 64};
    REQUIRE(ftruncate(pool.fd, 64) == 0);
    const struct hy_argument inputs[] = {{.location = {.length = 16}},
                                         {.location = {.offset = 16, .length = 16}}};
    const struct hy_argument output = {.location = {.offset = 32, .length = 16}};
    const struct hy_request request = {.struct_size = sizeof request,
                                       .input_count = 2,
                                       .output_count = 1,
                                       .pool_count = 1,
                                       .inputs = inputs,
                                       .outputs = &output,
                                       .pools = &pool};
    const struct hy_run_options options = {.struct_size = sizeof options,
                                           .deadline = HY_NO_DEADLINE};
    const uint64_t prepared = raw_prepare(&client);
    REQUIRE(prepared != 0);
    fences.wait_for = waits;
    fences.signal = ends[1];
    while (status == HY_STATUS_OK && count <= DESCRIPTORS) {
        raw_call(&client, HY_WIRE_EXECUTE_FENCED, prepared);
        hy_request_pack(&client.call.body, &request);
        hy_run_options_pack(&client.call.body, &options);
        hy_fences_pack(&client.call.body, &fences);
        status = raw_make(&client);
        count += status == HY_STATUS_OK;
    }
    EXPECT_INT(status, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_INT(count, DESCRIPTORS / (WAITS + 2));
    EXPECT_CONTAINS(client.error_text, "of at most 1024 descriptors of fenced executions");
    EXPECT(raw_prepare(&other) != 0);
    raw_close(&other);
    EXPECT(shared_service_logs(&service, " has left\n", 1));
    for (int i = 0; i < WAITS; i++)
        close(waits[i]);
    close(ends[0]);
    close(ends[1]);
    close(pool.fd);
    raw_close(&client);
    EXPECT(shared_service_logs(&service, " has left\n", 2));
    EXPECT_INT(shared_service_count(&service, "still allocated"), 0);
    shared_service_finish(&service);
}

TEST(frozen_memory, model_is_charged_by_its_constants)
{
    const struct hy_builder_type large = {.type = TENSOR_FLOAT32, .rank = 1, .dims = {FLOATS}};
    const int fd = memfd_create("constants", MFD_CLOEXEC);
    struct hy_builder builder;
    struct raw_client client;

    REQUIRE(ftruncate(fd, BYTES) == 0);
    REQUIRE(start(&client));
    hy_builder_init(&builder);
    const uint32_t inputs[] = {hy_builder_input(&builder, &large),
                               hy_builder_pool_constant(&builder, &large, "", 0),
                               hy_builder_int(&builder, 0)};
    const uint32_t result = hy_builder_output(&builder, &large);
    hy_builder_operation(&builder, ADD, 3, inputs, 1, &result);
    builder.operands[inputs[1]].location.length = BYTES;
    builder.pools[0] = (struct hy_pool){
        .kind = HY_POOL_ASHMEM, .protection = HY_PROTECT_READ, .fd = fd, .size = BYTES};
    EXPECT_INT(raw_prepare_model(&client, hy_builder_model(&builder)), 0);
    EXPECT_CONTAINS(client.error_text, "more is refused");
    hy_builder_finish(&builder);
    close(fd);
    EXPECT(raw_prepare(&client) != 0);
    end(&client);
}
