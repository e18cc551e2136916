/*
 * core_gain: the gain of two threads on this machine that share nothing, neither memory nor caches
 * nor work: each computes separately, for about the time of a network. The processors of a virtual
 * machine are not always available at the same time, and two may share one core: the result is the
 * upper limit for the gain of a network from two threads.
 *
 *     core_gain
 *
 * Prints a Markdown table. In each round one thread does the work once, then two threads that start
 * together do it once each; the gain is by elapsed time, until both have ended.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 201

/* Iterations of the loop below: about 5 ms. */
#define ITERATIONS 1600000
#define SUMS       8

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The results of a loop, so that the compiler keeps the loop. */
static volatile float sinks[2][64];

static void compute(int thread)
{
    float sums[SUMS];

    for (int i = 0; i < SUMS; i++)
        sums[i] = sinks[thread][0] + (float)i;
    for (int repetition = 0; repetition < ITERATIONS; repetition++)
        for (int i = 0; i < SUMS; i++)
            sums[i] = sums[i] * 0.5f + 1;
    for (int i = 0; i < SUMS; i++)
        sinks[thread][0] = sums[i];
}

/* The other thread waits here for each round, and reports its end. */
static pthread_barrier_t begin, end;

static void *help(void *argument)
{
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&begin);
        compute(1);
        pthread_barrier_wait(&end);
    }
    return NULL;
}

static double measure(void)
{
    const double start = now_ns();
    compute(0);
    const double alone = now_ns() - start;

    pthread_barrier_wait(&begin);
    const double together = now_ns();
    compute(0);
    pthread_barrier_wait(&end);
    return 2 * alone / (now_ns() - together);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    double gains[ROUNDS];
    pthread_t helper;

    if (pthread_barrier_init(&begin, NULL, 2) != 0 || pthread_barrier_init(&end, NULL, 2) != 0 ||
        pthread_create(&helper, NULL, help, NULL) != 0) {
        fprintf(stderr, "core_gain: no second thread\n");
        return 1;
    }
    for (int round = 0; round < ROUNDS; round++)
        gains[round] = measure();
    (void)pthread_join(helper, NULL);
    qsort(gains, ROUNDS, sizeof *gains, compare);
    printf("| two threads that share nothing | gain |\n|---|--:|\n");
    printf("| a tenth of the rounds gain less than | %.2f |\n", gains[ROUNDS / 10]);
    printf("| a quarter | %.2f |\n", gains[ROUNDS / 4]);
    printf("| half | %.2f |\n", gains[ROUNDS / 2]);
    printf("| three quarters | %.2f |\n", gains[ROUNDS - 1 - ROUNDS / 4]);
    return 0;
}
