/* An app whose queues are rewritten while it uses them. */
#include "app_usual.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* ---- Queues that are rewritten --------------------------------------------------------------- */

struct vandal {
    _Atomic uint32_t *words;
    size_t count;
    struct hy_random chance;
    uint32_t manner;
    atomic_bool stops;
    uint64_t rewrites;
    pthread_t thread;
};

static uint64_t rewrites, burst_runs, burst_errors;

/* The queues of the burst that was opened last. */
static bool find_queues(struct vandal *vandal)
{
    char line[512];
    unsigned long long from, to;
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");

    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, "halyard-burst") || sscanf(line, "%llx-%llx", &from, &to) != 2)
            continue;
        vandal->words = (_Atomic uint32_t *)(uintptr_t)from;
        vandal->count = (size_t)(to - from) / sizeof(uint32_t);
        found = true;
    }
    if (maps)
        fclose(maps);
    return found;
}

/* Where things are: the counters of a ring, its first packets, or anywhere. */
static size_t pick_word(struct vandal *vandal)
{
    static const uint32_t counters[] = {0, 1, 2, 3, 16, 17, 32, 33, 34};
    const size_t ring = hy_random_below(&vandal->chance, 2) ? 0 : vandal->count / 2;

    switch (vandal->manner) {
    case 0:
        return ring + counters[hy_random_below(&vandal->chance, 9)];
    case 1:
        return ring + 64 + hy_random_below(&vandal->chance, 6 * 24);
    case 2:
        return vandal->count / 2 + 64 + hy_random_below(&vandal->chance, 6 * 24);
    default:
        return hy_random_below(&vandal->chance, (uint32_t)vandal->count);
    }
}

static void rewrite_one(struct vandal *vandal)
{
    _Atomic uint32_t *word = &vandal->words[pick_word(vandal) % vandal->count];
    const uint32_t value = (uint32_t)hy_random_next(&vandal->chance);

    switch (value % 4) {
    case 0:
        atomic_store(word, value);
        break;
    case 1:
        atomic_fetch_xor(word, 1u << (value >> 8) % 32);
        break;
    default:
        atomic_fetch_add(word, (value >> 8) % 32 - 8);
    }
}

static void *rewrite(void *argument)
{
    struct vandal *vandal = argument;

    while (!atomic_load(&vandal->stops)) {
        rewrite_one(vandal);
        vandal->rewrites++;
        if (vandal->manner % 2 == 0 && vandal->rewrites % 64 == 0)
            usleep(50); /* some packets pass */
    }
    return NULL;
}

static void run_burst(ANeuralNetworksBurst *burst, int64_t end)
{
    const float in[APP_EXTENT] = {1, 2, 3, 4};
    float out[APP_EXTENT];

    /* An error closes the queues for good: what follows goes another way. */
    for (int i = 0, left = 200; i < left && isolated_clock() < end; i++) {
        if (app_compute(app_usual.compilations[1], burst, in, out) != NO_ERROR) {
            burst_errors++;
            left = left < i + 4 ? left : i + 4;
        }
        burst_runs++;
    }
}

void attack_app_queues(struct hy_random *chance)
{
    struct vandal vandal = {.chance = *chance, .manner = hy_random_below(chance, 4)};
    ANeuralNetworksBurst *burst = NULL;

    app_expect_right(1, true);
    if (ANeuralNetworksBurst_create(app_usual.compilations[1], &burst) != NO_ERROR)
        APP_FAIL("no burst: %s", halyard_last_error());
    if (!find_queues(&vandal))
        APP_FAIL("the burst has no queues");
    if (pthread_create(&vandal.thread, NULL, rewrite, &vandal) != 0)
        APP_FAIL("no thread");
    run_burst(burst, isolated_clock() + 1000);
    atomic_store(&vandal.stops, true);
    pthread_join(vandal.thread, NULL);
    ANeuralNetworksBurst_free(burst);
    rewrites += vandal.rewrites;
    app_expect_right(0, false);
    app_expect_right(1, true);
    app_expect_right(1, false);
}

void attack_app_queues_report(void)
{
    printf("%llu words of queues rewritten during %llu runs, of which %llu failed\n",
           (unsigned long long)rewrites, (unsigned long long)burst_runs,
           (unsigned long long)burst_errors);
}
