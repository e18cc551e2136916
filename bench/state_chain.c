/*
 * state_chain: the gain of storing the state of a recurrent network on the device. A chain is 100
 * executions of one LSTM step; each execution reads the states that the previous execution has
 * written, in two alternating sets of memory. One chain has its states in memory made from
 * descriptors, the other chain in shared memory; the chains run in turns, and end with the same
 * numbers.
 *
 *     state_chain [BATCHES UNITS]
 *
 * Devices: the device of the sample driver (with its own layout) and halyard-cpu.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/kernels/lstm_chain.h"
#include "bench/measure.h"

enum { STEPS = 100, INPUTS = 8, BATCHES = 8, UNITS = 32, EXTENT_MAX = 4096 };

static const struct hy_bench_rules rules = {.rounds = 501, .round_time = 0.0005};

static enum hy_code run_chain(void *self, struct hy_error *err)
{
    return hy_lstm_chain_run(self, STEPS, err);
}

/* The first chain of each, from zero: what it copies, and whether both come to the same. */
static enum hy_code compare(struct hy_lstm_chain chains[2], uint64_t copied[2],
                            struct hy_error *err)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < 2; i++) {
        enum hy_code code = hy_lstm_chain_start(&chains[i], err);
        if (code == HY_OK)
            code = run_chain(&chains[i], err);
        if (code == HY_OK)
            code = hy_lstm_step_copied(chains[i].step, &copied[i], err);
        if (code != HY_OK)
            return code;
        copied[i] -= before;
        before += copied[i];
    }
    if (memcmp(chains[0].output, chains[1].output, hy_lstm_state_bytes(chains[0].step)) != 0)
        return hy_fail(err, HY_FAILED, "the two chains end with different outputs");
    return HY_OK;
}

static enum hy_code race(const char *device, struct hy_lstm_chain chains[2], struct hy_error *err)
{
    uint64_t copied[2] = {0, 0};
    struct hy_bench_subject subjects[2] = {
        {.name = "of the device", .run = run_chain, .self = &chains[0]},
        {.name = "shared", .run = run_chain, .self = &chains[1]},
    };
    enum hy_code code = compare(chains, copied, err);
    if (code == HY_OK)
        code = hy_bench_measure(subjects, 2, &rules, err);
    for (uint32_t i = 0; code == HY_OK && i < 2; i++)
        printf("%-24s  %-13s  %9.1f  %6.3f  %llu\n", device, subjects[i].name,
               subjects[i].median_us, subjects[i].median_us / subjects[0].median_us,
               (unsigned long long)copied[i]);
    return code;
}

static enum hy_code measure(const char *device, uint32_t batches, uint32_t units,
                            struct hy_error *err)
{
    struct hy_lstm_step step = {.batches = batches, .inputs = INPUTS, .units = units};
    struct hy_lstm_chain chains[2] = {{0}};
    enum hy_code code = hy_lstm_step_make(device, &step, err);
    for (uint32_t i = 0; code == HY_OK && i < 2; i++)
        code = hy_lstm_chain_init(&step, i == 0, &chains[i], err);
    if (code == HY_OK)
        code = race(device, chains, err);
    hy_lstm_chain_finish(&chains[0]);
    hy_lstm_chain_finish(&chains[1]);
    hy_lstm_step_finish(&step);
    return code;
}

int main(int argc, char **argv)
{
    static const char *const devices[] = {"halyard-sample-recurrent", "halyard-cpu"};
    const long batches = argc > 1 ? strtol(argv[1], NULL, 10) : BATCHES;
    const long units = argc > 2 ? strtol(argv[2], NULL, 10) : UNITS;
    if (argc > 3 || batches < 1 || batches > EXTENT_MAX || units < 1 || units > EXTENT_MAX) {
        fprintf(stderr, "usage: state_chain [BATCHES UNITS, each 1 to %d]\n", EXTENT_MAX);
        return 2;
    }
    setenv("HALYARD_DRIVER_FILES", SAMPLE_RECURRENT_MANIFEST, 1);
    printf("%d steps of an LSTM, %ld batches, %ld units, state of 2 * %ld bytes\n"
           "device                    states in      median us   ratio  bytes copied\n",
           STEPS, batches, units, batches * units * (long)sizeof(float));
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct hy_error err;
        if (measure(devices[i], (uint32_t)batches, (uint32_t)units, &err) != HY_OK) {
            fprintf(stderr, "state_chain: %s: %s\n", devices[i], err.text);
            return 1;
        }
    }
    return 0;
}
