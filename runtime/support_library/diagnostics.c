#include "runtime/support_library/diagnostics.h"

#include "common/clock.h"
#include "runtime/compile/observer.h"
#include "runtime/execute/execution.h"
#include "runtime/fork_guard.h"

#include <pthread.h>
#include <sys/random.h>
#include <unistd.h>

atomic_uint hy_diagnostics_listened;

struct listeners {
    ANeuralNetworksDiagnosticCompilationFinishedCallback to_compilations;
    ANeuralNetworksDiagnosticExecutionFinishedCallback to_executions;
    void *context;
};

/* The lock protects callback and context together. The lock is not held during a callback, so
 * callbacks may run concurrently and may register again. */
static struct listeners current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct listeners get_listeners(void)
{
    pthread_mutex_lock(&lock);
    const struct listeners copy = current;
    pthread_mutex_unlock(&lock);
    return copy;
}

void hy_diagnostics_listen(ANeuralNetworksDiagnosticCompilationFinishedCallback to_compilations,
                           ANeuralNetworksDiagnosticExecutionFinishedCallback to_executions,
                           void *context)
{
    const unsigned listened = (to_compilations ? HY_OBSERVES_COMPILATIONS : 0) |
                              (to_executions ? HY_OBSERVES_EXECUTIONS : 0);

    pthread_mutex_lock(&lock);
    current = (struct listeners){to_compilations, to_executions, context};
    atomic_store_explicit(&hy_diagnostics_listened, listened, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

void hy_diagnostics_compilation_ended(struct hy_compilation *compilation, enum hy_code code,
                                      uint64_t begun)
{
    const uint64_t total = hy_clock_now() - begun;
    const struct listeners to = get_listeners();
    if (!to.to_compilations)
        return;

    const ANeuralNetworksDiagnosticCompilationInfo info = {
        .details = hy_diagnostic_details_of(compilation),
        .code = code,
        .total_ns = total,
    };
    to.to_compilations(to.context, &info);
}

void hy_diagnostics_execution_ended(const struct hy_execution *execution, enum hy_code code)
{
    const uint64_t total = hy_clock_now() - execution->begun;
    const struct listeners to = get_listeners();
    if (!to.to_executions)
        return;

    /* The runtime's time excludes waiting for fences. Times of a driver are only valid after a
     * success. */
    const bool is_fenced = execution->mode == HY_RUN_FENCED;
    const bool is_timed = code == HY_OK;
    const ANeuralNetworksDiagnosticExecutionInfo info = {
        .details = hy_diagnostic_details_of(execution->compilation),
        .mode = execution->mode,
        .code = code,
        .in_runtime = is_fenced ? HY_NO_TIME : total,
        .in_driver = is_timed ? execution->time_in_driver : HY_NO_TIME,
        .on_device = is_timed ? execution->time_on_device : HY_NO_TIME,
    };
    to.to_executions(to.context, &info);
}

/* ---- Session --------------------------------------------------------------------------------- */

static int32_t session;

static void draw_session(void)
{
    /* Without random bytes, time and process identify the session. */
    if (getrandom(&session, sizeof session, GRND_NONBLOCK) != sizeof session)
        session = (int32_t)((uint32_t)hy_clock_now() ^ (uint32_t)getpid());
}

int32_t hy_diagnostics_session(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, draw_session);
    return session;
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&lock);
    else
        pthread_mutex_unlock(&lock);
    if (phase == HY_FORK_CHILD)
        draw_session();
}

HY_AT_FORK(HY_FORK_DIAGNOSTICS, at_fork)
