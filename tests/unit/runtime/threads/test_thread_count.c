/* HALYARD_CPU_THREADS changes how long an inference takes, and not a bit of its result. */
#include "common/random.h"
#include "tests/kit/played_processors.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 64, UNITS = 512, RUNS = 20 };

struct numbers {
    float in[ROWS * UNITS], weights[UNITS * UNITS], bias[UNITS], out[ROWS * UNITS];
};

enum { X, WEIGHTS, BIAS, NONE, Y };

static bool add_operands(ANeuralNetworksModel *model, const struct numbers *numbers)
{
    const uint32_t rows[] = {ROWS, UNITS}, square[] = {UNITS, UNITS}, row[] = {UNITS};
    const int32_t float_type = ANEURALNETWORKS_TENSOR_FLOAT32, none = 0;
    const ANeuralNetworksOperandType types[] = {
        [X] = {.type = float_type, .dimensionCount = 2, .dimensions = rows},
        [WEIGHTS] = {.type = float_type, .dimensionCount = 2, .dimensions = square},
        [BIAS] = {.type = float_type, .dimensionCount = 1, .dimensions = row},
        [NONE] = {.type = ANEURALNETWORKS_INT32},
        [Y] = {.type = float_type, .dimensionCount = 2, .dimensions = rows},
    };
    int code = ANEURALNETWORKS_NO_ERROR;

    for (unsigned i = X; i <= Y; i++)
        code |= ANeuralNetworksModel_addOperand(model, &types[i]);
    code |= ANeuralNetworksModel_setOperandValue(model, WEIGHTS, numbers->weights,
                                                 sizeof numbers->weights);
    code |= ANeuralNetworksModel_setOperandValue(model, BIAS, numbers->bias, sizeof numbers->bias);
    code |= ANeuralNetworksModel_setOperandValue(model, NONE, &none, sizeof none);
    return code == ANEURALNETWORKS_NO_ERROR;
}

static bool finish_model(ANeuralNetworksModel *model)
{
    const uint32_t inputs[] = {X, WEIGHTS, BIAS, NONE}, x = X, y = Y;
    int code =
        ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_FULLY_CONNECTED, 4, inputs, 1, &y);

    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 1, &y);
    code |= ANeuralNetworksModel_finish(model);
    return code == ANEURALNETWORKS_NO_ERROR;
}

static bool run(ANeuralNetworksModel *model, struct numbers *numbers)
{
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksExecution *execution = NULL;
    int code = ANeuralNetworksCompilation_create(model, &compilation);

    code |= ANeuralNetworksCompilation_finish(compilation);
    code |= ANeuralNetworksExecution_create(compilation, &execution);
    code |= ANeuralNetworksExecution_setReusable(execution, true);
    code |= ANeuralNetworksExecution_setInput(execution, 0, NULL, numbers->in, sizeof numbers->in);
    code |=
        ANeuralNetworksExecution_setOutput(execution, 0, NULL, numbers->out, sizeof numbers->out);
    for (unsigned i = 0; i < RUNS; i++)
        code |= ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    return code == ANEURALNETWORKS_NO_ERROR;
}

static bool compute(struct numbers *numbers)
{
    ANeuralNetworksModel *model = NULL;
    const bool good = ANeuralNetworksModel_create(&model) == ANEURALNETWORKS_NO_ERROR &&
                      add_operands(model, numbers) && finish_model(model) && run(model, numbers);

    ANeuralNetworksModel_free(model);
    return good;
}

/* In a process of its own, which gets at the same numbers. */
static void compute_under(const char *threads, struct numbers *numbers)
{
    int status = 1;

    memset(numbers->out, 0xff, sizeof numbers->out);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("HALYARD_CPU_THREADS", threads, 1);
        hy_played_processors = (unsigned)atoi(threads);
        exit(compute(numbers) ? 0 : 2);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
}

static void fill(float *numbers, unsigned count, unsigned seed)
{
    struct hy_random random = {seed};

    for (unsigned i = 0; i < count; i++)
        numbers[i] = hy_random_real(&random, -1, 1);
}

TEST(width, results_have_the_same_bytes_on_one_thread_and_on_many)
{
    static const char *const widths[] = {"2", "3", "5", "8", "16", "64"};
    static float alone[ROWS * UNITS];
    struct numbers *numbers =
        mmap(NULL, sizeof *numbers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(numbers != MAP_FAILED);
    fill(numbers->in, ROWS * UNITS, 1);
    fill(numbers->weights, UNITS * UNITS, 2);
    fill(numbers->bias, UNITS, 3);

    compute_under("1", numbers);
    memcpy(alone, numbers->out, sizeof alone);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        compute_under(widths[i], numbers);
        EXPECT_INT(memcmp(alone, numbers->out, sizeof alone), 0);
    }
    munmap(numbers, sizeof *numbers);
}
