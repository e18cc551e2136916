/*
 * Memory calls in random order against a small model of their rules:
 *
 *     fuzz_memory                  some seeds, the same in every run
 *     fuzz_memory --seconds N      seeds one after the other, for so long
 *     fuzz_memory --seed N         one seed: what a difference was told with
 *     fuzz_memory --threads N      at once, on memory that is shared; for sanitizers
 */
#include "tests/fuzz/memory/memory_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 2000, SEEDS = 200, FEWER_SEEDS = 10 };

static int run_seeds(uint64_t first, uint64_t count)
{
    for (uint64_t seed = first; seed < first + count; seed++)
        hy_memory_calls(seed, CALLS);
    printf("%llu seeds of %d calls\n", (unsigned long long)count, CALLS);
    return 0;
}

static int run_for(long seconds)
{
    const time_t end = time(NULL) + seconds;
    uint64_t count = 0;

    while (time(NULL) < end)
        hy_memory_calls(++count, CALLS);
    printf("%llu seeds of %d calls\n", (unsigned long long)count, CALLS);
    return 0;
}

static int run_at_once(unsigned threads)
{
    for (uint64_t seed = 1; seed <= FEWER_SEEDS; seed++)
        hy_memory_calls_at_once(seed, CALLS, threads);
    printf("%d seeds of %d calls, %u threads\n", FEWER_SEEDS, CALLS, threads);
    return 0;
}

int main(int argc, char **argv)
{
    /* Devices that fail are the point; a line for each is not. */
    setenv("HALYARD_LOG", "error", 1);
    if (argc == 1)
        return run_seeds(1, SEEDS);
    const unsigned long long number = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    if (number > 0 && strcmp(argv[1], "--seconds") == 0)
        return run_for((long)number);
    if (number > 0 && strcmp(argv[1], "--seed") == 0)
        return run_seeds(number, 1);
    if (number > 0 && number <= 16 && strcmp(argv[1], "--threads") == 0)
        return run_at_once((unsigned)number);
    fprintf(stderr, "fuzz_memory [--seconds N | --seed N | --threads N]\n");
    return 2;
}
