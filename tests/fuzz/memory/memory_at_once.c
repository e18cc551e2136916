/* Memory calls by several threads. */
#include "tests/fuzz/memory/memory_calls.h"

#include "common/random.h"
#include "tests/kit/threads.h"
#include "tests/unit/runtime/kit/domain_fixture.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHARED = 6, MOST_EXTENT = 8 };

/* Memory of two devices, in all roles of compilations of both shapes. */
static struct scenario {
    struct buffer_device devices[2];
    struct hy_compilation *compilations[2];
    struct hy_memory *memories[SHARED];
    uint32_t count;
} scenario;

struct worker {
    struct hy_random random;
};

static uint32_t chance(struct worker *worker, uint32_t count)
{
    return hy_random_below(&worker->random, count);
}

/* Whoever comes in between may have changed shape or contents, or written in vain. */
static void expect_possible(const char *call, enum hy_code code, const struct hy_error *err)
{
    if (code == HY_OK || code == HY_FAILED || code == HY_BAD_DATA)
        return;
    fprintf(stderr, "%s: %s: %s\n", call, hy_code_name(code), err->text);
    abort();
}

static void check_values(const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == values[0])
            continue;
        fprintf(stderr, "a value of its own in %u\n", i);
        abort();
    }
}

/* All elements of what is written are equal, so that a mixture would be seen. */
static void copy_file(struct worker *worker, struct hy_memory *memory)
{
    const uint32_t extent = 1 + chance(worker, MOST_EXTENT);
    float values[MOST_EXTENT];
    struct hy_error err = {0};

    for (uint32_t i = 0; i < extent; i++)
        values[i] = (float)extent;
    struct hy_memory *file = file_memory(extent, values);
    if (!file)
        abort();
    if (chance(worker, 2)) {
        expect_possible("copy in", hy_memory_copy(file, memory, &err), &err);
    } else {
        expect_possible("copy out", hy_memory_copy(memory, file, &err), &err);
        check_values(hy_memory_pool(file)->address, extent);
    }
    hy_memory_release(file);
}

static void make_one(struct worker *worker)
{
    struct hy_memory *memory = both_roles(scenario.compilations[chance(worker, 2)]);
    struct hy_error err = {0};

    if (!memory)
        abort();
    expect_possible("copy away",
                    hy_memory_copy(scenario.memories[chance(worker, SHARED)], memory, &err), &err);
    hy_memory_release(memory);
}

static void run_one(struct worker *worker)
{
    const uint32_t device = chance(worker, 2);
    struct hy_memory *in = scenario.memories[chance(worker, SHARED / 2) * 2 + device];
    struct hy_memory *out = scenario.memories[chance(worker, SHARED / 2) * 2 + device];
    struct hy_error err = {0};

    if (in != out)
        expect_possible("run",
                        run_on(scenario.compilations[device], in, 1 + chance(worker, MOST_EXTENT),
                               out, 0, &err),
                        &err);
}

static void work(void *argument)
{
    struct worker *worker = argument;
    struct hy_error err = {0};

    for (uint32_t i = 0; i < scenario.count; i++) {
        struct hy_memory *memory = scenario.memories[chance(worker, SHARED)];
        switch (chance(worker, 4)) {
        case 0:
            copy_file(worker, memory);
            break;
        case 1:
            expect_possible("copy",
                            hy_memory_copy(scenario.memories[chance(worker, SHARED)], memory, &err),
                            &err);
            break;
        case 2:
            make_one(worker);
            break;
        default:
            run_one(worker);
        }
    }
}

/* The first shape of open memory comes from memory of a known one. */
static void give_shape(uint32_t device, struct hy_memory *memory)
{
    static const float values[EXTENT] = {4, 4, 4, 4};
    const struct role role = {scenario.compilations[device], false, 0};
    struct hy_memory *known = domain_memory(&role, 1, EXTENT, NULL);

    if (!known || fill(known, EXTENT, values) != HY_OK ||
        hy_memory_copy(known, memory, NULL) != HY_OK)
        abort();
    hy_memory_release(known);
}

void hy_memory_calls_at_once(uint64_t seed, uint32_t count, unsigned threads)
{
    static const char *const names[2] = {"acme-npu", "acme-gpu"};
    struct worker workers[HY_THREADS_MAX];

    scenario = (struct scenario){.count = count};
    for (uint32_t i = 0; i < 2; i++) {
        struct fake_device *const device = &scenario.devices[i].fake;
        buffer_device_init(&scenario.devices[i], names[i], HALYARD_DEVICE_IN_PROCESS, 1, FAKE_ALL);
        scenario.compilations[i] = compile(dynamic_model(0, 0, 0), &device, 1, true, NULL);
        if (!scenario.compilations[i])
            abort();
    }
    for (uint32_t i = 0; i < SHARED; i++) {
        scenario.memories[i] = both_roles(scenario.compilations[i % 2]);
        give_shape(i % 2, scenario.memories[i]);
    }
    for (unsigned i = 0; i < threads; i++)
        workers[i].random.state = hy_random_mix(seed, i);
    if (!hy_threads_run(threads, work, workers, sizeof *workers))
        abort();
    for (uint32_t i = 0; i < SHARED; i++)
        hy_memory_release(scenario.memories[i]);
    for (uint32_t i = 0; i < 2; i++) {
        hy_compilation_release(scenario.compilations[i]);
        if (scenario.devices[i].live != 0 || scenario.devices[i].fake.prepared != 0)
            abort();
    }
}
