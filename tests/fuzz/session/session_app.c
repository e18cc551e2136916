#include "session_app.h"

#include "plugins/device_info.h"
#include "tests/kit/model_builder.h"

#include <android/NeuralNetworks.h>

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 64 << 10, BYTES = 24, OUTPUT_OFFSET = 1024, MOST_FILES = 2 * HY_MAX_CACHE_FILES };

/* Parts of an app. */
enum {
    EXECUTES = 1 << 0,
    FENCED = 1 << 1,
    REUSES = 1 << 2,
    BUFFERS = 1 << 3,
    BURST = 1 << 4,
    CACHES = 1 << 5,
    SHAPES = 1 << 6,             /* of the output are not known before */
    USES_SHARED_MEMORY = 1 << 7, /* constants in memory that is shared */
};

static const unsigned apps[SESSION_APPS] = {
    EXECUTES,
    EXECUTES | SHAPES,
    FENCED,
    REUSES,
    BUFFERS,
    BURST,
    BURST | SHAPES,
    CACHES,
    USES_SHARED_MEMORY | EXECUTES,
    FENCED | REUSES | BUFFERS | BURST,
};

/* ---- The host -------------------------------------------------------------------------------- */

static int make_memory(void)
{
    const int fd = memfd_create("app", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || ftruncate(fd, SIZE) != 0)
        abort();
    return fd;
}

static void receive_line(void *context, int32_t level, const char *text)
{
    (void)context;
    (void)level;
    (void)text;
}

struct update {
    int32_t model[HY_MAX_CACHE_FILES], data[HY_MAX_CACHE_FILES];
};

static int32_t cache_begin(void *context, const uint8_t *token, int32_t *model, int32_t *data,
                           void **update)
{
    (void)context;
    (void)token;
    model[0] = make_memory();
    data[0] = make_memory();
    struct update *files = calloc(1, sizeof *files);
    if (!files)
        abort();
    files->model[0] = model[0];
    files->data[0] = data[0];
    *update = files;
    return HY_STATUS_OK;
}

static int32_t cache_commit(void *context, void *update, uint32_t keep)
{
    struct update *files = update;

    (void)context;
    (void)keep;
    close(files->model[0]);
    close(files->data[0]);
    free(files);
    return HY_STATUS_OK;
}

static int32_t cache_keep_open(void *context, const uint8_t *token)
{
    (void)context;
    (void)token;
    return HY_STATUS_OK;
}

static int32_t cache_lock(void *context, int32_t fd, uint32_t exclusive, int64_t deadline)
{
    (void)context;
    (void)fd;
    (void)exclusive;
    (void)deadline;
    return HY_STATUS_OK;
}

static void cache_unlock(void *context, int32_t fd)
{
    (void)context;
    (void)fd;
}

const struct hy_host *session_app_host(void)
{
    static const struct hy_host host = {
        .struct_size = sizeof host,
        .abi = HY_DRIVER_ABI,
        .log = receive_line,
        .cache_begin = cache_begin,
        .cache_commit = cache_commit,
        .cache_keep_open = cache_keep_open,
        .cache_lock = cache_lock,
        .cache_unlock = cache_unlock,
    };
    return &host;
}

/* ---- Models ---------------------------------------------------------------------------------- */

static struct hy_pool memory_of(int fd)
{
    static uint64_t last;

    return (struct hy_pool){
        .kind = HY_POOL_ASHMEM,
        .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
        .fd = fd,
        .id = ++last,
        .size = SIZE,
    };
}

/* out = softmax(in + constant); the constant may lie in a pool. */
static void build(struct hy_builder *builder, unsigned app)
{
    static const float values[] = {1, 2, 3, 4, 5, 6};
    const struct hy_builder_type known = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 3}};
    const struct hy_builder_type unknown = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {0, 3}};
    const struct hy_builder_type *type = app & SHAPES ? &unknown : &known;

    hy_builder_init(builder);
    const uint32_t in = hy_builder_input(builder, type);
    const uint32_t constant = app & USES_SHARED_MEMORY
                                  ? hy_builder_pool_constant(builder, &known, values, sizeof values)
                                  : hy_builder_constant(builder, &known, values, sizeof values);
    const uint32_t between = hy_builder_temporary(builder, type);
    const uint32_t out = hy_builder_output(builder, type);
    const uint32_t addends[] = {in, constant, hy_builder_int(builder, 0)};
    hy_builder_operation(builder, ANEURALNETWORKS_ADD, 3, addends, 1, &between);
    const uint32_t sums[] = {between, hy_builder_float(builder, 1.0F)};
    hy_builder_operation(builder, ANEURALNETWORKS_SOFTMAX, 2, sums, 1, &out);
}

/* ---- One device ------------------------------------------------------------------------------ */

struct app {
    unsigned parts;
    const struct hy_device *table;
    void *device;
    struct hy_device_info info;
    void *prepared;
    int fd;
    struct hy_pool pool;
    uint32_t dims[2];
    struct hy_argument input, output;
    struct hy_request request;
    struct hy_run_options options;
    struct hy_output_shape shape;
    struct hy_result result;
    char message[256];
};

static void describe_request(struct app *app)
{
    app->dims[0] = 2;
    app->dims[1] = 3;
    app->input = (struct hy_argument){.location = {.length = BYTES}};
    app->output = (struct hy_argument){.location = {.offset = OUTPUT_OFFSET, .length = BYTES}};
    if (app->parts & SHAPES) {
        app->input.rank = 2;
        app->input.dims = app->dims;
    }
    app->request = (struct hy_request){
        .struct_size = sizeof app->request,
        .input_count = 1,
        .output_count = 1,
        .pool_count = 1,
        .inputs = &app->input,
        .outputs = &app->output,
        .pools = &app->pool,
    };
    app->options = (struct hy_run_options){
        .struct_size = sizeof app->options,
        .deadline = HY_NO_DEADLINE,
        .loop_timeout = 1000000000,
        .message = {app->message, sizeof app->message},
    };
    app->result = (struct hy_result){
        .struct_size = sizeof app->result, .output_count = 1, .outputs = &app->shape};
}

static void execute(struct app *app)
{
    for (int i = 0; i < 3; i++)
        (void)app->table->execute(app->prepared, &app->request, &app->options, &app->result);
}

/* The first execution may write the cache. */
static void prepare_again(struct app *app, const struct hy_prepare_options *options)
{
    void *cached = NULL;

    execute(app);
    if (app->table->prepare_from_cache &&
        app->table->prepare_from_cache(app->device, options, &cached) == HY_STATUS_OK) {
        app->table->prepared_destroy(app->prepared);
        app->prepared = cached;
    }
}

static void refuse(void *context, uint32_t operation, const char *reason)
{
    (void)context;
    (void)operation;
    (void)reason;
}

static void prepare(struct app *app)
{
    static const uint8_t token[HY_TOKEN_SIZE] = "a token";
    const struct hy_refusals refusals = {.struct_size = sizeof refusals, .refuse = refuse};
    int32_t files[MOST_FILES];
    uint8_t supported[8];
    uint32_t count = 0;
    struct hy_builder builder;

    build(&builder, app->parts);
    const struct hy_model *model = hy_builder_model(&builder);
    const int constants = make_memory();
    for (uint32_t i = 0; i < builder.pool_count; i++)
        builder.pools[i] = memory_of(constants);
    struct hy_prepare_options options = {
        .struct_size = sizeof options,
        .preference = HY_PREFER_FAST_SINGLE_ANSWER,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = HY_NO_DEADLINE,
        .message = {app->message, sizeof app->message},
    };
    if (app->parts & CACHES) {
        count = app->info.model_cache_files + app->info.data_cache_files;
        for (uint32_t i = 0; i < count; i++)
            files[i] = make_memory();
        options.model_cache = files;
        options.data_cache = files + app->info.model_cache_files;
        options.model_cache_count = app->info.model_cache_files;
        options.data_cache_count = app->info.data_cache_files;
        options.token = token;
    }
    (void)app->table->supported_operations(app->device, model, supported, &refusals);
    if (app->table->prepare(app->device, model, &options, &app->prepared) != HY_STATUS_OK)
        app->prepared = NULL;
    if (count > 0 && app->prepared)
        prepare_again(app, &options);
    for (uint32_t i = 0; i < count; i++)
        close(files[i]);
    close(constants);
    hy_builder_finish(&builder);
}

static void execute_fenced(struct app *app)
{
    struct hy_fenced_result result = {.struct_size = sizeof result};
    struct pollfd wait = {.fd = -1, .events = POLLIN};
    void *fenced = NULL;

    if (!app->table->execute_fenced ||
        app->table->execute_fenced(app->prepared, &app->request, &app->options, NULL, 0, &wait.fd,
                                   &fenced) != HY_STATUS_OK)
        return;
    (void)poll(&wait, 1, 1000);
    (void)app->table->fenced_result(fenced, &result);
    app->table->fenced_destroy(fenced);
    if (wait.fd >= 0)
        close(wait.fd);
}

static void reuse(struct app *app)
{
    void *reusable = NULL;

    if (!app->table->reusable_create ||
        app->table->reusable_create(app->prepared, &app->request, &app->options, &reusable) !=
            HY_STATUS_OK)
        return;
    for (int i = 0; i < 3; i++)
        (void)app->table->reusable_execute(reusable, HY_NO_DEADLINE, &app->result);
    app->table->reusable_destroy(reusable);
}

static void use_buffer(struct app *app)
{
    const struct hy_buffer_role role = {.frequency = 1};
    const struct hy_buffer_desc desc = {
        .struct_size = sizeof desc,
        .rank = 2,
        .dims = app->dims,
        .prepared = &app->prepared,
        .roles = &role,
        .prepared_count = 1,
        .role_count = 1,
    };
    struct hy_pool exact = app->pool;
    uint32_t token = 0;
    void *buffer = NULL;

    if (!app->table->buffer_create ||
        app->table->buffer_create(app->device, &desc, &token, &buffer) != HY_STATUS_OK)
        return;
    exact.id = 0;
    exact.size = BYTES;
    (void)app->table->buffer_copy_from(buffer, &exact, app->dims, 2);
    struct hy_pool pools[] = {app->pool, {.kind = HY_POOL_BUFFER, .buffer_token = token, .fd = -1}};
    struct hy_argument input = {
        .rank = app->input.rank, .dims = app->input.dims, .location.pool = 1};
    struct hy_request request = app->request;
    request.inputs = &input;
    request.pools = pools;
    request.pool_count = 2;
    (void)app->table->execute(app->prepared, &request, &app->options, &app->result);
    (void)app->table->buffer_copy_to(buffer, &exact);
    app->table->buffer_destroy(buffer);
}

static void run_burst(struct app *app)
{
    void *burst = NULL;

    if (!app->table->burst_open || app->table->burst_open(app->prepared, &burst) != HY_STATUS_OK)
        return;
    for (int i = 0; i < 4; i++)
        (void)app->table->burst_execute(burst, &app->request, &app->options, &app->result);
    app->table->burst_release(burst, app->pool.id);
    (void)app->table->burst_execute(burst, &app->request, &app->options, &app->result);
    app->table->burst_close(burst);
}

/* As the runtime looks at each device before it uses it. */
static bool is_believed(struct app *app)
{
    struct hy_capabilities capabilities;

    if (hy_device_capabilities_ask(app->table, app->device, &capabilities, NULL) != HY_OK)
        return false;
    hy_device_capabilities_finish(&capabilities);
    return hy_device_info_ask(app->table, app->device, &app->info, NULL) == HY_OK;
}

static void run_on(struct hy_service *service, uint32_t index, unsigned parts)
{
    struct app app = {.parts = parts, .fd = make_memory()};

    if (hy_service_driver()->device(service, index, &app.table, &app.device) == HY_STATUS_OK &&
        is_believed(&app)) {
        app.pool = memory_of(app.fd);
        describe_request(&app);
        prepare(&app);
    }
    if (app.prepared) {
        if (parts & (EXECUTES | CACHES))
            execute(&app);
        if (parts & FENCED)
            execute_fenced(&app);
        if (parts & REUSES)
            reuse(&app);
        if (parts & BUFFERS)
            use_buffer(&app);
        if (parts & BURST)
            run_burst(&app);
        app.table->prepared_destroy(app.prepared);
    }
    if (app.table && app.table->memory_gone)
        app.table->memory_gone(app.device, app.pool.id);
    hy_device_info_finish(&app.info);
    close(app.fd);
}

void session_app_run(struct hy_service *service, unsigned index)
{
    const unsigned parts = apps[index % SESSION_APPS];

    run_on(service, 0, parts);
}
