#include "fake_sl.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

/* ---- Executions ------------------------------------------------------------------------------ */

int fake_Execution_create(ANeuralNetworksCompilation *compilation,
                          ANeuralNetworksExecution **execution)
{
    CALL("Execution_create", " c%u", fake_number(compilation, 'c'));
    *execution = (ANeuralNetworksExecution *)fake_make('x');
    return 0;
}

void fake_Execution_free(ANeuralNetworksExecution *execution)
{
    fake_drop("Execution_free", execution, 'x');
}

static int note_argument(const char *call, ANeuralNetworksExecution *execution, int32_t index,
                         const ANeuralNetworksOperandType *type, const char *from, size_t length)
{
    fake_note("%s x%u %d", call, fake_number(execution, 'x'), index);
    fake_note_type(type);
    fake_note(" %s %zu\n", from, length);
    return fake_is_faulty(call) ? fake_state.result : 0;
}

static void set_input(ANeuralNetworksExecution *execution, int32_t index, const void *address,
                      size_t length)
{
    struct fake_object *object = fake_find(execution, 'x');
    if (index == 0) {
        object->input = fake_state.input = address;
        object->input_length = length;
    }
}

static void set_output(ANeuralNetworksExecution *execution, int32_t index, void *address,
                       size_t length)
{
    struct fake_object *object = fake_find(execution, 'x');
    if (index == 0) {
        object->output = fake_state.output = address;
        object->output_length = length;
    }
}

int fake_Execution_setInput(ANeuralNetworksExecution *execution, int32_t index,
                            const ANeuralNetworksOperandType *type, const void *buffer,
                            size_t length)
{
    set_input(execution, index, buffer, length);
    return note_argument("Execution_setInput", execution, index, type, buffer ? "address" : "null",
                         length);
}

int fake_Execution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
                             const ANeuralNetworksOperandType *type, void *buffer, size_t length)
{
    set_output(execution, index, buffer, length);
    return note_argument("Execution_setOutput", execution, index, type, buffer ? "address" : "null",
                         length);
}

static const char *name_of_memory(const struct fake_object *memory, size_t offset)
{
    static char text[64];
    snprintf(text, sizeof text, "s%u at %zu", memory->number, offset);
    return text;
}

int fake_Execution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                      const ANeuralNetworksOperandType *type,
                                      const ANeuralNetworksMemory *memory, size_t offset,
                                      size_t length)
{
    const struct fake_object *object = fake_find(memory, 's');
    set_input(execution, index, object->address + offset, length);
    return note_argument("Execution_setInputFromMemory", execution, index, type,
                         name_of_memory(object, offset), length);
}

int fake_Execution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                       const ANeuralNetworksOperandType *type,
                                       const ANeuralNetworksMemory *memory, size_t offset,
                                       size_t length)
{
    const struct fake_object *object = fake_find(memory, 's');
    set_output(execution, index, object->address + offset, length);
    return note_argument("Execution_setOutputFromMemory", execution, index, type,
                         name_of_memory(object, offset), length);
}

int fake_Execution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution, bool enable)
{
    CALL("Execution_enableInputAndOutputPadding", " x%u %d", fake_number(execution, 'x'), enable);
    return 0;
}

int fake_Execution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure)
{
    CALL("Execution_setMeasureTiming", " x%u %d", fake_number(execution, 'x'), measure);
    return 0;
}

int fake_Execution_setReusable(ANeuralNetworksExecution *execution, bool reusable)
{
    CALL("Execution_setReusable", " x%u %d", fake_number(execution, 'x'), reusable);
    return 0;
}

int fake_Execution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
    CALL("Execution_setTimeout", " x%u", fake_number(execution, 'x'));
    fake_state.timeout = duration;
    return 0;
}

int fake_Execution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
    CALL("Execution_setLoopTimeout", " x%u %llu", fake_number(execution, 'x'),
         (unsigned long long)duration);
    return 0;
}

int fake_Execution_addExtensionAttribute(ANeuralNetworksExecution *execution, const char *name,
                                         uint16_t code, const void *data, size_t length)
{
    CALL("Execution_addExtensionAttribute", " x%u %s %u %zu: %d", fake_number(execution, 'x'), name,
         code, length, *(const unsigned char *)data);
    return 0;
}

static void run(ANeuralNetworksExecution *execution)
{
    const struct fake_object *object = fake_find(execution, 'x');
    const size_t length =
        object->input_length < object->output_length ? object->input_length : object->output_length;
    if (length > 0)
        memcpy(object->output, object->input, length);
}

int fake_Execution_compute(ANeuralNetworksExecution *execution)
{
    CALL("Execution_compute", " x%u", fake_number(execution, 'x'));
    run(execution);
    return 0;
}

int fake_Execution_burstCompute(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst)
{
    CALL("Execution_burstCompute", " x%u b%u", fake_number(execution, 'x'),
         fake_number(burst, 'b'));
    run(execution);
    return 0;
}

int fake_Execution_getOutputOperandRank(ANeuralNetworksExecution *execution, int32_t index,
                                        uint32_t *rank)
{
    CALL("Execution_getOutputOperandRank", " x%u %d", fake_number(execution, 'x'), index);
    *rank = fake_state.output_rank;
    return fake_state.output_result;
}

int fake_Execution_getOutputOperandDimensions(ANeuralNetworksExecution *execution, int32_t index,
                                              uint32_t *dims)
{
    CALL("Execution_getOutputOperandDimensions", " x%u %d", fake_number(execution, 'x'), index);
    memcpy(dims, fake_state.output_dims, fake_state.output_rank * sizeof *dims);
    return fake_state.output_result;
}

int fake_Execution_getDuration(const ANeuralNetworksExecution *execution, int32_t code,
                               uint64_t *duration)
{
    CALL("Execution_getDuration", " x%u %d", fake_number(execution, 'x'), code);
    *duration = 100 * ((uint64_t)code + 1);
    return 0;
}

/* ---- Events ---------------------------------------------------------------------------------- */

int fake_Event_createFromSyncFenceFd(int fd, ANeuralNetworksEvent **event)
{
    CALL("Event_createFromSyncFenceFd", "");
    struct fake_object *object = fake_make('e');
    object->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    *event = (ANeuralNetworksEvent *)object;
    return 0;
}

int fake_Execution_startComputeWithDependencies(ANeuralNetworksExecution *execution,
                                                const ANeuralNetworksEvent *const *dependencies,
                                                uint32_t count, uint64_t duration,
                                                ANeuralNetworksEvent **event)
{
    CALL("Execution_startComputeWithDependencies", " x%u after %u duration %llu",
         fake_number(execution, 'x'), count, (unsigned long long)duration);
    for (uint32_t i = 0; i < count; i++)
        fake_find(dependencies[i], 'e');
    run(execution);
    struct fake_object *object = fake_make('e');
    object->fd = fake_state.has_no_fence ? -1 : eventfd(0, EFD_CLOEXEC);
    fake_state.fence = object->fd;
    *event = (ANeuralNetworksEvent *)object;
    return 0;
}

int fake_Event_getSyncFenceFd(const ANeuralNetworksEvent *event, int *fd)
{
    CALL("Event_getSyncFenceFd", " e%u", fake_number(event, 'e'));
    const struct fake_object *object = fake_find(event, 'e');
    *fd = object->fd < 0 ? -1 : fcntl(object->fd, F_DUPFD_CLOEXEC, 0);
    return *fd < 0 ? ANEURALNETWORKS_BAD_DATA : 0;
}

int fake_Event_wait(ANeuralNetworksEvent *event)
{
    struct pollfd look = {.fd = fake_find(event, 'e')->fd, .events = POLLIN};
    CALL("Event_wait", " e%u", fake_number(event, 'e'));
    if (look.fd >= 0 && poll(&look, 1, 60000) != 1)
        abort(); /* waited for before it is signalled */
    return 0;
}

void fake_Event_free(ANeuralNetworksEvent *event)
{
    fake_drop("Event_free", event, 'e');
}
