/*
 * The smallest program of the Neural Networks API: a model of one ADD, compiled and computed once,
 * with every call checked.
 *
 *     cc hello.c $(pkg-config --cflags --libs neuralnetworks) -o hello
 *     ./hello
 */
#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 3 };

/* Operands, in the order of addOperand calls. */
enum { A, B, ACTIVATION, SUM };

/* Ends the program after a failed call, with the library's error text. */
static void check(int result)
{
    if (result != ANEURALNETWORKS_NO_ERROR) {
        fprintf(stderr, "hello: %s\n", halyard_last_error());
        exit(EXIT_FAILURE);
    }
}

static ANeuralNetworksModel *make_model(void)
{
    const uint32_t extents[] = {COUNT};
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = extents};
    const ANeuralNetworksOperandType scalar = {.type = ANEURALNETWORKS_INT32};
    const int32_t activation = ANEURALNETWORKS_FUSED_NONE;
    const uint32_t inputs[] = {A, B, ACTIVATION}, outputs[] = {SUM};
    ANeuralNetworksModel *model = NULL;

    check(ANeuralNetworksModel_create(&model));
    check(ANeuralNetworksModel_addOperand(model, &tensor)); /* A */
    check(ANeuralNetworksModel_addOperand(model, &tensor)); /* B */
    check(ANeuralNetworksModel_addOperand(model, &scalar)); /* ACTIVATION */
    check(ANeuralNetworksModel_addOperand(model, &tensor)); /* SUM */
    check(ANeuralNetworksModel_setOperandValue(model, ACTIVATION, &activation, sizeof activation));
    check(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, outputs));
    check(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 1, outputs));
    check(ANeuralNetworksModel_finish(model));
    return model;
}

int main(void)
{
    const float a[COUNT] = {1, 2, 3}, b[COUNT] = {10, 20, 30};
    float sum[COUNT];
    ANeuralNetworksModel *model = make_model();
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksExecution *execution = NULL;

    check(ANeuralNetworksCompilation_create(model, &compilation));
    check(ANeuralNetworksCompilation_finish(compilation));
    check(ANeuralNetworksExecution_create(compilation, &execution));
    check(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a));
    check(ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b));
    check(ANeuralNetworksExecution_setOutput(execution, 0, NULL, sum, sizeof sum));
    check(ANeuralNetworksExecution_compute(execution));
    printf("%g %g %g\n", sum[0], sum[1], sum[2]);

    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return 0;
}
