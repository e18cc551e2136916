#include "life.h"

#include "common/clock.h"
#include "common/sync_fence.h"

#include <android/NeuralNetworksTypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY = 4096, SUMMAND = 64, SUM = 128, FENCE_MS = 60000 };
enum { EXTENT_BYTES = LIFE_EXTENT * sizeof(float) };

static struct hy_service_settings settings;
static uint32_t usual_patience;

/* Who kills a host says so first, and whoever needs another one starts that later. */
static void take_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level;
    if (strstr(text, "is killed"))
        settings.patience_seconds = usual_patience;
}

static const struct hy_host host = {
    .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = take_line};

/* ---- Memory and requests --------------------------------------------------------------------- */

bool life_make_memory(struct life_memory *memory)
{
    static uint64_t last_id;
    const int fd = memfd_create("life", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, MEMORY) != 0)
        return false;
    memory->pool = (struct hy_pool){.kind = HY_POOL_ASHMEM,
                                    .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                    .fd = fd,
                                    .id = ++last_id,
                                    .size = MEMORY};
    memory->bytes = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory->bytes != MAP_FAILED;
}

void life_free_memory(const struct life_memory *memory)
{
    munmap(memory->bytes, MEMORY);
    close(memory->pool.fd);
}

/* One request over the memory: its summands are numbers that follow from the seed. */
struct request {
    struct hy_argument arguments[3];
    struct hy_request request;
    struct hy_run_options options;
    struct hy_output_shape shape;
    struct hy_result result;
};

static void make_request(struct life *life, struct request *made)
{
    float *bytes = life->memory.bytes;

    life->seed++;
    for (unsigned i = 0; i < LIFE_EXTENT; i++) {
        bytes[i] = (float)(life->seed + i);
        bytes[SUMMAND / sizeof *bytes + i] = 0.5f;
        bytes[SUM / sizeof *bytes + i] = -1; /* never a sum */
    }
    for (unsigned i = 0; i < 3; i++)
        made->arguments[i] =
            (struct hy_argument){.location = {.offset = i * SUMMAND, .length = EXTENT_BYTES}};
    made->request = (struct hy_request){.struct_size = sizeof made->request,
                                        .input_count = 2,
                                        .output_count = 1,
                                        .pool_count = 1,
                                        .inputs = made->arguments,
                                        .outputs = &made->arguments[2],
                                        .pools = &life->memory.pool};
    made->options = (struct hy_run_options){.struct_size = sizeof made->options,
                                            .deadline = life->deadline,
                                            .loop_timeout = UINT64_C(2000000000),
                                            .message = {life->words, sizeof life->words}};
    made->result = (struct hy_result){
        .struct_size = sizeof made->result, .output_count = 1, .outputs = &made->shape};
}

/* The status of what has ended with this one, if it has also given what it should. */
static int32_t judge(struct life *life, int32_t status)
{
    const float *sum = life_sum(&life->memory);
    bool is_right = true;

    for (unsigned i = 0; i < LIFE_EXTENT; i++)
        is_right &= sum[i] == (float)(life->seed + i) + 0.5f;
    if (status != HY_STATUS_OK || is_right)
        return status;
    snprintf(life->words, sizeof life->words, "the sum of %u and 0.5 is %g", life->seed,
             (double)sum[0]);
    return HY_STATUS_GENERAL_FAILURE;
}

float *life_sum(const struct life_memory *memory)
{
    return memory->bytes + SUM / sizeof(float);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void build_model(struct hy_builder *builder)
{
    const struct hy_builder_type floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 1, .dims = {LIFE_EXTENT}};

    hy_builder_init(builder);
    const uint32_t a = hy_builder_input(builder, &floats), b = hy_builder_input(builder, &floats);
    const uint32_t sum = hy_builder_output(builder, &floats);
    const uint32_t inputs[] = {a, b, hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};
    hy_builder_operation(builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &sum);
}

bool life_open_driver(struct life *life, const char *library, const char *arguments,
                      uint32_t patience_seconds)
{
    const struct hy_service_launch launch = {.library = library, .arguments = arguments};
    struct hy_error err = {0};

    memset(life, 0, sizeof *life);
    life->deadline = HY_NO_DEADLINE;
    usual_patience = patience_seconds;
    settings = (struct hy_service_settings){.program = getenv("HALYARD_DRIVERD"),
                                            .patience_seconds = patience_seconds};
    build_model(&life->builder);
    life->cache_file = memfd_create("cache", MFD_CLOEXEC);
    const bool is_open =
        life->cache_file >= 0 && life_make_memory(&life->memory) &&
        hy_service_open(&launch, &settings, &host, &life->service, &err) == HY_OK &&
        hy_service_driver()->device(life->service, 0, &life->table, &life->device) == HY_STATUS_OK;
    snprintf(life->words, sizeof life->words, "%s", err.text);
    return is_open;
}

bool life_open(struct life *life, uint32_t patience_seconds)
{
    return life_open_driver(life, FAULTY_DRIVER, "{\"full\":1}", patience_seconds);
}

int64_t life_in_ms(int ms)
{
    return hy_clock_boot() + ms * HY_MILLISECOND;
}

void life_lose_patience(uint32_t seconds)
{
    settings.patience_seconds = seconds;
}

void life_close(struct life *life)
{
    (void)life_forget_model(life);
    if (life->service)
        hy_service_driver()->destroy(life->service);
    life_free_memory(&life->memory);
    close(life->cache_file);
    hy_builder_finish(&life->builder);
}

/* ---- Models ---------------------------------------------------------------------------------- */

int32_t life_ask(struct life *life)
{
    uint8_t supported = 0;
    const int32_t status = hy_service_supported_operations(
        life->device, hy_builder_model(&life->builder), life->deadline, &supported, NULL);
    return status == HY_STATUS_OK && !supported ? HY_STATUS_GENERAL_FAILURE : status;
}

static const uint8_t token[HY_TOKEN_SIZE] = {4, 7, 1, 1};

/* One file for a driver that caches, none for others. */
static struct hy_prepare_options prepare_options(struct life *life)
{
    struct hy_device_info info = {.struct_size = sizeof info};

    (void)life->table->describe(life->device, &info);
    return (struct hy_prepare_options){.struct_size = sizeof(struct hy_prepare_options),
                                       .preference = HY_PREFER_FAST_SINGLE_ANSWER,
                                       .priority = HY_PRIORITY_MEDIUM,
                                       .deadline = life->deadline,
                                       .model_cache = &life->cache_file,
                                       .model_cache_count = info.model_cache_files ? 1 : 0,
                                       .token = token,
                                       .message = {life->words, sizeof life->words}};
}

int32_t life_prepare(struct life *life)
{
    const struct hy_prepare_options options = prepare_options(life);

    if (life->prepared)
        return HY_STATUS_OK;
    return life->table->prepare(life->device, hy_builder_model(&life->builder), &options,
                                &life->prepared);
}

int32_t life_prepare_from_cache(struct life *life)
{
    const struct hy_prepare_options options = prepare_options(life);
    void *prepared = NULL;
    const int32_t status = life->table->prepare_from_cache(life->device, &options, &prepared);

    if (status == HY_STATUS_OK)
        life->table->prepared_destroy(prepared);
    return status;
}

int32_t life_forget_model(struct life *life)
{
    if (life->prepared)
        life->table->prepared_destroy(life->prepared);
    life->prepared = NULL;
    return HY_STATUS_OK;
}

/* ---- Executions ------------------------------------------------------------------------------ */

int32_t life_execute(struct life *life)
{
    struct request made;

    make_request(life, &made);
    return judge(life,
                 life->table->execute(life->prepared, &made.request, &made.options, &made.result));
}

int32_t life_reuse(struct life *life)
{
    struct request made;
    void *reusable = NULL;

    make_request(life, &made);
    int32_t status =
        life->table->reusable_create(life->prepared, &made.request, &made.options, &reusable);
    for (unsigned i = 0; i < 2 && status == HY_STATUS_OK; i++)
        status = judge(life, life->table->reusable_execute(reusable, life->deadline, &made.result));
    if (reusable)
        life->table->reusable_destroy(reusable);
    return status;
}

static int32_t end_fenced(struct life *life, int fence, void *fenced)
{
    struct hy_fenced_result result = {.struct_size = sizeof result};
    struct pollfd look = {.fd = fence, .events = POLLIN};

    const bool is_over = poll(&look, 1, FENCE_MS) == 1;
    int32_t status = life->table->fenced_result(fenced, &result);
    const bool is_good = is_over && hy_sync_fence_result(fence, (uint32_t)look.revents) == 0;
    if (!is_good && status == HY_STATUS_OK) {
        snprintf(life->words, sizeof life->words, "the fence %s",
                 is_over ? "is in error" : "does not come");
        status = HY_STATUS_GENERAL_FAILURE;
    }
    return status == HY_STATUS_OK ? result.status : status;
}

int32_t life_execute_fenced(struct life *life)
{
    struct request made;
    int32_t fence = -1;
    void *fenced = NULL;

    make_request(life, &made);
    int32_t status = life->table->execute_fenced(life->prepared, &made.request, &made.options, NULL,
                                                 0, &fence, &fenced);
    if (status != HY_STATUS_OK)
        return status;
    status = judge(life, end_fenced(life, fence, fenced));
    close(fence);
    life->table->fenced_destroy(fenced);
    return status;
}

int32_t life_burst(struct life *life)
{
    void *burst = NULL;
    int32_t status = life->table->burst_open(life->prepared, &burst);

    for (unsigned i = 0; i < 4 && status == HY_STATUS_OK; i++) {
        struct request made;
        make_request(life, &made);
        status = judge(
            life, life->table->burst_execute(burst, &made.request, &made.options, &made.result));
        if (i == 1)
            life->table->burst_release(burst, life->memory.pool.id);
    }
    if (burst)
        life->table->burst_close(burst);
    return status;
}

/* ---- Buffers, and the rest ------------------------------------------------------------------- */

int32_t life_use_buffer(struct life *life)
{
    const uint32_t dims[] = {LIFE_EXTENT};
    const struct hy_buffer_role role = {.index = 0, .frequency = 1};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .rank = 1,
                                        .dims = dims,
                                        .prepared = &life->prepared,
                                        .roles = &role,
                                        .prepared_count = 1,
                                        .role_count = 1};
    struct hy_pool source = life->memory.pool;
    struct request made;
    uint32_t number = 0;
    void *buffer = NULL;

    make_request(life, &made);
    source.size = EXTENT_BYTES;
    source.id = 0;
    int32_t status = life->table->buffer_create(life->device, &desc, &number, &buffer);
    if (status == HY_STATUS_OK)
        status = life->table->buffer_copy_from(buffer, &source, dims, 1);
    if (status == HY_STATUS_OK)
        status = life->table->buffer_copy_to(buffer, &source);
    if (buffer)
        life->table->buffer_destroy(buffer);
    return status;
}

/* ---- After one that came late ---------------------------------------------------------------- */

/* The execution had the deadline: from here on there is none. */
static int32_t expect_late(struct life *life, int32_t status)
{
    life->deadline = HY_NO_DEADLINE;
    if (status == HY_STATUS_MISSED_DEADLINE_TRANSIENT)
        return HY_STATUS_OK;
    snprintf(life->words, sizeof life->words, "not late: status %d", (int)status);
    return HY_STATUS_GENERAL_FAILURE;
}

int32_t life_burst_after_late(struct life *life)
{
    struct request made;
    void *burst = NULL;
    int32_t status = life->table->burst_open(life->prepared, &burst);

    make_request(life, &made);
    if (status == HY_STATUS_OK)
        status = expect_late(
            life, life->table->burst_execute(burst, &made.request, &made.options, &made.result));
    make_request(life, &made);
    if (status == HY_STATUS_OK)
        status = judge(
            life, life->table->burst_execute(burst, &made.request, &made.options, &made.result));
    if (burst)
        life->table->burst_close(burst);
    return status;
}

static int32_t create_buffer(struct life *life, uint32_t *number, void **buffer)
{
    const uint32_t dims[] = {LIFE_EXTENT};
    const struct hy_buffer_role role = {.is_output = 1, .frequency = 1};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .rank = 1,
                                        .dims = dims,
                                        .prepared = &life->prepared,
                                        .roles = &role,
                                        .prepared_count = 1,
                                        .role_count = 1};

    return life->table->buffer_create(life->device, &desc, number, buffer);
}

/* As an execution, maybe of a burst, but that the sum goes into the buffer. */
static int32_t add_into_buffer(struct life *life, uint32_t number, void *burst)
{
    struct request made;

    make_request(life, &made);
    const struct hy_pool pools[] = {life->memory.pool,
                                    {.kind = HY_POOL_BUFFER, .fd = -1, .buffer_token = number}};
    made.arguments[2].location = (struct hy_location){.pool = 1};
    made.request.pools = pools;
    made.request.pool_count = 2;
    return burst ? life->table->burst_execute(burst, &made.request, &made.options, &made.result)
                 : life->table->execute(life->prepared, &made.request, &made.options, &made.result);
}

static int32_t read_buffer(struct life *life, void *buffer)
{
    float first[LIFE_EXTENT];
    struct hy_pool pool = life->memory.pool;

    memcpy(first, life->memory.bytes, sizeof first);
    pool.size = EXTENT_BYTES;
    pool.id = 0;
    const int32_t status = life->table->buffer_copy_to(buffer, &pool); /* over the first summand */
    memcpy(life_sum(&life->memory), life->memory.bytes, EXTENT_BYTES);
    memcpy(life->memory.bytes, first, sizeof first);
    return judge(life, status);
}

int32_t life_fill_buffer_after_late(struct life *life)
{
    uint32_t number = 0;
    void *buffer = NULL;

    int32_t status = create_buffer(life, &number, &buffer);
    if (status == HY_STATUS_OK)
        status = expect_late(life, add_into_buffer(life, number, NULL));
    if (status == HY_STATUS_OK)
        status = add_into_buffer(life, number, NULL);
    if (status == HY_STATUS_OK)
        status = read_buffer(life, buffer);
    if (buffer)
        life->table->buffer_destroy(buffer);
    return status;
}

int32_t life_leave_buffer(struct life *life, struct life_left *left)
{
    uint32_t number = 0;

    *left = (struct life_left){0};
    int32_t status = create_buffer(life, &number, &left->buffer);
    if (status == HY_STATUS_OK)
        status = life->table->burst_open(life->prepared, &left->burst);
    return status == HY_STATUS_OK ? add_into_buffer(life, number, left->burst) : status;
}

int32_t life_wait(struct life *life)
{
    return life->table->wait(life->device, life->deadline);
}

int32_t life_forget_memory(struct life *life)
{
    const uint64_t id = life->memory.pool.id;

    life_free_memory(&life->memory);
    life->table->memory_gone(life->device, id);
    return life_make_memory(&life->memory) ? life_execute(life) : HY_STATUS_GENERAL_FAILURE;
}

const struct life_step life_steps[] = {
    {"supported_operations", life_ask},
    {"prepare", life_prepare},
    {"prepare_from_cache", life_prepare_from_cache},
    {"execute", life_execute},
    {"reusable execution", life_reuse},
    {"fenced execution", life_execute_fenced},
    {"burst", life_burst},
    {"buffer", life_use_buffer},
    {"wait", life_wait},
    {"memory_gone", life_forget_memory},
    {"prepared_destroy", life_forget_model},
};
const unsigned life_step_count = sizeof life_steps / sizeof *life_steps;
