/*
 * What happens to tiles while they hold sums: threads wait, are moved to other processors, take
 * signals and fork. Where a machine has no tiles that may be used, the best kernels that it has are
 * tried instead, and the test says so.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpu_fallback/kernels/kernels.h"
#include "cpu_fallback/kernels/tile_permission.h"
#include "tests/kit/test.h"

#define ROWS   64u
#define INPUTS 512u
#define UNITS  256u

#define WORKERS   6 /* more than processors that some machines have: they take turns */
#define MOVED     2 /* of these, from processor to processor */
#define SECONDS   2
#define SIGNAL_NS 300000

/* What all compute. */
static struct {
    const struct hy_conv_kernel *kernel;
    struct hy_conv_params params;
    int8_t in[ROWS * INPUTS];
    void *packed;
    int8_t want[ROWS * UNITS];
} job;

static atomic_bool is_over;
static atomic_uint signals, wrong, right;

static void *alloc(size_t bytes)
{
    void *memory =
        aligned_alloc(HY_KERNEL_ALIGNMENT, (bytes / HY_KERNEL_ALIGNMENT + 1) * HY_KERNEL_ALIGNMENT);
    if (!memory)
        abort();
    return memory;
}

static const struct hy_kernel_table *tables(void)
{
    const struct hy_kernel_table *amx = hy_kernels_at(HY_KERNEL_AMX);
    const char *refusal = hy_tiles_refusal();

    if (amx && amx->conv[HY_ELEMENT_S8].ready())
        return amx;
    printf("(SKIPPED for tiles: %s; with other kernels instead) ",
           refusal ? refusal : "the processor has no AMX");
    return hy_kernels_fast();
}

static void open_job(void)
{
    static int8_t filter[UNITS * INPUTS];
    static int32_t bias[UNITS];
    static struct hy_multiplier multipliers[UNITS];
    const struct hy_conv_kernel *reference = &hy_kernels_reference()->conv[HY_ELEMENT_S8];

    for (size_t i = 0; i < sizeof filter; i++)
        filter[i] = (int8_t)(i * 37 % 251 - 125);
    for (size_t i = 0; i < sizeof job.in; i++)
        job.in[i] = (int8_t)(i * 53 % 241 - 120);
    for (size_t i = 0; i < UNITS; i++)
        multipliers[i] = (struct hy_multiplier){1 << 30, -9};
    hy_conv_params_set_fully_connected(&job.params, ROWS, INPUTS, UNITS);
    job.params.activation.q_min = INT8_MIN;
    job.params.activation.q_max = INT8_MAX;
    job.params.multipliers = multipliers;
    job.kernel = hy_conv_kernel_for(&tables()->conv[HY_ELEMENT_S8], &job.params);
    reference->run(&job.params, job.in, filter, bias, job.want, NULL, 0,
                   reference->units(&job.params));
    if (!job.kernel->pack)
        return;
    job.packed = alloc(job.kernel->packed_bytes(&job.params));
    job.kernel->pack(&job.params, filter, bias, job.packed);
}

/* Whether all bytes are right. */
static bool compute(void *scratch)
{
    int8_t out[ROWS * UNITS] = {0};

    job.kernel->run(&job.params, job.in, job.packed, NULL, out, scratch, 0,
                    job.kernel->units(&job.params));
    return memcmp(out, job.want, sizeof out) == 0;
}

static void *acquire_scratch(void)
{
    return alloc(job.kernel->scratch_bytes ? job.kernel->scratch_bytes(&job.params) : 1);
}

static void *work(void *unused)
{
    void *scratch = acquire_scratch();

    (void)unused;
    while (!atomic_load(&is_over))
        atomic_fetch_add(compute(scratch) ? &right : &wrong, 1);
    free(scratch);
    return NULL;
}

static void count_signal(int number)
{
    (void)number;
    atomic_fetch_add(&signals, 1);
}

/* From one processor to the next that the process may use. */
static void move(pthread_t thread, const cpu_set_t *allowed, int *processor)
{
    cpu_set_t one;

    do {
        *processor = (*processor + 1) % CPU_SETSIZE;
    } while (!CPU_ISSET(*processor, allowed));
    CPU_ZERO(&one);
    CPU_SET(*processor, &one);
    (void)pthread_setaffinity_np(thread, sizeof one, &one);
}

/* A child inherits the permission, and computes with tiles of its own. */
static void fork_once(void *scratch)
{
    int status = 1;
    const pid_t child = fork();

    if (child == 0)
        _exit(compute(scratch) ? 0 : 1);
    if (child > 0 && waitpid(child, &status, 0) == child)
        atomic_fetch_add(status == 0 ? &right : &wrong, 1);
}

static void disturb(const pthread_t workers[WORKERS])
{
    const struct timespec pause = {.tv_nsec = SIGNAL_NS};
    void *scratch = acquire_scratch();
    cpu_set_t allowed;
    int processor = 0;
    struct timespec now, end;

    EXPECT_INT(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += SECONDS;
    for (unsigned next = 0;; next++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec))
            break;
        (void)pthread_kill(workers[next % WORKERS], SIGUSR1);
        if (next % 4 == 0)
            move(workers[next / 4 % MOVED], &allowed, &processor);
        if (next % 64 == 0)
            fork_once(scratch);
        (void)nanosleep(&pause, NULL);
    }
    free(scratch);
}

TEST(tile_stress, sums_survive_signals_forks_moves_and_waits)
{
    struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    pthread_t workers[WORKERS];
    unsigned count = 0;

    open_job();
    if (!job.packed) /* scalar kernels have nothing to lose */
        return;
    EXPECT_INT(sigaction(SIGUSR1, &action, NULL), 0);
    while (count < WORKERS && pthread_create(&workers[count], NULL, work, NULL) == 0)
        count++;
    REQUIRE(count == WORKERS);
    disturb(workers);
    atomic_store(&is_over, true);
    for (unsigned i = 0; i < WORKERS; i++)
        EXPECT_INT(pthread_join(workers[i], NULL), 0);
    printf("%u right, %u signals ", atomic_load(&right), atomic_load(&signals));
    EXPECT_INT(atomic_load(&wrong), 0);
    EXPECT(atomic_load(&right) > 0 && atomic_load(&signals) > 0);
    free(job.packed);
}
