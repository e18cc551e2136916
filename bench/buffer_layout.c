/*
 * buffer_layout: the gain of packed weights in a device buffer of halyard-cpu. The weights are an
 * input of the model. In memory of the app they are packed in every run; in device memory they are
 * packed once after each change of their contents. Both cases run in turns on one compilation, with
 * reusable executions; times are microseconds of a run, the median of short rounds.
 *
 *     buffer_layout [DEVICE]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <android/NeuralNetworks.h>

#include "bench/device_by_name.h"
#include "bench/measure.h"
#include "tools/api_result.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define TRY(call)       hy_api_result((call), #call, err)

static const struct hy_bench_rules rules = {.rounds = 51, .round_time = 0.002};

/* FULLY_CONNECTED of [rows, inputs] with weights [units, inputs]. */
struct shape {
    const char *name;
    int32_t type;
    uint32_t rows, inputs, units;
};

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define S8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED

static const struct shape shapes[] = {
    {"float 1 x 256 x 256", F32, 1, 256, 256},       {"float 1 x 1024 x 1024", F32, 1, 1024, 1024},
    {"float 16 x 256 x 256", F32, 16, 256, 256},     {"float 128 x 256 x 256", F32, 128, 256, 256},
    {"float 16 x 1024 x 1024", F32, 16, 1024, 1024}, {"byte 1 x 256 x 256", S8, 1, 256, 256},
    {"byte 1 x 1024 x 1024", S8, 1, 1024, 1024},     {"byte 16 x 256 x 256", S8, 16, 256, 256},
    {"byte 128 x 256 x 256", S8, 128, 256, 256},
};

/* ---- The model ------------------------------------------------------------------------------- */

/* A shape at work: the app's memory, and the device's. */
struct job {
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
    ANeuralNetworksMemory *shared, *device_memory;
    ANeuralNetworksExecution *plain, *device;
    void *bias;
    uint8_t *in, *weights, *out;
    size_t in_bytes, weight_bytes, out_bytes;
};

static enum hy_code build(struct job *job, const struct shape *shape, struct hy_error *err)
{
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    const float scale = shape->type == F32 ? 0 : .05f;
    const uint32_t in[] = {shape->rows, shape->inputs}, weights[] = {shape->units, shape->inputs};
    const uint32_t out[] = {shape->rows, shape->units}, operands[] = {0, 1, 2, 3}, result = 4;
    const ANeuralNetworksOperandType types[] = {
        {shape->type, 2, in, scale, 0},
        {shape->type, 2, weights, scale, 0},
        {shape->type == F32 ? F32 : ANEURALNETWORKS_TENSOR_INT32, 1, &shape->units, scale * scale,
         0},
        {.type = ANEURALNETWORKS_INT32},
        {shape->type, 2, out, shape->type == F32 ? 0 : 1.f, 0},
    };

    enum hy_code code = TRY(ANeuralNetworksModel_create(&job->model));
    for (size_t i = 0; code == HY_OK && i < COUNT_OF(types); i++)
        code = TRY(ANeuralNetworksModel_addOperand(job->model, &types[i]));
    if (code == HY_OK)
        code = TRY(ANeuralNetworksModel_setOperandValue(job->model, 2, job->bias,
                                                        shape->units * sizeof(float)));
    if (code == HY_OK)
        code = TRY(ANeuralNetworksModel_setOperandValue(job->model, 3, &none, sizeof none));
    if (code == HY_OK)
        code = TRY(ANeuralNetworksModel_addOperation(job->model, ANEURALNETWORKS_FULLY_CONNECTED, 4,
                                                     operands, 1, &result));
    if (code == HY_OK)
        code =
            TRY(ANeuralNetworksModel_identifyInputsAndOutputs(job->model, 2, operands, 1, &result));
    return code == HY_OK ? TRY(ANeuralNetworksModel_finish(job->model)) : code;
}

static enum hy_code compile(struct job *job, const ANeuralNetworksDevice *device,
                            struct hy_error *err)
{
    enum hy_code code =
        TRY(ANeuralNetworksCompilation_createForDevices(job->model, &device, 1, &job->compilation));
    return code == HY_OK ? TRY(ANeuralNetworksCompilation_finish(job->compilation)) : code;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static enum hy_code allocate(struct job *job, const struct shape *shape, struct hy_error *err)
{
    const size_t element = shape->type == F32 ? sizeof(float) : 1;

    job->in_bytes = (size_t)shape->rows * shape->inputs * element;
    job->weight_bytes = (size_t)shape->units * shape->inputs * element;
    job->out_bytes = (size_t)shape->rows * shape->units * element;
    int fd = memfd_create("weights", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)job->weight_bytes) != 0)
        return hy_fail(err, HY_FAILED, "no shared memory");
    job->weights = mmap(NULL, job->weight_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    enum hy_code code = TRY(ANeuralNetworksMemory_createFromFd(
        job->weight_bytes, PROT_READ | PROT_WRITE, fd, 0, &job->shared));
    close(fd);
    job->in = calloc(1, job->in_bytes);
    job->out = calloc(1, job->out_bytes);
    job->bias = calloc(shape->units, sizeof(float));
    if (job->weights == MAP_FAILED || !job->in || !job->out || !job->bias)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %s", shape->name);
    for (size_t i = 0; element == 1 && i < job->weight_bytes; i++)
        job->weights[i] = (uint8_t)(i * 7);
    for (size_t i = 0; element != 1 && i < job->weight_bytes / sizeof(float); i++)
        ((float *)(void *)job->weights)[i] = (float)(i % 17) - 8;
    memset(job->in, 0x3f, job->in_bytes);
    return code;
}

static enum hy_code copy_weights_to_device(struct job *job, struct hy_error *err)
{
    ANeuralNetworksMemoryDesc *desc = NULL;

    enum hy_code code = TRY(ANeuralNetworksMemoryDesc_create(&desc));
    if (code == HY_OK)
        code = TRY(ANeuralNetworksMemoryDesc_addInputRole(desc, job->compilation, 1, 1));
    if (code == HY_OK)
        code = TRY(ANeuralNetworksMemoryDesc_finish(desc));
    if (code == HY_OK)
        code = TRY(ANeuralNetworksMemory_createFromDesc(desc, &job->device_memory));
    ANeuralNetworksMemoryDesc_free(desc);
    return code == HY_OK ? TRY(ANeuralNetworksMemory_copy(job->shared, job->device_memory)) : code;
}

/* `device_memory` NULL: the weights stay in the app's memory. */
static enum hy_code execution_with(struct job *job, const ANeuralNetworksMemory *device_memory,
                                   ANeuralNetworksExecution **ret, struct hy_error *err)
{
    enum hy_code code = TRY(ANeuralNetworksExecution_create(job->compilation, ret));
    if (code == HY_OK)
        code = TRY(ANeuralNetworksExecution_setReusable(*ret, true));
    if (code == HY_OK)
        code = TRY(ANeuralNetworksExecution_setInput(*ret, 0, NULL, job->in, job->in_bytes));
    if (code == HY_OK)
        code = TRY(ANeuralNetworksExecution_setInputFromMemory(
            *ret, 1, NULL, device_memory ? device_memory : job->shared, 0,
            device_memory ? 0 : job->weight_bytes));
    return code == HY_OK
               ? TRY(ANeuralNetworksExecution_setOutput(*ret, 0, NULL, job->out, job->out_bytes))
               : code;
}

/* ---- The race -------------------------------------------------------------------------------- */

static enum hy_code run(void *self, struct hy_error *err)
{
    return TRY(ANeuralNetworksExecution_compute(self));
}

static enum hy_code race(struct job *job, const struct shape *shape, struct hy_error *err)
{
    struct hy_bench_subject subjects[] = {{.name = "app", .run = run, .self = job->plain},
                                          {.name = "device", .run = run, .self = job->device}};

    enum hy_code code = hy_bench_measure(subjects, COUNT_OF(subjects), &rules, err);
    if (code == HY_OK)
        printf("%-24s %12.1f %12.1f %8.2f\n", shape->name, subjects[0].median_us,
               subjects[1].median_us, subjects[0].median_us / subjects[1].median_us);
    return code;
}

static enum hy_code measure(const struct shape *shape, const ANeuralNetworksDevice *device,
                            struct hy_error *err)
{
    struct job job = {0};

    enum hy_code code = allocate(&job, shape, err);
    if (code == HY_OK)
        code = build(&job, shape, err);
    if (code == HY_OK)
        code = compile(&job, device, err);
    if (code == HY_OK)
        code = copy_weights_to_device(&job, err);
    if (code == HY_OK)
        code = execution_with(&job, NULL, &job.plain, err);
    if (code == HY_OK)
        code = execution_with(&job, job.device_memory, &job.device, err);
    if (code == HY_OK)
        code = race(&job, shape, err);
    ANeuralNetworksExecution_free(job.plain);
    ANeuralNetworksExecution_free(job.device);
    ANeuralNetworksMemory_free(job.device_memory);
    ANeuralNetworksMemory_free(job.shared);
    ANeuralNetworksCompilation_free(job.compilation);
    ANeuralNetworksModel_free(job.model);
    if (job.weights && job.weights != MAP_FAILED)
        munmap(job.weights, job.weight_bytes);
    free(job.bias);
    free(job.in);
    free(job.out);
    return code;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "halyard-cpu";
    const ANeuralNetworksDevice *device = hy_bench_device(name);
    struct hy_error err = {0};

    if (argc > 2 || !device) {
        fprintf(stderr, argc > 2 ? "buffer_layout [DEVICE]\n" : "no device %s\n", name);
        return 2;
    }
    printf("%-24s %12s %12s %8s\n", "", "app's", "device's", "gain");
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        if (measure(&shapes[i], device, &err) != HY_OK) {
            fprintf(stderr, "%s: %s\n", shapes[i].name, err.text);
            return 1;
        }
    }
    return 0;
}
