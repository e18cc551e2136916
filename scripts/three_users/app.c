/*
 * An app that runs as long as it is let: RELU(a + b) for ever other numbers, each answer checked.
 *
 *     cc app.c $(pkg-config --cflags --libs neuralnetworks) -o app
 *     ./app [--burst]
 *
 * Prints a line for each hundred right answers, and at SIGTERM what there was: right, wrong and
 * failed answers, and the longest time between two right ones.
 */
#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 4 };

/* Operands, by the order in which they are added. */
enum { A, B, ACTIVATION, SUM, OUT };

static volatile sig_atomic_t has_to_end;

static void end(int signal)
{
    (void)signal;
    has_to_end = 1;
}

static void check(int result)
{
    if (result != ANEURALNETWORKS_NO_ERROR) {
        fprintf(stderr, "app: %s\n", halyard_last_error());
        exit(EXIT_FAILURE);
    }
}

static ANeuralNetworksModel *make_model(void)
{
    const uint32_t extents[] = {COUNT};
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = extents};
    const ANeuralNetworksOperandType scalar = {.type = ANEURALNETWORKS_INT32};
    const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = NULL;

    check(ANeuralNetworksModel_create(&model));
    check(ANeuralNetworksModel_addOperand(model, &tensor));
    check(ANeuralNetworksModel_addOperand(model, &tensor));
    check(ANeuralNetworksModel_addOperand(model, &scalar));
    check(ANeuralNetworksModel_addOperand(model, &tensor));
    check(ANeuralNetworksModel_addOperand(model, &tensor));
    check(ANeuralNetworksModel_setOperandValue(model, ACTIVATION, &none, sizeof none));
    check(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3,
                                            (const uint32_t[]){A, B, ACTIVATION}, 1,
                                            (const uint32_t[]){SUM}));
    check(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, (const uint32_t[]){SUM},
                                            1, (const uint32_t[]){OUT}));
    check(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){A, B}, 1,
                                                        (const uint32_t[]){OUT}));
    check(ANeuralNetworksModel_finish(model));
    return model;
}

static int run(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst *burst,
               const float in[2][COUNT], float out[COUNT])
{
    const size_t bytes = COUNT * sizeof(float);
    ANeuralNetworksExecution *execution = NULL;

    check(ANeuralNetworksExecution_create(compilation, &execution));
    check(ANeuralNetworksExecution_setInput(execution, 0, NULL, in[0], bytes));
    check(ANeuralNetworksExecution_setInput(execution, 1, NULL, in[1], bytes));
    check(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, bytes));
    const int result = burst ? ANeuralNetworksExecution_burstCompute(execution, burst)
                             : ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return result;
}

static double now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int argument_count, char **arguments)
{
    const bool is_burst = argument_count > 1 && strcmp(arguments[1], "--burst") == 0;
    unsigned long right = 0, wrong = 0, failed = 0;
    double last = 0, longest = 0;
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksBurst *burst = NULL;

    signal(SIGTERM, end);
    setvbuf(stdout, NULL, _IOLBF, 0);
    ANeuralNetworksModel *model = make_model();
    check(ANeuralNetworksCompilation_create(model, &compilation));
    check(ANeuralNetworksCompilation_finish(compilation));
    if (is_burst)
        check(ANeuralNetworksBurst_create(compilation, &burst));

    for (unsigned long i = 0; !has_to_end; i++) {
        float in[2][COUNT], out[COUNT] = {0};
        bool is_right = true;
        for (int j = 0; j < COUNT; j++) {
            in[0][j] = (float)(i % 1000) + (float)j;
            in[1][j] = j % 2 ? -500 : 500;
        }
        if (run(compilation, burst, in, out) != ANEURALNETWORKS_NO_ERROR) {
            failed++;
            fprintf(stderr, "app: %s\n", halyard_last_error());
            continue;
        }
        for (int j = 0; j < COUNT; j++) {
            const float sum = in[0][j] + in[1][j];
            is_right &= out[j] == (sum > 0 ? sum : 0);
        }
        if (!is_right) {
            wrong++;
            continue;
        }
        const double time = now_ms();
        if (right > 0 && time - last > longest)
            longest = time - last;
        last = time;
        if (++right % 100 == 0)
            puts("100 more");
    }
    printf("right %lu, wrong %lu, failed %lu, longest pause %.0f ms\n", right, wrong, failed,
           longest);
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return 0;
}
