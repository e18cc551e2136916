#include "lifecycle.h"

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
enum { EXTENT_BYTES = LIFECYCLE_EXTENT * sizeof(float) };

static struct hy_service_settings settings;
static uint32_t default_watchdog_s;

/* Who kills a host says so first, and whoever needs another one starts that later. */
static void receive_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level;
    if (strstr(text, "is killed"))
        settings.hang_timeout_seconds = default_watchdog_s;
}

static const struct hy_host host = {
    .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = receive_line};

/* ---- Memory and requests --------------------------------------------------------------------- */

bool lifecycle_make_memory(struct lifecycle_memory *memory)
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

void lifecycle_free_memory(const struct lifecycle_memory *memory)
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

static void make_request(struct lifecycle *lifecycle, struct request *made)
{
    float *bytes = lifecycle->memory.bytes;

    lifecycle->seed++;
    for (unsigned i = 0; i < LIFECYCLE_EXTENT; i++) {
        bytes[i] = (float)(lifecycle->seed + i);
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
                                        .pools = &lifecycle->memory.pool};
    made->options =
        (struct hy_run_options){.struct_size = sizeof made->options,
                                .deadline = lifecycle->deadline,
                                .loop_timeout = UINT64_C(2000000000),
                                .message = {lifecycle->error_text, sizeof lifecycle->error_text}};
    made->result = (struct hy_result){
        .struct_size = sizeof made->result, .output_count = 1, .outputs = &made->shape};
}

/* The status of what has ended with this one, if it has also given what it should. */
static int32_t check_result(struct lifecycle *lifecycle, int32_t status)
{
    const float *sum = lifecycle_sum(&lifecycle->memory);
    bool is_right = true;

    for (unsigned i = 0; i < LIFECYCLE_EXTENT; i++)
        is_right &= sum[i] == (float)(lifecycle->seed + i) + 0.5f;
    if (status != HY_STATUS_OK || is_right)
        return status;
    snprintf(lifecycle->error_text, sizeof lifecycle->error_text, "the sum of %u and 0.5 is %g",
             lifecycle->seed, (double)sum[0]);
    return HY_STATUS_GENERAL_FAILURE;
}

float *lifecycle_sum(const struct lifecycle_memory *memory)
{
    return memory->bytes + SUM / sizeof(float);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void build_model(struct hy_builder *builder)
{
    const struct hy_builder_type floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 1, .dims = {LIFECYCLE_EXTENT}};

    hy_builder_init(builder);
    const uint32_t a = hy_builder_input(builder, &floats), b = hy_builder_input(builder, &floats);
    const uint32_t sum = hy_builder_output(builder, &floats);
    const uint32_t inputs[] = {a, b, hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};
    hy_builder_operation(builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &sum);
}

bool lifecycle_open_driver(struct lifecycle *lifecycle, const char *library, const char *arguments,
                           uint32_t hang_timeout_seconds)
{
    const struct hy_service_launch launch = {.library = library, .arguments = arguments};
    struct hy_error err = {0};

    memset(lifecycle, 0, sizeof *lifecycle);
    lifecycle->deadline = HY_NO_DEADLINE;
    default_watchdog_s = hang_timeout_seconds;
    settings = (struct hy_service_settings){.program = getenv("HALYARD_DRIVERD"),
                                            .hang_timeout_seconds = hang_timeout_seconds};
    build_model(&lifecycle->builder);
    lifecycle->cache_file = memfd_create("cache", MFD_CLOEXEC);
    const bool is_open =
        lifecycle->cache_file >= 0 && lifecycle_make_memory(&lifecycle->memory) &&
        hy_service_open(&launch, &settings, &host, &lifecycle->service, &err) == HY_OK &&
        hy_service_driver()->device(lifecycle->service, 0, &lifecycle->table, &lifecycle->device) ==
            HY_STATUS_OK;
    snprintf(lifecycle->error_text, sizeof lifecycle->error_text, "%s", err.text);
    return is_open;
}

bool lifecycle_open(struct lifecycle *lifecycle, uint32_t hang_timeout_seconds)
{
    return lifecycle_open_driver(lifecycle, FAULTY_DRIVER, "{\"full\":1}", hang_timeout_seconds);
}

int64_t lifecycle_in_ms(int ms)
{
    return hy_clock_boot() + ms * HY_MILLISECOND;
}

void lifecycle_set_watchdog(uint32_t seconds)
{
    settings.hang_timeout_seconds = seconds;
}

void lifecycle_close(struct lifecycle *lifecycle)
{
    (void)lifecycle_destroy_model(lifecycle);
    if (lifecycle->service)
        hy_service_driver()->destroy(lifecycle->service);
    lifecycle_free_memory(&lifecycle->memory);
    close(lifecycle->cache_file);
    hy_builder_finish(&lifecycle->builder);
}

/* ---- Models ---------------------------------------------------------------------------------- */

int32_t lifecycle_ask(struct lifecycle *lifecycle)
{
    uint8_t supported = 0;
    const int32_t status =
        hy_service_supported_operations(lifecycle->device, hy_builder_model(&lifecycle->builder),
                                        lifecycle->deadline, &supported, NULL);
    return status == HY_STATUS_OK && !supported ? HY_STATUS_GENERAL_FAILURE : status;
}

static const uint8_t token[HY_TOKEN_SIZE] = {4, 7, 1, 1};

/* One file for a driver that caches, none for others. */
static struct hy_prepare_options prepare_options(struct lifecycle *lifecycle)
{
    struct hy_device_info info = {.struct_size = sizeof info};

    (void)lifecycle->table->describe(lifecycle->device, &info);
    return (struct hy_prepare_options){
        .struct_size = sizeof(struct hy_prepare_options),
        .preference = HY_PREFER_FAST_SINGLE_ANSWER,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = lifecycle->deadline,
        .model_cache = &lifecycle->cache_file,
        .model_cache_count = info.model_cache_files ? 1 : 0,
        .token = token,
        .message = {lifecycle->error_text, sizeof lifecycle->error_text}};
}

int32_t lifecycle_prepare(struct lifecycle *lifecycle)
{
    const struct hy_prepare_options options = prepare_options(lifecycle);

    if (lifecycle->prepared)
        return HY_STATUS_OK;
    return lifecycle->table->prepare(lifecycle->device, hy_builder_model(&lifecycle->builder),
                                     &options, &lifecycle->prepared);
}

int32_t lifecycle_prepare_from_cache(struct lifecycle *lifecycle)
{
    const struct hy_prepare_options options = prepare_options(lifecycle);
    void *prepared = NULL;
    const int32_t status =
        lifecycle->table->prepare_from_cache(lifecycle->device, &options, &prepared);

    if (status == HY_STATUS_OK)
        lifecycle->table->prepared_destroy(prepared);
    return status;
}

int32_t lifecycle_destroy_model(struct lifecycle *lifecycle)
{
    if (lifecycle->prepared)
        lifecycle->table->prepared_destroy(lifecycle->prepared);
    lifecycle->prepared = NULL;
    return HY_STATUS_OK;
}

/* ---- Executions ------------------------------------------------------------------------------ */

int32_t lifecycle_execute(struct lifecycle *lifecycle)
{
    struct request made;

    make_request(lifecycle, &made);
    return check_result(lifecycle, lifecycle->table->execute(lifecycle->prepared, &made.request,
                                                             &made.options, &made.result));
}

int32_t lifecycle_reuse(struct lifecycle *lifecycle)
{
    struct request made;
    void *reusable = NULL;

    make_request(lifecycle, &made);
    int32_t status = lifecycle->table->reusable_create(lifecycle->prepared, &made.request,
                                                       &made.options, &reusable);
    for (unsigned i = 0; i < 2 && status == HY_STATUS_OK; i++)
        status = check_result(lifecycle, lifecycle->table->reusable_execute(
                                             reusable, lifecycle->deadline, &made.result));
    if (reusable)
        lifecycle->table->reusable_destroy(reusable);
    return status;
}

static int32_t end_fenced(struct lifecycle *lifecycle, int fence, void *fenced)
{
    struct hy_fenced_result result = {.struct_size = sizeof result};
    struct pollfd look = {.fd = fence, .events = POLLIN};

    const bool is_over = poll(&look, 1, FENCE_MS) == 1;
    int32_t status = lifecycle->table->fenced_result(fenced, &result);
    const bool is_good = is_over && hy_sync_fence_result(fence, (uint32_t)look.revents) == 0;
    if (!is_good && status == HY_STATUS_OK) {
        snprintf(lifecycle->error_text, sizeof lifecycle->error_text, "the fence %s",
                 is_over ? "is in error" : "does not come");
        status = HY_STATUS_GENERAL_FAILURE;
    }
    return status == HY_STATUS_OK ? result.status : status;
}

int32_t lifecycle_execute_fenced(struct lifecycle *lifecycle)
{
    struct request made;
    int32_t fence = -1;
    void *fenced = NULL;

    make_request(lifecycle, &made);
    int32_t status = lifecycle->table->execute_fenced(lifecycle->prepared, &made.request,
                                                      &made.options, NULL, 0, &fence, &fenced);
    if (status != HY_STATUS_OK)
        return status;
    status = check_result(lifecycle, end_fenced(lifecycle, fence, fenced));
    close(fence);
    lifecycle->table->fenced_destroy(fenced);
    return status;
}

int32_t lifecycle_burst(struct lifecycle *lifecycle)
{
    void *burst = NULL;
    int32_t status = lifecycle->table->burst_open(lifecycle->prepared, &burst);

    for (unsigned i = 0; i < 4 && status == HY_STATUS_OK; i++) {
        struct request made;
        make_request(lifecycle, &made);
        status = check_result(lifecycle, lifecycle->table->burst_execute(
                                             burst, &made.request, &made.options, &made.result));
        if (i == 1)
            lifecycle->table->burst_release(burst, lifecycle->memory.pool.id);
    }
    if (burst)
        lifecycle->table->burst_close(burst);
    return status;
}

/* ---- Buffers, and the rest ------------------------------------------------------------------- */

int32_t lifecycle_use_buffer(struct lifecycle *lifecycle)
{
    const uint32_t dims[] = {LIFECYCLE_EXTENT};
    const struct hy_buffer_role role = {.index = 0, .frequency = 1};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .rank = 1,
                                        .dims = dims,
                                        .prepared = &lifecycle->prepared,
                                        .roles = &role,
                                        .prepared_count = 1,
                                        .role_count = 1};
    struct hy_pool source = lifecycle->memory.pool;
    struct request made;
    uint32_t number = 0;
    void *buffer = NULL;

    make_request(lifecycle, &made);
    source.size = EXTENT_BYTES;
    source.id = 0;
    int32_t status = lifecycle->table->buffer_create(lifecycle->device, &desc, &number, &buffer);
    if (status == HY_STATUS_OK)
        status = lifecycle->table->buffer_copy_from(buffer, &source, dims, 1);
    if (status == HY_STATUS_OK)
        status = lifecycle->table->buffer_copy_to(buffer, &source);
    if (buffer)
        lifecycle->table->buffer_destroy(buffer);
    return status;
}

/* ---- After one that came late ---------------------------------------------------------------- */

/* The execution had the deadline: from here on there is none. */
static int32_t expect_timed_out(struct lifecycle *lifecycle, int32_t status)
{
    lifecycle->deadline = HY_NO_DEADLINE;
    if (status == HY_STATUS_MISSED_DEADLINE_TRANSIENT)
        return HY_STATUS_OK;
    snprintf(lifecycle->error_text, sizeof lifecycle->error_text, "not late: status %d",
             (int)status);
    return HY_STATUS_GENERAL_FAILURE;
}

int32_t lifecycle_burst_after_timeout(struct lifecycle *lifecycle)
{
    struct request made;
    void *burst = NULL;
    int32_t status = lifecycle->table->burst_open(lifecycle->prepared, &burst);

    make_request(lifecycle, &made);
    if (status == HY_STATUS_OK)
        status = expect_timed_out(
            lifecycle,
            lifecycle->table->burst_execute(burst, &made.request, &made.options, &made.result));
    make_request(lifecycle, &made);
    if (status == HY_STATUS_OK)
        status = check_result(lifecycle, lifecycle->table->burst_execute(
                                             burst, &made.request, &made.options, &made.result));
    if (burst)
        lifecycle->table->burst_close(burst);
    return status;
}

static int32_t create_buffer(struct lifecycle *lifecycle, uint32_t *number, void **buffer)
{
    const uint32_t dims[] = {LIFECYCLE_EXTENT};
    const struct hy_buffer_role role = {.is_output = 1, .frequency = 1};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .rank = 1,
                                        .dims = dims,
                                        .prepared = &lifecycle->prepared,
                                        .roles = &role,
                                        .prepared_count = 1,
                                        .role_count = 1};

    return lifecycle->table->buffer_create(lifecycle->device, &desc, number, buffer);
}

/* As an execution, maybe of a burst, but that the sum goes into the buffer. */
static int32_t add_into_buffer(struct lifecycle *lifecycle, uint32_t number, void *burst)
{
    struct request made;

    make_request(lifecycle, &made);
    const struct hy_pool pools[] = {lifecycle->memory.pool,
                                    {.kind = HY_POOL_BUFFER, .fd = -1, .buffer_token = number}};
    made.arguments[2].location = (struct hy_location){.pool = 1};
    made.request.pools = pools;
    made.request.pool_count = 2;
    return burst
               ? lifecycle->table->burst_execute(burst, &made.request, &made.options, &made.result)
               : lifecycle->table->execute(lifecycle->prepared, &made.request, &made.options,
                                           &made.result);
}

static int32_t read_buffer(struct lifecycle *lifecycle, void *buffer)
{
    float first[LIFECYCLE_EXTENT];
    struct hy_pool pool = lifecycle->memory.pool;

    memcpy(first, lifecycle->memory.bytes, sizeof first);
    pool.size = EXTENT_BYTES;
    pool.id = 0;
    const int32_t status =
        lifecycle->table->buffer_copy_to(buffer, &pool); /* over the first summand */
    memcpy(lifecycle_sum(&lifecycle->memory), lifecycle->memory.bytes, EXTENT_BYTES);
    memcpy(lifecycle->memory.bytes, first, sizeof first);
    return check_result(lifecycle, status);
}

int32_t lifecycle_fill_buffer_after_timeout(struct lifecycle *lifecycle)
{
    uint32_t number = 0;
    void *buffer = NULL;

    int32_t status = create_buffer(lifecycle, &number, &buffer);
    if (status == HY_STATUS_OK)
        status = expect_timed_out(lifecycle, add_into_buffer(lifecycle, number, NULL));
    if (status == HY_STATUS_OK)
        status = add_into_buffer(lifecycle, number, NULL);
    if (status == HY_STATUS_OK)
        status = read_buffer(lifecycle, buffer);
    if (buffer)
        lifecycle->table->buffer_destroy(buffer);
    return status;
}

int32_t lifecycle_leave_buffer(struct lifecycle *lifecycle, struct lifecycle_left *left)
{
    uint32_t number = 0;

    *left = (struct lifecycle_left){0};
    int32_t status = create_buffer(lifecycle, &number, &left->buffer);
    if (status == HY_STATUS_OK)
        status = lifecycle->table->burst_open(lifecycle->prepared, &left->burst);
    return status == HY_STATUS_OK ? add_into_buffer(lifecycle, number, left->burst) : status;
}

int32_t lifecycle_wait(struct lifecycle *lifecycle)
{
    return lifecycle->table->wait(lifecycle->device, lifecycle->deadline);
}

int32_t lifecycle_drop_memory(struct lifecycle *lifecycle)
{
    const uint64_t id = lifecycle->memory.pool.id;

    lifecycle_free_memory(&lifecycle->memory);
    lifecycle->table->memory_gone(lifecycle->device, id);
    return lifecycle_make_memory(&lifecycle->memory) ? lifecycle_execute(lifecycle)
                                                     : HY_STATUS_GENERAL_FAILURE;
}

const struct lifecycle_step lifecycle_steps[] = {
    {"supported_operations", lifecycle_ask},
    {"prepare", lifecycle_prepare},
    {"prepare_from_cache", lifecycle_prepare_from_cache},
    {"execute", lifecycle_execute},
    {"reusable execution", lifecycle_reuse},
    {"fenced execution", lifecycle_execute_fenced},
    {"burst", lifecycle_burst},
    {"buffer", lifecycle_use_buffer},
    {"wait", lifecycle_wait},
    {"memory_gone", lifecycle_drop_memory},
    {"prepared_destroy", lifecycle_destroy_model},
};
const unsigned lifecycle_step_count = sizeof lifecycle_steps / sizeof *lifecycle_steps;
