#include "tests/scenarios/cost/ways.h"

#include <halyard/halyard.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kit/test.h"

enum { ALIGNMENT = 64, MAX_ARGUMENTS = 16 };

/* The arguments on one side of the model, one behind the other. */
struct side {
    uint32_t count;
    size_t offsets[MAX_ARGUMENTS];
    size_t lengths[MAX_ARGUMENTS];
    size_t size;
    uint8_t *bytes;
    ANeuralNetworksMemory *memory; /* or NULL: `bytes` are given */
};

struct hy_way {
    ANeuralNetworksCompilation *compilation;
    enum hy_way_run run;
    struct side inputs;
    struct side outputs;
    ANeuralNetworksBurst *burst;
    ANeuralNetworksExecution *execution;
    char name[64];
};

static bool is_ok(int result)
{
    return result == ANEURALNETWORKS_NO_ERROR;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static size_t round_up(size_t length)
{
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool add_argument(struct side *side, const struct hy_tflite_tensor *tensor)
{
    if (side->count == MAX_ARGUMENTS)
        return false;
    side->offsets[side->count] = side->size;
    side->lengths[side->count++] = (size_t)tensor->bytes;
    side->size += round_up((size_t)tensor->bytes);
    return true;
}

static bool alloc_memory(struct side *side, bool in_memory)
{
    const int fd = memfd_create("cost", MFD_CLOEXEC);
    bool good = fd >= 0 && ftruncate(fd, (off_t)side->size) == 0;
    if (good && in_memory)
        good = is_ok(ANeuralNetworksMemory_createFromFd(side->size, PROT_READ | PROT_WRITE, fd, 0,
                                                        &side->memory));
    if (good)
        side->bytes = mmap(NULL, side->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    good = good && side->bytes != MAP_FAILED;
    if (fd >= 0)
        close(fd);
    return good;
}

static bool open_sides(const struct hy_inference *inference, bool in_memory, struct hy_way *way)
{
    bool good = true;
    for (uint32_t i = 0; good && i < hy_inference_input_count(inference); i++)
        good = add_argument(&way->inputs, hy_inference_input_tensor(inference, i));
    for (uint32_t i = 0; good && i < hy_inference_output_count(inference); i++)
        good = add_argument(&way->outputs, hy_inference_output_tensor(inference, i));
    return good && alloc_memory(&way->inputs, in_memory) && alloc_memory(&way->outputs, in_memory);
}

static void close_side(struct side *side)
{
    ANeuralNetworksMemory_free(side->memory);
    if (side->bytes && side->bytes != MAP_FAILED)
        munmap(side->bytes, side->size);
}

static bool set_input(ANeuralNetworksExecution *execution, const struct side *side, uint32_t i)
{
    if (side->memory)
        return is_ok(ANeuralNetworksExecution_setInputFromMemory(execution, (int32_t)i, NULL,
                                                                 side->memory, side->offsets[i],
                                                                 round_up(side->lengths[i])));
    return is_ok(ANeuralNetworksExecution_setInput(
        execution, (int32_t)i, NULL, side->bytes + side->offsets[i], side->lengths[i]));
}

static bool set_output(ANeuralNetworksExecution *execution, const struct side *side, uint32_t i)
{
    if (side->memory)
        return is_ok(ANeuralNetworksExecution_setOutputFromMemory(execution, (int32_t)i, NULL,
                                                                  side->memory, side->offsets[i],
                                                                  round_up(side->lengths[i])));
    return is_ok(ANeuralNetworksExecution_setOutput(
        execution, (int32_t)i, NULL, side->bytes + side->offsets[i], side->lengths[i]));
}

/* ---- Executions ------------------------------------------------------------------------------ */

static ANeuralNetworksExecution *create(const struct hy_way *way, bool reusable)
{
    ANeuralNetworksExecution *execution = NULL;
    bool good = is_ok(ANeuralNetworksExecution_create(way->compilation, &execution));
    if (reusable)
        good = good && is_ok(ANeuralNetworksExecution_setReusable(execution, true));
    if (way->inputs.memory)
        good = good && is_ok(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true));
    for (uint32_t i = 0; good && i < way->inputs.count; i++)
        good = set_input(execution, &way->inputs, i);
    for (uint32_t i = 0; good && i < way->outputs.count; i++)
        good = set_output(execution, &way->outputs, i);
    if (good)
        return execution;
    ANeuralNetworksExecution_free(execution);
    return NULL;
}

/* The execution of this inference becomes way->execution. */
static bool next_execution(struct hy_way *way)
{
    const bool is_reused = way->run == HY_WAY_REUSED || way->run == HY_WAY_BURST;
    ANeuralNetworksExecution *before = way->execution;

    if (is_reused && before)
        return true;
    if (way->run != HY_WAY_OVERLAPPED) {
        ANeuralNetworksExecution_free(before);
        before = NULL;
    }
    way->execution = create(way, is_reused);
    ANeuralNetworksExecution_free(before);
    return way->execution != NULL;
}

bool hy_way_infer(void *argument)
{
    struct hy_way *way = argument;

    if (!next_execution(way))
        return false;
    if (way->burst)
        return is_ok(ANeuralNetworksExecution_burstCompute(way->execution, way->burst));
    return is_ok(ANeuralNetworksExecution_compute(way->execution));
}

/* ---- Life ------------------------------------------------------------------------------------ */

bool hy_way_open(const struct hy_inference *inference, enum hy_way_run run, bool in_memory,
                 struct hy_way **out)
{
    static const char *const names[HY_WAY_RUNS] = {
        [HY_WAY_REUSED] = "reused execution",
        [HY_WAY_BURST] = "reused execution in a burst",
        [HY_WAY_NEW] = "new execution",
        [HY_WAY_NEW_BURST] = "new execution in a burst",
        [HY_WAY_OVERLAPPED] = "new execution before the end of the last",
    };
    struct hy_way *way = calloc(1, sizeof *way);
    bool good = way != NULL;

    if (good) {
        way->compilation = hy_inference_compilation(inference);
        way->run = run;
        snprintf(way->name, sizeof way->name, "%s, %s", names[run],
                 in_memory ? "memory" : "buffers");
        good = open_sides(inference, in_memory, way);
    }
    if (good && (run == HY_WAY_BURST || run == HY_WAY_NEW_BURST))
        good = is_ok(ANeuralNetworksBurst_create(way->compilation, &way->burst));
    if (!good) {
        hy_test_fail(__FILE__, __LINE__, "%s: %s", names[run], halyard_last_error());
        hy_way_close(way);
        return false;
    }
    *out = way;
    return true;
}

void hy_way_close(struct hy_way *way)
{
    if (!way)
        return;
    ANeuralNetworksExecution_free(way->execution);
    ANeuralNetworksBurst_free(way->burst);
    close_side(&way->inputs);
    close_side(&way->outputs);
    free(way);
}

const char *hy_way_name(const struct hy_way *way)
{
    return way->name;
}
