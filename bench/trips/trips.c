/*
 * trips: the functions that a call of the API runs through, for one CONV_2D. The library is built
 * with -finstrument-functions and calls the two hooks below; only calls of this thread are counted.
 * trips.py builds the library, runs this program and prints the table.
 *
 *     trips CACHE_FOLDER     every trip in one process; the directory is empty
 *     trips                  the trips of an execution alone, for an isolated driver
 *
 * Prints a line "trip NAME" for each trip, followed by a line for each event: the path of the
 * object and the offset of the entered function, or "-" for the end of a function.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "android/NeuralNetworks.h"

enum { MOST_EVENTS = 1 << 20 };

static void *events[MOST_EVENTS]; /* NULL: a function was left */
static size_t event_count;
static _Thread_local bool is_counting;

#define NOT_COUNTED __attribute__((no_instrument_function))

NOT_COUNTED void __cyg_profile_func_enter(void *function, void *site);
NOT_COUNTED void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (is_counting && event_count < MOST_EVENTS)
        events[event_count++] = function;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
    if (is_counting && event_count < MOST_EVENTS)
        events[event_count++] = NULL;
}

static void print_trip(const char *name)
{
    if (event_count == MOST_EVENTS) {
        fprintf(stderr, "trips: %s has more than %d events\n", name, MOST_EVENTS);
        exit(1);
    }
    printf("trip %s\n", name);
    for (size_t i = 0; i < event_count; i++) {
        Dl_info object;
        if (!events[i])
            puts("-");
        else if (dladdr(events[i], &object))
            printf("%s %#zx\n", object.dli_fname,
                   (size_t)((char *)events[i] - (char *)object.dli_fbase));
    }
}

NOT_COUNTED static void check(int result, const char *call)
{
    if (result == ANEURALNETWORKS_NO_ERROR)
        return;
    fprintf(stderr, "trips: %s: result code %d\n", call, result);
    exit(1);
}

#define RUN(call) check(call, #call)

/* Counts what the call runs through; `trip` NULL: does not print. */
#define COUNT(trip, call) \
    do { \
        event_count = 0; \
        is_counting = true; \
        const int result_ = (call); \
        is_counting = false; \
        check(result_, #call); \
        if (trip) \
            print_trip(trip); \
    } while (0)

/* ---- The model ------------------------------------------------------------------------------- */

enum { SIDE = 8, CHANNELS = 4, FILTER = 3, OUT_SIDE = SIDE - FILTER + 1 };

static const uint32_t input_shape[] = {1, SIDE, SIDE, CHANNELS};
static const uint32_t filter_shape[] = {CHANNELS, FILTER, FILTER, CHANNELS};
static const uint32_t bias_shape[] = {CHANNELS};
static const uint32_t output_shape[] = {1, OUT_SIDE, OUT_SIDE, CHANNELS};
static float filter[CHANNELS * FILTER * FILTER * CHANNELS], bias[CHANNELS];
static float input[SIDE * SIDE * CHANNELS], output[OUT_SIDE * OUT_SIDE * CHANNELS];

static void add_tensor(ANeuralNetworksModel *model, const uint32_t *shape, uint32_t rank,
                       const char *trip)
{
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = rank, .dimensions = shape};
    COUNT(trip, ANeuralNetworksModel_addOperand(model, &type));
}

static void add_integer(ANeuralNetworksModel *model, int32_t index, int32_t value)
{
    const ANeuralNetworksOperandType type = {.type = ANEURALNETWORKS_INT32};
    RUN(ANeuralNetworksModel_addOperand(model, &type));
    RUN(ANeuralNetworksModel_setOperandValue(model, index, &value, sizeof value));
}

static ANeuralNetworksModel *make_model(bool prints)
{
    static const uint32_t operands[] = {0, 1, 2, 3, 4, 5, 6, 7};
    ANeuralNetworksModel *model = NULL;

    RUN(ANeuralNetworksModel_create(&model));
    add_tensor(model, input_shape, 4, prints ? "Model_addOperand" : NULL);
    add_tensor(model, filter_shape, 4, NULL);
    add_tensor(model, bias_shape, 1, NULL);
    RUN(ANeuralNetworksModel_setOperandValue(model, 1, filter, sizeof filter));
    RUN(ANeuralNetworksModel_setOperandValue(model, 2, bias, sizeof bias));
    add_integer(model, 3, ANEURALNETWORKS_PADDING_VALID);
    add_integer(model, 4, 1);
    add_integer(model, 5, 1);
    add_integer(model, 6, ANEURALNETWORKS_FUSED_NONE);
    add_tensor(model, output_shape, 4, NULL);
    COUNT(prints ? "Model_addOperation" : NULL,
          ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 7, operands, 1,
                                            operands + 7));
    RUN(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, operands, 1, operands + 7));
    COUNT(prints ? "Model_finish" : NULL, ANeuralNetworksModel_finish(model));
    return model;
}

/* ---- Compilations ---------------------------------------------------------------------------- */

static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model, const char *dir,
                                           uint8_t token_byte, const char *trip)
{
    uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksDevice *cpu = NULL;

    RUN(ANeuralNetworks_getDevice(0, &cpu)); /* halyard-cpu, the only one */
    RUN(ANeuralNetworksCompilation_createForDevices(
        model, (const ANeuralNetworksDevice *const *)&cpu, 1, &compilation));
    memset(token, token_byte, sizeof token);
    if (dir)
        RUN(ANeuralNetworksCompilation_setCaching(compilation, dir, token));
    COUNT(trip, ANeuralNetworksCompilation_finish(compilation));
    return compilation;
}

/* The first compilation of a process is not counted: it allocates permanent resources. */
static void compile_all(ANeuralNetworksModel *model, const char *dir)
{
    char first[4096];

    snprintf(first, sizeof first, "%s/first", dir);
    ANeuralNetworksCompilation_free(compile(model, NULL, 0, NULL));
    ANeuralNetworksCompilation_free(compile(model, NULL, 0, "Compilation_finish, no cache"));
    ANeuralNetworksCompilation_free(compile(model, first, 1, NULL)); /* opens the records */
    ANeuralNetworksCompilation_free(compile(model, dir, 1, "the same, miss, new directory"));
    ANeuralNetworksCompilation_free(compile(model, dir, 2, "the same, miss, directory in use"));
    ANeuralNetworksCompilation_free(compile(model, dir, 2, "the same, hit"));
}

/* ---- Memory and executions ------------------------------------------------------------------- */

NOT_COUNTED static int make_memory(ANeuralNetworksCompilation *compilation,
                                   ANeuralNetworksMemoryDesc **desc, ANeuralNetworksMemory **memory)
{
    RUN(ANeuralNetworksMemoryDesc_create(desc));
    RUN(ANeuralNetworksMemoryDesc_addInputRole(*desc, compilation, 0, 1.0f));
    RUN(ANeuralNetworksMemoryDesc_finish(*desc));
    return ANeuralNetworksMemory_createFromDesc(*desc, memory);
}

static void use_memory(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    ANeuralNetworksMemory *memory = NULL, *shared = NULL;
    ANeuralNetworksExecution *execution = NULL;
    const int fd = memfd_create("trips", MFD_CLOEXEC);

    COUNT("memory descriptor", make_memory(compilation, &desc, &memory));
    if (fd < 0 || ftruncate(fd, sizeof input) != 0)
        exit(1);
    RUN(ANeuralNetworksMemory_createFromFd(sizeof input, PROT_READ | PROT_WRITE, fd, 0, &shared));
    RUN(ANeuralNetworksExecution_create(compilation, &execution));
    COUNT("Execution_setInputFromMemory",
          ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, shared, 0, sizeof input));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(shared);
    ANeuralNetworksMemory_free(memory);
    ANeuralNetworksMemoryDesc_free(desc);
    close(fd);
}

static ANeuralNetworksExecution *make_execution(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksExecution *execution = NULL;

    RUN(ANeuralNetworksExecution_create(compilation, &execution));
    RUN(ANeuralNetworksExecution_setReusable(execution, true));
    RUN(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, sizeof input));
    RUN(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, sizeof output));
    return execution;
}

static void execute(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksExecution *execution = make_execution(compilation);

    COUNT("compute, first", ANeuralNetworksExecution_compute(execution));
    COUNT(NULL, ANeuralNetworksExecution_compute(execution));
    COUNT("compute, later", ANeuralNetworksExecution_compute(execution));
    ANeuralNetworksExecution_free(execution);
}

static void execute_in_burst(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksExecution *execution = make_execution(compilation);
    ANeuralNetworksBurst *burst = NULL;

    RUN(ANeuralNetworksBurst_create(compilation, &burst));
    for (int i = 0; i < 8; i++)
        RUN(ANeuralNetworksExecution_burstCompute(execution, burst));
    COUNT("burstCompute, later", ANeuralNetworksExecution_burstCompute(execution, burst));
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksExecution_free(execution);
}

int main(int argc, char **argv)
{
    ANeuralNetworksModel_free(make_model(false));
    ANeuralNetworksModel *model = make_model(argc == 2);

    if (argc == 2)
        compile_all(model, argv[1]);
    ANeuralNetworksCompilation *compilation = compile(model, NULL, 0, NULL);
    if (argc == 2)
        use_memory(compilation);
    execute(compilation);
    execute_in_burst(compilation);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return 0;
}
