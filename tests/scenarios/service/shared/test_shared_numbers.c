/* Memory, requests and models of a client of a shared service whose numbers are not true. */
#include "plugins/service/queue/rings.h"
#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/wire_model.h"
#include "plugins/service/wire/wire_request.h"
#include "raw_client.h"
#include "shared_service.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <android/hardware_buffer.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static const char *const cpu[] = {"--cpu", NULL};
static const char *const sample[] = {"--manifest", SAMPLE_MANIFEST, NULL};

/* As the service has them from the manifest. */
static const char sample_arguments[] = "{\"name\":\"halyard-sample\",\"operations\":[\"ADD\","
                                       "\"AVERAGE_POOL_2D\",\"FULLY_CONNECTED\",\"SOFTMAX\"],"
                                       "\"speed\":0.5}";

static struct shared_service service;
static struct raw_client client;

static bool begin(const char *const *arguments, const char *library, const char *settings)
{
    int status;

    return shared_service_init(&service) && shared_service_start(&service, arguments, &status) &&
           raw_begin(&client, service.socket, library, settings);
}

static void end(void)
{
    raw_close(&client);
    shared_service_finish(&service);
}

static int make_file(size_t bytes, unsigned flags)
{
    const int fd = memfd_create("test", MFD_CLOEXEC | flags);

    return fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 ? fd : -1;
}

static struct hy_pool memory_of(int fd, uint64_t id)
{
    return (struct hy_pool){.kind = HY_POOL_MMAP_FD,
                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                            .fd = fd,
                            .id = id,
                            .size = PAGE};
}

static int32_t add(const struct hy_pool *pool)
{
    raw_call(&client, HY_WIRE_MEMORY_ADD, pool->id);
    hy_memory_pack(&client.call.body, pool);
    return raw_make(&client);
}

static void expect_refused(struct hy_pool pool, const char *expected)
{
    EXPECT_INT(add(&pool), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(client.error_text, expected);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

TEST(shared_numbers, ranges_of_memory_that_are_not_there_are_refused)
{
    const int file = make_file(2 * PAGE, 0);
    struct hy_pool pool = memory_of(file, 1);

    REQUIRE(begin(cpu, "", "{}"));
    pool.size = 0;
    expect_refused(pool, "0 bytes at offset 0 do not fit the memory of 8192 bytes");
    pool.size = 2 * PAGE + 1;
    expect_refused(pool, "8193 bytes at offset 0 do not fit the memory of 8192 bytes");
    pool.offset = PAGE;
    expect_refused(pool, "8193 bytes at offset 4096");
    pool.size = PAGE;
    pool.offset = 2 * PAGE;
    expect_refused(pool, "4096 bytes at offset 8192");
    pool.offset = 1;
    expect_refused(pool, "offset 1 of memory is not a multiple of 4096");
    pool.offset = PAGE;
    pool.kind = HY_POOL_ASHMEM;
    expect_refused(pool, "memory of kind 2 has offset 4096, needs 0");
    pool.kind = HY_POOL_HARDWARE_BUFFER_BLOB;
    expect_refused(pool, "memory of kind 4 has offset 4096, needs 0");
    pool.kind = HY_POOL_MMAP_FD;
    EXPECT_INT(add(&pool), HY_STATUS_OK);
    close(file);
    end();
}

TEST(shared_numbers, access_that_the_descriptor_does_not_give_is_refused)
{
    const int file = make_file(PAGE, MFD_ALLOW_SEALING);
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const int read_only = open(path, O_RDONLY | O_CLOEXEC),
              write_only = open(path, O_WRONLY | O_CLOEXEC), named = open(path, O_PATH | O_CLOEXEC);
    struct hy_pool pool = memory_of(read_only, 1);

    REQUIRE(begin(cpu, "", "{}"));
    expect_refused(pool, "mapping 4096 bytes of memory: Permission denied");
    expect_refused(memory_of(write_only, 1), "Permission denied");
    expect_refused(memory_of(named, 1), "Bad file descriptor");
    pool.protection = HY_PROTECT_READ;
    EXPECT_INT(add(&pool), HY_STATUS_OK);
    REQUIRE(fcntl(file, F_ADD_SEALS, F_SEAL_WRITE) == 0);
    expect_refused(memory_of(file, 2), "not permitted");
    close(read_only);
    close(write_only);
    close(named);
    close(file);
    end();
}

/* A part of a huge page can be mapped and never unmapped. */
TEST(shared_numbers, memory_with_huge_pages_is_refused)
{
    const int file = make_file(2 << 20, MFD_HUGETLB);

    if (file < 0)
        return; /* the kernel has none */
    REQUIRE(begin(cpu, "", "{}"));
    expect_refused(memory_of(file, 1), "huge pages");
    close(file);
    end();
}

TEST(shared_numbers, memory_is_called_by_the_kind_that_it_has)
{
    const int file = make_file(PAGE, 0);
    struct hy_pool pool = memory_of(file, 1);

    REQUIRE(begin(cpu, "", "{}"));
    const uint64_t prepared = raw_prepare(&client);
    EXPECT_INT(add(&pool), HY_STATUS_OK);
    EXPECT_INT(raw_execute(&client, prepared, &pool, &pool), HY_STATUS_OK);
    pool.kind = HY_POOL_HARDWARE_BUFFER;
    EXPECT_INT(raw_execute(&client, prepared, &pool, &pool), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(client.error_text, "pool 0 has kind 5 in the request, the memory has kind 3");
    close(file);
    end();
}

TEST(shared_numbers, device_is_given_no_image_that_it_does_not_take)
{
    const struct hy_image image = {.width = 16,
                                   .height = 1,
                                   .layers = 1,
                                   .format = AHARDWAREBUFFER_FORMAT_R8_UNORM,
                                   .stride = 16};
    const int file = make_file(PAGE, 0);
    const struct hy_pool pool = {.kind = HY_POOL_HARDWARE_BUFFER,
                                 .protection = HY_PROTECT_READ,
                                 .fd = file,
                                 .image = &image},
                         memory = memory_of(file, 1);

    REQUIRE(begin(sample, SAMPLE_PATH, sample_arguments));
    const uint64_t prepared = raw_prepare(&client);
    REQUIRE(prepared != 0);
    EXPECT_INT(add(&memory), HY_STATUS_OK);
    EXPECT_INT(raw_execute(&client, prepared, &pool, &memory), HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(client.error_text, "pool 0 is an image, which the device does not support");
    EXPECT_INT(raw_execute(&client, prepared, &memory, &memory), HY_STATUS_OK);
    close(file);
    end();
}

/* The burst has 64 of them. */
TEST(shared_numbers, slot_that_a_burst_does_not_have_ends_the_connection_alone)
{
    const int file = make_file(PAGE, 0);
    const struct hy_pool pool = memory_of(file, 0);
    struct raw_client other;
    struct hy_rings rings = {0};
    struct hy_error err;
    int fd = -1;

    REQUIRE(begin(cpu, "", "{}"));
    REQUIRE(raw_begin(&other, service.socket, "", "{}"));
    const uint64_t prepared = raw_prepare(&client);
    REQUIRE(hy_rings_create(64, &rings, &fd, &err) == HY_OK);
    raw_call(&client, HY_WIRE_BURST_OPEN, prepared);
    hy_pack_fd(&client.call.body, fd);
    EXPECT_INT(raw_make(&client), HY_STATUS_OK);
    raw_call(&client, HY_WIRE_BURST_ANNOUNCE, 0);
    hy_burst_slot_pack(&client.call.body, &(struct hy_burst_slot){64, pool});
    EXPECT_INT(hy_frame_send(&client.channel, &client.call, HY_NO_DEADLINE, &err), HY_OK);
    raw_call(&client, HY_WIRE_BURST_CLOSE, 0);
    EXPECT_INT(raw_make(&client), -1);
    EXPECT(raw_prepare(&other) != 0);
    hy_rings_close(&rings);
    raw_close(&other);
    close(fd);
    close(file);
    end();
}

/* ---- Requests and models --------------------------------------------------------------------- */

TEST(shared_numbers, arguments_outside_of_their_memory_are_refused_by_the_service)
{
    const int file = make_file(PAGE, 0);
    struct hy_pool small = memory_of(file, 1), closed = memory_of(file, 2);

    REQUIRE(begin(cpu, "", "{}"));
    const uint64_t prepared = raw_prepare(&client);
    small.size = 40; /* the output lies in [32, 48) */
    closed.protection = HY_PROTECT_READ;
    EXPECT_INT(add(&small), HY_STATUS_OK);
    EXPECT_INT(add(&closed), HY_STATUS_OK);
    EXPECT_INT(raw_execute(&client, prepared, &small, &small), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(client.error_text,
                    "output 0: 16 bytes at offset 32 do not lie inside pool 1 of 40 bytes");
    EXPECT_INT(raw_execute(&client, prepared, &small, &closed), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(client.error_text, "output 0: pool 1 has protection 1, needs 2");
    close(file);
    end();
}

/* ADD of an input and a constant in memory. */
static int32_t prepare(const struct hy_pool *pool, uint64_t offset)
{
    static const uint8_t none[4] = {0};
    static const uint32_t extent = 4, inputs[] = {0, 1, 2}, output = 3;
    struct hy_operand operands[4] = {
        [2] = {.type = ANEURALNETWORKS_INT32,
               .lifetime = HY_LIFETIME_CONSTANT_COPY,
               .location = {.length = 4}},
    };
    for (uint32_t i = 0; i < 4; i++) {
        if (i != 2)
            operands[i] = (struct hy_operand){
                .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 1, .dims = &extent};
    }
    operands[0].lifetime = HY_LIFETIME_INPUT;
    operands[1].lifetime = HY_LIFETIME_CONSTANT_POOL;
    operands[1].location = (struct hy_location){.offset = offset, .length = 16};
    operands[3].lifetime = HY_LIFETIME_OUTPUT;
    const struct hy_operation operation = {.type = ANEURALNETWORKS_ADD,
                                           .input_count = 3,
                                           .output_count = 1,
                                           .inputs = inputs,
                                           .outputs = &output};
    const struct hy_subgraph graph = {.struct_size = sizeof graph,
                                      .operand_count = 4,
                                      .operation_count = 1,
                                      .input_count = 1,
                                      .output_count = 1,
                                      .operands = operands,
                                      .operations = &operation,
                                      .inputs = inputs,
                                      .outputs = &output};
    const struct hy_model model = {.struct_size = sizeof model,
                                   .main = &graph,
                                   .values = none,
                                   .values_size = sizeof none,
                                   .pools = pool,
                                   .pool_count = 1,
                                   .feature_level = 1};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};

    raw_call(&client, HY_WIRE_PREPARE, 0);
    hy_model_pack(&client.call.body, &model);
    hy_prepare_options_pack(&client.call.body, &options);
    return raw_make(&client);
}

TEST(shared_numbers, constants_outside_of_their_memory_are_refused_by_the_service)
{
    const int file = make_file(PAGE, 0);
    const struct hy_pool pool = memory_of(file, 1);

    REQUIRE(begin(cpu, "", "{}"));
    EXPECT_INT(add(&pool), HY_STATUS_OK);
    EXPECT_INT(prepare(&pool, PAGE - 16), HY_STATUS_OK);
    EXPECT_INT(prepare(&pool, PAGE - 15), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(client.error_text,
                    "operand 1: 16 bytes at offset 4081 do not lie inside pool 0 of 4096 bytes");
    close(file);
    end();
}

/* The status of a call about RESHAPE of four bytes, whose scale is 1, to four of this scale. */
static int32_t call_about_reshape(enum hy_wire_kind kind, float scale)
{
    static const int32_t shape = 4;
    static const uint32_t extent = 4, one = 1, inputs[] = {0, 1}, output = 2;
    const struct hy_operand operands[] = {
        {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
         .lifetime = HY_LIFETIME_INPUT,
         .rank = 1,
         .dims = &extent,
         .scale = 1},
        {.type = ANEURALNETWORKS_TENSOR_INT32,
         .lifetime = HY_LIFETIME_CONSTANT_COPY,
         .rank = 1,
         .dims = &one,
         .location = {.length = 4}},
        {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
         .lifetime = HY_LIFETIME_OUTPUT,
         .rank = 1,
         .dims = &extent,
         .scale = scale},
    };
    const struct hy_operation operation = {.type = ANEURALNETWORKS_RESHAPE,
                                           .input_count = 2,
                                           .output_count = 1,
                                           .inputs = inputs,
                                           .outputs = &output};
    const struct hy_subgraph graph = {.struct_size = sizeof graph,
                                      .operand_count = 3,
                                      .operation_count = 1,
                                      .input_count = 1,
                                      .output_count = 1,
                                      .operands = operands,
                                      .operations = &operation,
                                      .inputs = inputs,
                                      .outputs = &output};
    const struct hy_model model = {.struct_size = sizeof model,
                                   .main = &graph,
                                   .values = (const uint8_t *)&shape,
                                   .values_size = sizeof shape,
                                   .feature_level = 1};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};

    raw_call(&client, kind, 0);
    hy_model_pack(&client.call.body, &model);
    if (kind == HY_WIRE_PREPARE)
        hy_prepare_options_pack(&client.call.body, &options);
    return raw_make(&client);
}

TEST(shared_numbers, scales_that_an_operation_cannot_have_are_refused_by_the_service)
{
    static const enum hy_wire_kind kinds[] = {HY_WIRE_SUPPORTED, HY_WIRE_PREPARE};

    REQUIRE(begin(cpu, "", "{}"));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        EXPECT_INT(call_about_reshape(kinds[i], 1), HY_STATUS_OK);
        EXPECT_INT(call_about_reshape(kinds[i], 2), HY_STATUS_INVALID_ARGUMENT);
        EXPECT_STR(client.error_text,
                   "operation 0: RESHAPE: output 0 (operand 2) has scale 2 and zero "
                   "point 0, needs the values of input 0 (operand 0): 1 and 0");
    }
    end();
}

TEST(shared_numbers, cache_files_are_as_many_as_the_device_has_or_none)
{
    static const uint8_t token[HY_TOKEN_SIZE] = {1};
    const int32_t files[HY_MAX_CACHE_FILES] = {make_file(0, 0)};
    int32_t many[HY_MAX_CACHE_FILES];

    REQUIRE(begin(cpu, "", "{}"));
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++)
        many[i] = files[0];
    for (uint32_t count = 2; count <= HY_MAX_CACHE_FILES; count += 30) {
        const struct hy_prepare_options options = {.struct_size = sizeof options,
                                                   .deadline = HY_NO_DEADLINE,
                                                   .model_cache = many,
                                                   .data_cache = many,
                                                   .model_cache_count = count,
                                                   .data_cache_count = 1,
                                                   .token = token};
        raw_call(&client, HY_WIRE_PREPARE_FROM_CACHE, 0);
        hy_prepare_options_pack(&client.call.body, &options);
        EXPECT_INT(raw_make(&client), HY_STATUS_INVALID_ARGUMENT);
        EXPECT_CONTAINS(client.error_text, "1 data cache files, needs 0 and 0, or 1 and 1");
    }
    close(files[0]);
    end();
}
