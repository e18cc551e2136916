/* An app that cuts its files short while a service works on them: the service lives, and what it
 * answers is an error or right. */
#include "plugins/service/client/service.h"
#include "tests/kit/model_builder.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = 6, BYTES = COUNT * sizeof(float), FILES = 150, RUNS = 4 };

/* ---- The service ----------------------------------------------------------------------------- */

struct adder {
    struct hy_service *service;
    const struct hy_device *table;
    void *device, *prepared, *burst;
};

static void receive_line(void *context, int32_t level, const char *text)
{
    (void)context;
    (void)level;
    (void)text;
}

static const struct hy_host host = {
    .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = receive_line};

/* out = in + {1, 1, …} */
static int32_t prepare(struct adder *adder)
{
    static const float ones[COUNT] = {1, 1, 1, 1, 1, 1};
    const struct hy_builder_type type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {COUNT}};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .preference = HY_PREFER_FAST_SINGLE_ANSWER,
                                               .priority = HY_PRIORITY_MEDIUM,
                                               .deadline = HY_NO_DEADLINE};
    struct hy_builder builder;

    hy_builder_init(&builder);
    const uint32_t in = hy_builder_input(&builder, &type);
    const uint32_t addends[] = {in, hy_builder_constant(&builder, &type, ones, sizeof ones),
                                hy_builder_int(&builder, 0)};
    const uint32_t out = hy_builder_output(&builder, &type);
    hy_builder_operation(&builder, ANEURALNETWORKS_ADD, 3, addends, 1, &out);
    const int32_t status = adder->table->prepare(adder->device, hy_builder_model(&builder),
                                                 &options, &adder->prepared);
    hy_builder_finish(&builder);
    return status;
}

static bool open_adder(struct adder *adder)
{
    static const struct hy_service_settings settings = {.program = DRIVERD_PATH,
                                                        .hang_timeout_seconds = 60};
    const struct hy_service_launch launch = {.library = "", .arguments = "{}"};
    struct hy_error err;

    *adder = (struct adder){0};
    if (hy_service_open(&launch, &settings, &host, &adder->service, &err) != HY_OK) {
        printf("%s\n", err.text);
        return false;
    }
    return hy_service_driver()->device(adder->service, 0, &adder->table, &adder->device) ==
               HY_STATUS_OK &&
           prepare(adder) == HY_STATUS_OK &&
           adder->table->burst_open(adder->prepared, &adder->burst) == HY_STATUS_OK;
}

static void close_adder(struct adder *adder)
{
    if (adder->burst)
        adder->table->burst_close(adder->burst);
    if (adder->prepared)
        adder->table->prepared_destroy(adder->prepared);
    if (adder->service)
        hy_service_driver()->destroy(adder->service);
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Inputs in the first page, outputs in the second. */
struct file {
    int fd;
    off_t page;
    uint64_t id;
    float values[COUNT];
};

static bool make_file(struct file *file, uint64_t id)
{
    *file = (struct file){
        .fd = memfd_create("cut", MFD_CLOEXEC), .page = (off_t)sysconf(_SC_PAGESIZE), .id = id};
    for (int i = 0; i < COUNT; i++)
        file->values[i] = (float)(id * 10 + (uint64_t)i);
    return file->fd >= 0 && ftruncate(file->fd, 2 * file->page) == 0 &&
           pwrite(file->fd, file->values, BYTES, 0) == (ssize_t)BYTES;
}

static int32_t run(const struct adder *adder, const struct file *file, bool in_burst)
{
    const struct hy_pool pool = {.kind = HY_POOL_ASHMEM,
                                 .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                 .fd = file->fd,
                                 .id = file->id,
                                 .size = (uint64_t)file->page * 2};
    const struct hy_argument in = {.location = {.length = BYTES}};
    const struct hy_argument out = {.location = {.offset = (uint64_t)file->page, .length = BYTES}};
    const struct hy_request request = {.struct_size = sizeof request,
                                       .input_count = 1,
                                       .output_count = 1,
                                       .pool_count = 1,
                                       .inputs = &in,
                                       .outputs = &out,
                                       .pools = &pool};
    const struct hy_run_options options = {.struct_size = sizeof options,
                                           .deadline = HY_NO_DEADLINE};
    struct hy_output_shape shape;
    struct hy_result result = {.struct_size = sizeof result, .output_count = 1, .outputs = &shape};

    return in_burst ? adder->table->burst_execute(adder->burst, &request, &options, &result)
                    : adder->table->execute(adder->prepared, &request, &options, &result);
}

/* False: what is in the file is wrong. Where it has been cut there is nothing to look at. */
static bool is_right(const struct file *file)
{
    float got[COUNT];

    if (pread(file->fd, got, BYTES, file->page) != (ssize_t)BYTES)
        return true;
    for (int i = 0; i < COUNT; i++) {
        if (got[i] != file->values[i] + 1)
            return false;
    }
    return true;
}

/* ---- The app --------------------------------------------------------------------------------- */

struct cut {
    const struct file *file;
    unsigned delay_us;
    off_t length;
};

static void *cut_short(void *argument)
{
    const struct cut *cut = argument; /* NULL comes back when it has been cut */

    if (cut->delay_us > 0)
        usleep(cut->delay_us);
    return ftruncate(cut->file->fd, cut->length) == 0 ? NULL : argument;
}

static void run_while_cut(const struct adder *adder, const struct cut *cut, bool in_burst)
{
    void *failed = NULL;
    pthread_t thread;

    REQUIRE(pthread_create(&thread, NULL, cut_short, (void *)cut) == 0);
    for (int i = 0; i < RUNS; i++) {
        const int32_t status = run(adder, cut->file, in_burst);
        if (status == HY_STATUS_OK)
            EXPECT(is_right(cut->file));
        else /* the memory is refused when it is first shown, or is torn later */
            EXPECT(status == HY_STATUS_GENERAL_FAILURE || status == HY_STATUS_INVALID_ARGUMENT);
    }
    pthread_join(thread, &failed);
    REQUIRE(!failed);
    EXPECT(run(adder, cut->file, in_burst) != HY_STATUS_OK);
}

static void expect_survival(bool in_burst)
{
    struct hy_service_info before = {0}, after = {0};
    struct adder adder;
    struct file file;

    REQUIRE(open_adder(&adder));
    hy_service_get_info(adder.service, &before);
    for (uint64_t id = 1; id <= FILES; id++) {
        REQUIRE(make_file(&file, id));
        const struct cut cut = {
            .file = &file, .delay_us = (unsigned)(id % 25) * 20, .length = id % 2 ? 0 : file.page};
        run_while_cut(&adder, &cut, in_burst);
        adder.table->burst_release(adder.burst, id);
        close(file.fd);
    }
    REQUIRE(make_file(&file, FILES + 1));
    EXPECT_INT(run(&adder, &file, in_burst), HY_STATUS_OK);
    EXPECT(is_right(&file));
    close(file.fd);
    hy_service_get_info(adder.service, &after);
    EXPECT_INT(after.pid, before.pid);
    EXPECT_INT(after.restarts, 0);
    close_adder(&adder);
}

TEST(truncated_memory, files_that_shrink_under_executions_do_not_end_the_service)
{
    expect_survival(false);
}

TEST(truncated_memory, files_that_shrink_under_a_burst_do_not_end_the_service)
{
    expect_survival(true);
}
