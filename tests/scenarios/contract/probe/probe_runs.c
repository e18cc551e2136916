/* Executions, events and bursts, and the memory that they use, in every state of their lives. */
#include "probe_states.h"

#include <sys/eventfd.h>
#include <sys/mman.h>

void *probe_output_buffer(struct probe_world *world)
{
    const uint32_t slots =
        (uint32_t)(PROBE_INPUT / 2 / PROBE_OUTPUT_BYTES); /* then from the beginning */
    return world->bytes + (size_t)(world->output_buffer_count++ % slots) * PROBE_OUTPUT_BYTES;
}

/* ---- Executions ------------------------------------------------------------------------------ */

static ANeuralNetworksExecution *execution_of(struct probe_world *world, uint32_t compilation)
{
    ANeuralNetworksExecution *execution = NULL;
    EXPECT_OK(ANeuralNetworksExecution_create(
        probe_shared_handle(world, PROBE_compilation, compilation), &execution));
    return execution;
}

/* Sets arguments of so many bytes, inputs first. */
static void *set(struct probe_world *world, ANeuralNetworksExecution *execution, int32_t inputs,
                 int32_t outputs, const size_t *sizes)
{
    for (int32_t i = 0; i < inputs; i++)
        EXPECT_OK(ANeuralNetworksExecution_setInput(execution, i, NULL, world->bytes + PROBE_INPUT,
                                                    sizes[i]));
    for (int32_t i = 0; i < outputs; i++)
        EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, i, NULL, probe_output_buffer(world),
                                                     sizes[inputs + i]));
    return execution;
}

static const size_t tensors[] = {TENSOR_SIZE, TENSOR_SIZE, TENSOR_SIZE};

static void *make_new(struct probe_world *world)
{
    return execution_of(world, PROBE_COMPILED_FOR_ALL);
}

static void *make_ready(struct probe_world *world)
{
    return set(world, execution_of(world, PROBE_COMPILED_FOR_ALL), 2, 1, tensors);
}

static void *make_ready_reusable(struct probe_world *world)
{
    ANeuralNetworksExecution *execution = execution_of(world, PROBE_COMPILED_FOR_ONE);

    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
    EXPECT_OK(ANeuralNetworksExecution_setMeasureTiming(execution, true));
    return set(world, execution, 2, 1, tensors);
}

/* With this much room for the result. */
static void *ready_open_relu(struct probe_world *world, size_t size)
{
    ANeuralNetworksExecution *execution = execution_of(world, PROBE_COMPILED_OPEN_RELU);

    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, &float_tensor,
                                                world->bytes + PROBE_INPUT, TENSOR_SIZE));
    EXPECT_OK(
        ANeuralNetworksExecution_setOutput(execution, 0, NULL, probe_output_buffer(world), size));
    return execution;
}

static void *make_ready_open_relu(struct probe_world *world)
{
    return ready_open_relu(world, PROBE_OUTPUT_BYTES);
}

static void *make_ready_control_flow(struct probe_world *world)
{
    static const size_t sizes[] = {1, TENSOR_SIZE, sizeof(float), TENSOR_SIZE, sizeof(float)};
    return set(world, execution_of(world, PROBE_COMPILED_CONTROL_FLOW), 3, 2, sizes);
}

static void *make_ready_on_npu(struct probe_world *world)
{
    return set(world, execution_of(world, PROBE_COMPILED_FOR_NPU), 1, 1, tensors);
}

static void *make_ready_with_memory(struct probe_world *world)
{
    ANeuralNetworksExecution *execution = execution_of(world, PROBE_COMPILED_FOR_ONE);
    ANeuralNetworksMemory *file = probe_new_handle(world, PROBE_memory, PROBE_FILE_MEMORY);
    ANeuralNetworksMemory *full = probe_new_handle(world, PROBE_memory, PROBE_FULL_DESC_MEMORY);
    ANeuralNetworksMemory *empty = probe_new_handle(world, PROBE_memory, PROBE_EMPTY_DESC_MEMORY);

    EXPECT_OK(
        ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, file, 0, TENSOR_SIZE));
    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 1, NULL, full, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, empty, 0, 0));
    return execution;
}

static void *make_done(struct probe_world *world)
{
    ANeuralNetworksExecution *execution = make_ready(world);
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    return execution;
}

static void *make_done_reusable(struct probe_world *world)
{
    ANeuralNetworksExecution *execution = make_ready_reusable(world);
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    return execution;
}

static void *make_insufficient(struct probe_world *world)
{
    ANeuralNetworksExecution *execution = ready_open_relu(world, 1);
    EXPECT_FAIL(OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(execution));
    return execution;
}

static void *make_failed(struct probe_world *world)
{
    ANeuralNetworksExecution *execution = make_ready_on_npu(world);
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_compute(execution));
    return execution;
}

const struct probe_state probe_execution_states[] = {
    [PROBE_NEW_EXECUTION] = {"ADD, nothing set", make_new},
    [PROBE_READY] = {"ADD, ready", make_ready},
    [PROBE_READY_REUSABLE] = {"ADD, ready, reusable and measured", make_ready_reusable},
    [PROBE_READY_OPEN_RELU] = {"RELU of open shape, ready", make_ready_open_relu},
    [PROBE_READY_CONTROL_FLOW] = {"IF and WHILE, ready", make_ready_control_flow},
    [PROBE_READY_ON_NPU] = {"RELU on acme-npu, ready", make_ready_on_npu},
    [PROBE_READY_WITH_MEMORY] = {"ADD, ready, with memory", make_ready_with_memory},
    [PROBE_RUNNING] = {"", NULL}, /* comes with its event */
    [PROBE_DONE] = {"ADD, done", make_done},
    [PROBE_DONE_REUSABLE] = {"ADD, done, reusable and measured", make_done_reusable},
    [PROBE_INSUFFICIENT] = {"RELU of open shape, ended with too little room", make_insufficient},
    [PROBE_FAILED_EXECUTION] = {"RELU on acme-npu, failed", make_failed},
};

/* ---- Bursts ---------------------------------------------------------------------------------- */

static void *make_burst(struct probe_world *world)
{
    ANeuralNetworksBurst *burst = NULL;
    EXPECT_OK(ANeuralNetworksBurst_create(
        probe_shared_handle(world, PROBE_compilation, PROBE_COMPILED_FOR_ALL), &burst));
    return burst;
}

const struct probe_state probe_burst_states[] = {{"of ADD", make_burst}};

/* ---- Events ---------------------------------------------------------------------------------- */

static ANeuralNetworksEvent *event_of_fence(int fd)
{
    ANeuralNetworksEvent *event = NULL;
    EXPECT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &event));
    return event;
}

static void *make_signalled_fence(struct probe_world *world)
{
    return event_of_fence(world->signalled_fence);
}

static void *make_unsignalled_fence(struct probe_world *world)
{
    int fd = eventfd(0, EFD_CLOEXEC);

    if (world->fence_count == PROBE_OBJECTS)
        probe_signal_fences(world);
    world->fences[world->fence_count++] = fd;
    return event_of_fence(fd);
}

static ANeuralNetworksEvent *start(ANeuralNetworksExecution *execution)
{
    ANeuralNetworksEvent *event = NULL;
    EXPECT_OK(ANeuralNetworksExecution_startCompute(execution, &event));
    return event;
}

static void *make_done_event(struct probe_world *world)
{
    ANeuralNetworksEvent *event = start(probe_new_handle(world, PROBE_execution, PROBE_READY));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    return event;
}

static void *make_failed_event(struct probe_world *world)
{
    ANeuralNetworksEvent *event =
        start(probe_new_handle(world, PROBE_execution, PROBE_READY_ON_NPU));
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksEvent_wait(event));
    return event;
}

/* Until the gate is opened. */
static void *make_running_event(struct probe_world *world)
{
    const ANeuralNetworksEvent *unsignalled_fence =
        probe_new_handle(world, PROBE_event, PROBE_UNSIGNALLED_FENCE);
    ANeuralNetworksEvent *event = NULL;

    EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(
        probe_new_handle(world, PROBE_execution, PROBE_READY), &unsignalled_fence, 1, 0, &event));
    return event;
}

const struct probe_state probe_event_states[] = {
    [PROBE_SIGNALLED_FENCE] = {"of a signalled fence", make_signalled_fence},
    [PROBE_UNSIGNALLED_FENCE] = {"of a fence not yet signalled", make_unsignalled_fence},
    [PROBE_DONE_EVENT] = {"of a run that is done", make_done_event},
    [PROBE_FAILED_EVENT] = {"of a run that has failed", make_failed_event},
    [PROBE_RUNNING_EVENT] = {"of a run that waits for a fence", make_running_event},
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static void *make_file_memory(struct probe_world *world)
{
    (void)world;
    return memory_of(PROBE_FILE_SIZE, PROT_READ | PROT_WRITE);
}

static void *make_read_only_memory(struct probe_world *world)
{
    (void)world;
    return memory_of(TENSOR_SIZE, PROT_READ);
}

static void *make_inaccessible_memory(struct probe_world *world)
{
    (void)world;
    return memory_of(TENSOR_SIZE, PROT_NONE);
}

static void *make_empty_desc_memory(struct probe_world *world)
{
    ANeuralNetworksMemory *memory = NULL;
    EXPECT_OK(ANeuralNetworksMemory_createFromDesc(
        probe_new_handle(world, PROBE_desc, PROBE_FINISHED_DESC), &memory));
    return memory;
}

static void *make_full_desc_memory(struct probe_world *world)
{
    ANeuralNetworksMemory *memory = make_empty_desc_memory(world);
    EXPECT_OK(ANeuralNetworksMemory_copy(
        probe_new_handle(world, PROBE_memory, PROBE_READ_ONLY_MEMORY), memory));
    return memory;
}

const struct probe_state probe_memory_states[] = {
    [PROBE_FILE_MEMORY] = {"a file", make_file_memory},
    [PROBE_READ_ONLY_MEMORY] = {"a file to be read", make_read_only_memory},
    [PROBE_INACCESSIBLE_MEMORY] = {"a file without protection", make_inaccessible_memory},
    [PROBE_EMPTY_DESC_MEMORY] = {"for ADD, holding nothing", make_empty_desc_memory},
    [PROBE_FULL_DESC_MEMORY] = {"for ADD, holding something", make_full_desc_memory},
};

/* ---- Descriptors ----------------------------------------------------------------------------- */

static void *make_open_desc(struct probe_world *world)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    (void)world;
    EXPECT_OK(ANeuralNetworksMemoryDesc_create(&desc));
    return desc;
}

static void *make_desc_with_roles(struct probe_world *world)
{
    static const uint32_t states[] = {PROBE_COMPILED_FOR_ALL, PROBE_COMPILED_FOR_ONE};
    ANeuralNetworksMemoryDesc *desc = make_open_desc(world);

    for (size_t i = 0; i < COUNT_OF(states); i++) {
        const ANeuralNetworksCompilation *compilation =
            probe_shared_handle(world, PROBE_compilation, states[i]);
        EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 1, .5f));
        EXPECT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 1));
    }
    return desc;
}

static void *make_finished_desc(struct probe_world *world)
{
    ANeuralNetworksMemoryDesc *desc = make_desc_with_roles(world);
    EXPECT_OK(ANeuralNetworksMemoryDesc_finish(desc));
    return desc;
}

const struct probe_state probe_desc_states[] = {
    [PROBE_OPEN_DESC] = {"empty", make_open_desc},
    [PROBE_DESC_WITH_ROLES] = {"for ADD, open", make_desc_with_roles},
    [PROBE_FINISHED_DESC] = {"for ADD, finished", make_finished_desc},
};
