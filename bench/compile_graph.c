#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <android/NeuralNetworks.h>

/*
 * How compile time grows with the model: random graphs of ADD, each of which reads two tensors of
 * any before, so that many live long. Prints the best of several compilations per size, and the
 * growth from the first size to the last.
 *
 *   compile_graph [OPERATIONS...]      200 and 2000, unless told otherwise
 */
#define ROUNDS 7

struct graph {
    ANeuralNetworksModel *model;
    ANeuralNetworksOperandType tensor;
    uint32_t state; /* of the random numbers */
};

static uint32_t next_random(struct graph *graph, uint32_t below)
{
    graph->state = graph->state * 1664525u + 1013904223u;
    return (graph->state >> 8) % below;
}

static void require(int result, const char *what)
{
    if (result == ANEURALNETWORKS_NO_ERROR)
        return;
    fprintf(stderr, "compile_graph: %s: result %d\n", what, result);
    exit(1);
}

/* Operand 0 is the activation, 1 the input, 2 and up the results; the last is the output. */
static ANeuralNetworksModel *build(uint32_t operations)
{
    static const uint32_t dims[] = {16, 16};
    static const int32_t no_activation = 0;
    const ANeuralNetworksOperandType scalar = {.type = ANEURALNETWORKS_INT32};
    struct graph graph = {
        .tensor = {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 2, .dimensions = dims},
        .state = operations,
    };
    uint32_t input = 1, output = operations + 1;

    require(ANeuralNetworksModel_create(&graph.model), "create");
    require(ANeuralNetworksModel_addOperand(graph.model, &scalar), "addOperand");
    require(
        ANeuralNetworksModel_setOperandValue(graph.model, 0, &no_activation, sizeof no_activation),
        "setOperandValue");
    for (uint32_t i = 1; i <= output; i++)
        require(ANeuralNetworksModel_addOperand(graph.model, &graph.tensor), "addOperand");
    for (uint32_t i = 2; i <= output; i++) {
        const uint32_t inputs[] = {i - 1, 1 + next_random(&graph, i - 1), 0};
        require(
            ANeuralNetworksModel_addOperation(graph.model, ANEURALNETWORKS_ADD, 3, inputs, 1, &i),
            "addOperation");
    }
    require(ANeuralNetworksModel_identifyInputsAndOutputs(graph.model, 1, &input, 1, &output),
            "identifyInputsAndOutputs");
    require(ANeuralNetworksModel_finish(graph.model), "finish");
    return graph.model;
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double compile_ms(ANeuralNetworksModel *model)
{
    ANeuralNetworksCompilation *compilation;
    double start = now_ms();

    require(ANeuralNetworksCompilation_create(model, &compilation), "Compilation_create");
    require(ANeuralNetworksCompilation_finish(compilation), "Compilation_finish");
    double time = now_ms() - start;
    ANeuralNetworksCompilation_free(compilation);
    return time;
}

static double measure(uint32_t operations)
{
    ANeuralNetworksModel *model = build(operations);
    double best = compile_ms(model);

    for (int i = 1; i < ROUNDS; i++) {
        double time = compile_ms(model);
        if (time < best)
            best = time;
    }
    ANeuralNetworksModel_free(model);
    printf("%6u operations  %9.3f ms  %7.2f us each\n", operations, best,
           1e3 * best / (double)operations);
    return best;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        double small = measure(200), large = measure(2000);
        printf("growth %.1f\n", large / small);
        return 0;
    }
    for (int i = 1; i < count; i++) {
        int operations = atoi(arguments[i]);
        if (operations < 1) {
            fprintf(stderr, "compile_graph: %s is not a number of operations\n", arguments[i]);
            return 2;
        }
        measure((uint32_t)operations);
    }
    return 0;
}
