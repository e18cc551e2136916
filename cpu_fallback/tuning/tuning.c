#include "cpu_fallback/tuning/tuning.h"

#include <errno.h>
#include <semaphore.h>
#include <string.h>

#include "cpu_fallback/cache/cpu_cache.h"
#include "cpu_fallback/entry.h"
#include "cpu_fallback/tuning/measure.h"

/* The state of the task: WAITING after the host accepted it. */
enum stage { NOT_ASKED, WAITING, RUNNING, REFUSED, ABANDONED };

/*
 * Owned by the prepared model; if the model is destroyed before the task has begun (ABANDONED), the
 * task owns it. No lock is held across a fork. A fork while the task waits leaves a waiting task in
 * both processes; no fork happens while the task runs.
 */
struct hy_cpu_tuning {
    const struct hy_cpu_device *device;
    struct hy_cpu_prepared *prepared;
    atomic_int stage;
    uint32_t is_cancelled; /* a cancelled word, see stop.h */
    sem_t has_ended;       /* posted by the task as its last access */
    bool has_token;
    uint8_t token[HY_TOKEN_SIZE];
};

/* ---- The task -------------------------------------------------------------------------------- */

/* Measures the declared plan, and makes the tuned plan its successor. */
static enum hy_code tune_subgraph(struct hy_cpu_tuning *tuning, struct hy_cpu_prepared *prepared,
                                  struct hy_error *err)
{
    const struct hy_cpu_program *program = &prepared->program;
    struct hy_cpu_plan *declared = prepared->declared, *tuned;

    if (!declared || declared->blocking_count == 0)
        return HY_OK;
    struct hy_cpu_blocking *blockings =
        hy_cpu_calloc(program->host, program->graph.operation_count, sizeof *blockings);
    if (!blockings)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u blockings",
                       program->graph.operation_count);
    enum hy_code code = hy_cpu_measure(program, declared, &tuning->is_cancelled, blockings, err);
    if (code == HY_OK)
        code = hy_cpu_plan_create(program, declared->inputs, blockings, &tuned, err);
    if (code == HY_OK)
        atomic_store_explicit(&declared->successor, tuned, memory_order_release);
    hy_cpu_free(blockings);
    return code;
}

static void tune(struct hy_cpu_tuning *tuning)
{
    const struct hy_host *host = tuning->device->host;
    struct hy_cpu_prepared *prepared = tuning->prepared;
    struct hy_stop stop = {&tuning->is_cancelled, HY_NO_DEADLINE, 0};
    const struct hy_cpu_entry before = hy_cpu_enter(&stop);
    struct hy_error err;
    enum hy_code code = tune_subgraph(tuning, prepared, &err);

    for (uint32_t i = 0; i < prepared->body_count && code == HY_OK; i++) {
        if (prepared->bodies[i])
            code = tune_subgraph(tuning, prepared->bodies[i], &err);
    }
    hy_cpu_leave(before);
    if (hy_is_cancelled(&tuning->is_cancelled))
        return;
    if (code == HY_OK && tuning->has_token)
        code = hy_cpu_cache_update(tuning->device, tuning->token, prepared, &err);
    if (code != HY_OK) {
        (void)hy_error_prefix(&err, code, "%s: tuning", tuning->device->name);
        host->log(host->context, HY_LOG_INFO, err.text);
    }
}

static void finish(struct hy_cpu_tuning *tuning)
{
    sem_destroy(&tuning->has_ended);
    hy_cpu_free(tuning);
}

static void run_task(void *argument)
{
    struct hy_cpu_tuning *tuning = argument;
    int stage = WAITING;

    if (!atomic_compare_exchange_strong(&tuning->stage, &stage, RUNNING)) {
        finish(tuning);
        return;
    }
    tune(tuning);
    sem_post(&tuning->has_ended);
}

/* ---- From outside ---------------------------------------------------------------------------- */

static bool has_blockings(const struct hy_cpu_prepared *prepared)
{
    bool has = prepared->declared && prepared->declared->blocking_count > 0;

    for (uint32_t i = 0; i < prepared->body_count; i++)
        has |= prepared->bodies[i] && has_blockings(prepared->bodies[i]);
    return has;
}

void hy_cpu_tuning_attach(const struct hy_cpu_device *device,
                          const struct hy_prepare_options *options,
                          struct hy_cpu_prepared *prepared)
{
    if (!device->is_tuning || !HY_HAS(device->host, later) || prepared->is_tuned ||
        !has_blockings(prepared))
        return;
    struct hy_cpu_tuning *tuning = hy_cpu_calloc(device->host, 1, sizeof *tuning);
    if (!tuning)
        return;
    if (sem_init(&tuning->has_ended, 0, 0) != 0) {
        hy_cpu_free(tuning);
        return;
    }
    tuning->device = device;
    tuning->prepared = prepared;
    tuning->has_token = hy_cpu_cache_can_update(device, options);
    if (tuning->has_token)
        memcpy(tuning->token, options->token, sizeof tuning->token);
    prepared->tuning = tuning;
}

static void ask(struct hy_cpu_tuning *tuning)
{
    const struct hy_host *host = tuning->device->host;
    int stage = NOT_ASKED;

    if (!atomic_compare_exchange_strong(&tuning->stage, &stage, WAITING))
        return; /* another context came first */
    if (host->later(host->context, run_task, tuning) != HY_STATUS_OK)
        atomic_store(&tuning->stage, REFUSED);
}

void hy_cpu_tuning_note_run(struct hy_cpu_tuning *tuning, struct hy_cpu_context *context)
{
    if (!tuning || context->runs >= HY_CPU_TUNING_RUNS || ++context->runs < HY_CPU_TUNING_RUNS)
        return;
    ask(tuning);
}

void hy_cpu_tuning_destroy(struct hy_cpu_tuning *tuning)
{
    int stage = WAITING;

    if (!tuning || atomic_compare_exchange_strong(&tuning->stage, &stage, ABANDONED))
        return;
    __atomic_store_n(&tuning->is_cancelled, 1, __ATOMIC_RELAXED);
    while (stage == RUNNING && sem_wait(&tuning->has_ended) != 0 && errno == EINTR)
        continue;
    finish(tuning);
}
