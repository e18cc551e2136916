#include "bench/service/queue_add.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <android/NeuralNetworks.h>

#include "cpu_fallback/cpu_driver.h"

enum { COUNT = 4, TENSOR_BYTES = COUNT * sizeof(float), MEMORY_BYTES = 4096, APART = 64 };

/* ---- The host -------------------------------------------------------------------------------- */

static void log_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level, (void)text;
}

/* The only memory is mapped at the same address on both sides. */
static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    const struct queue_add *add = context;
    (void)pool, (void)protection;

    *address = add->pool.address;
    return HY_STATUS_OK;
}

static uint32_t worker_count(void *context)
{
    (void)context;
    return 1;
}

static void parallel(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument)
{
    (void)context;
    for (uint32_t i = 0; i < count; i++)
        task(argument, i);
}

/* ---- The model ------------------------------------------------------------------------------- */

static int32_t prepare(struct queue_add *add, void *device)
{
    static const uint32_t dims[] = {1, COUNT};
    static const int32_t activation = ANEURALNETWORKS_FUSED_NONE;
    static const uint32_t inputs[] = {0, 1, 2}, outputs[] = {3};
    struct hy_operand operands[4];
    for (int i = 0; i < 4; i++)
        operands[i] = (struct hy_operand){
            .type = ANEURALNETWORKS_TENSOR_FLOAT32,
            .lifetime = i < 2 ? HY_LIFETIME_INPUT : HY_LIFETIME_OUTPUT,
            .rank = 2,
            .dims = dims,
        };
    operands[2] = (struct hy_operand){
        .type = ANEURALNETWORKS_INT32,
        .lifetime = HY_LIFETIME_CONSTANT_COPY,
        .location = {.length = sizeof activation},
    };
    const struct hy_operation operation = {
        .type = ANEURALNETWORKS_ADD,
        .input_count = 3,
        .output_count = 1,
        .inputs = inputs,
        .outputs = outputs,
    };
    const struct hy_subgraph main = {
        .struct_size = sizeof main,
        .operand_count = 4,
        .operation_count = 1,
        .input_count = 2,
        .output_count = 1,
        .operands = operands,
        .operations = &operation,
        .inputs = inputs,
        .outputs = outputs,
    };
    const struct hy_model model = {
        .struct_size = sizeof model,
        .main = &main,
        .values = (const uint8_t *)&activation,
        .values_size = sizeof activation,
        .feature_level = 1,
    };
    const struct hy_prepare_options options = {
        .struct_size = sizeof options,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = HY_NO_DEADLINE,
    };
    return add->table->prepare(device, &model, &options, &add->prepared);
}

static enum hy_code open_device(struct queue_add *add, struct hy_error *err)
{
    const struct hy_driver *driver = hy_cpu_driver();
    const struct hy_message message = {err->text, sizeof err->text};
    void *device;

    add->host = (struct hy_host){
        .struct_size = sizeof add->host,
        .abi = HY_DRIVER_ABI,
        .context = add,
        .log = log_line,
        .map = map,
        .worker_count = worker_count,
        .parallel = parallel,
    };
    int32_t status = driver->create(&add->host, "{}", &message, &add->instance);
    if (status == HY_STATUS_OK)
        status = driver->device(add->instance, 0, &add->table, &device);
    if (status == HY_STATUS_OK)
        status = prepare(add, device);
    return status == HY_STATUS_OK
               ? HY_OK
               : hy_fail(err, HY_FAILED, "halyard-cpu prepares no ADD: status %d", status);
}

/* ---- The request ----------------------------------------------------------------------------- */

static enum hy_code make_memory(struct hy_pool *pool, struct hy_error *err)
{
    const int fd = memfd_create("queue-round-trip", MFD_CLOEXEC);
    void *address = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, MEMORY_BYTES) == 0)
        address =
            mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (address == MAP_FAILED)
        return hy_fail(err, HY_UNMAPPABLE, "memory for tensors: %s", strerror(errno));
    *pool = (struct hy_pool){
        .kind = HY_POOL_ASHMEM,
        .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
        .fd = fd,
        .id = 1,
        .size = MEMORY_BYTES,
        .address = address,
    };
    return HY_OK;
}

enum hy_code queue_add_init(struct queue_add *add, struct hy_error *err)
{
    *add = (struct queue_add){.pool = {.fd = -1}};
    enum hy_code code = make_memory(&add->pool, err);
    if (code != HY_OK)
        return code;
    for (uint64_t i = 0; i < 3; i++)
        add->arguments[i].location =
            (struct hy_location){.offset = i * APART, .length = TENSOR_BYTES};
    add->request = (struct hy_request){
        .struct_size = sizeof add->request,
        .input_count = 2,
        .output_count = 1,
        .pool_count = 1,
        .inputs = add->arguments,
        .outputs = add->arguments + 2,
        .pools = &add->pool,
    };
    add->result = (struct hy_result){
        .struct_size = sizeof add->result,
        .output_count = 1,
        .outputs = &add->shape,
    };
    return open_device(add, err);
}

void queue_add_finish(struct queue_add *add)
{
    if (add->prepared)
        add->table->prepared_destroy(add->prepared);
    if (add->instance)
        hy_cpu_driver()->destroy(add->instance);
    if (add->pool.address)
        munmap(add->pool.address, MEMORY_BYTES);
    if (add->pool.fd >= 0)
        close(add->pool.fd);
}

/* ---- Executions ------------------------------------------------------------------------------ */

int32_t queue_add_execute(void *context, const struct hy_request *request,
                          const struct hy_run_options *options, struct hy_result *result)
{
    struct queue_add *add = context;

    return add->table->execute(add->prepared, request, options, result);
}

int32_t queue_add_idle(void *context, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    (void)context, (void)options;
    for (uint32_t i = 0; i < request->output_count; i++)
        result->outputs[i] =
            (struct hy_output_shape){.rank = 2, .sufficient = 1, .dims = {1, COUNT}};
    return HY_STATUS_OK;
}

enum hy_code queue_add_run(void *self, struct hy_error *err)
{
    struct queue_add *add = self;
    const struct hy_run_options options = {
        .struct_size = sizeof options,
        .deadline = HY_NO_DEADLINE,
        .message = {err->text, sizeof err->text},
    };
    const int32_t status = queue_add_execute(add, &add->request, &options, &add->result);

    return status == HY_STATUS_OK ? HY_OK : hy_fail(err, HY_FAILED, "an ADD ended with %d", status);
}
