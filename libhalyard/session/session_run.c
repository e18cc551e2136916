/* halyard/session.h: runs, on the calling thread or on one of Halyard, and their cancellation. */
#include "libhalyard/session/session.h"

#include <unistd.h>

/* The most retries with larger buffers; each retry at least increases the capacity. */
#define MOST_GROWTHS 24u

/* ---- One run --------------------------------------------------------------------------------- */

static int compute_fenced(ANeuralNetworksExecution *execution)
{
    ANeuralNetworksEvent *event = NULL;

    int result =
        ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return result;
}

static int compute(const struct halyard_session *session)
{
    if (session->burst)
        return ANeuralNetworksExecution_burstCompute(session->execution, session->burst);
    /* With fences NNAPI supports only outputs of known extents. */
    if (session->options.fenced && !session->has_open_outputs)
        return compute_fenced(session->execution);
    return ANeuralNetworksExecution_compute(session->execution);
}

/* From here on a cancellation reaches the execution. False: it has come before. */
static bool enter(struct halyard_session *session)
{
    pthread_mutex_lock(&session->lock);
    const bool is_wanted = !session->is_cancelled;
    if (is_wanted)
        session->running = session->execution;
    pthread_mutex_unlock(&session->lock);
    return is_wanted;
}

/* A cancellation after the end of its run does not affect later runs. */
static void leave(struct halyard_session *session)
{
    pthread_mutex_lock(&session->lock);
    session->running = NULL;
    const bool is_cancelled = session->is_cancelled;
    pthread_mutex_unlock(&session->lock);
    if (is_cancelled)
        (void)halyard_execution_cancel(session->execution, false);
}

static enum hy_code run_once(struct halyard_session *session, struct hy_error *err)
{
    enum hy_code code = hy_session_make_execution(session, err);
    if (code == HY_OK)
        code = hy_io_binding_before_run(session->binding, err);
    if (code != HY_OK)
        return code;
    if (!enter(session))
        return hy_fail(err, HY_BAD_STATE, "cancelled before the run");
    code = hy_nnapi_result(compute(session), err);
    leave(session);
    return code;
}

/* With open outputs: repeats the run with larger buffers until the capacity suffices. */
static enum hy_code run_growing_outputs(struct halyard_session *session, struct hy_error *err)
{
    enum hy_code code = run_once(session, err);

    for (uint32_t i = 0; i < MOST_GROWTHS && code == HY_INSUFFICIENT_SIZE; i++) {
        code = hy_session_grow_outputs(session, err);
        if (code != HY_OK)
            return code;
        hy_session_drop_execution(session);
        code = run_once(session, err);
    }
    return code;
}

static enum hy_code run(struct halyard_session *session, struct hy_error *err)
{
    enum hy_code code = hy_session_compile(session, err);
    if (code == HY_OK)
        code =
            session->has_open_outputs ? run_growing_outputs(session, err) : run_once(session, err);
    if (code != HY_OK)
        return code;
    hy_io_binding_after_run(session->binding);
    return hy_session_read_extents(session, err);
}

/* ---- The current run ------------------------------------------------------------------------- */

/* A child of fork() has no thread that would end the run of its parent. */
static bool is_of_parent(const struct halyard_session *session)
{
    return session->starter != 0 && session->starter != getpid();
}

/* In the child: the execution counts as running for ever, and stays. */
static void drop_run_of_parent(struct halyard_session *session)
{
    pthread_mutex_init(&session->lock, NULL);
    pthread_cond_init(&session->ended, NULL);
    session->execution = NULL;
    session->burst = NULL;
    session->running = NULL;
    session->starter = 0;
    session->state = HY_SESSION_IDLE;
}

/* The state of an idle session changes in the hands of its one thread alone. */
static enum hy_code begin(struct halyard_session *session, struct hy_error *err)
{
    pthread_mutex_lock(&session->lock);
    const bool is_idle = session->state == HY_SESSION_IDLE;
    if (is_idle) {
        session->state = HY_SESSION_RUNNING;
        session->is_cancelled = false;
    }
    pthread_mutex_unlock(&session->lock);
    return is_idle ? HY_OK : hy_fail(err, HY_BAD_STATE, "a run of the session is in progress");
}

static void end(struct halyard_session *session, enum hy_session_run_state state)
{
    pthread_mutex_lock(&session->lock);
    session->state = state;
    pthread_cond_broadcast(&session->ended);
    pthread_mutex_unlock(&session->lock);
}

int halyard_session_run(struct halyard_session *session)
{
    static const char name[] = "session_run";
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    enum hy_code code = begin(session, &err);
    if (code != HY_OK)
        return hy_public_result(code, &err);
    code = run(session, &err);
    end(session, HY_SESSION_IDLE);
    return hy_public_result(code, &err);
}

int halyard_session_cancel(struct halyard_session *session)
{
    if (!session)
        return hy_public_null("session_cancel", "session");
    pthread_mutex_lock(&session->lock);
    if (session->state == HY_SESSION_RUNNING) {
        session->is_cancelled = true;
        if (session->running)
            (void)halyard_execution_cancel(session->running, true);
    }
    pthread_mutex_unlock(&session->lock);
    return ANEURALNETWORKS_NO_ERROR;
}

/* ---- Asynchronous runs ----------------------------------------------------------------------- */

/* The session may be gone as soon as the run has ended. */
static void run_on_worker(struct halyard_task *task)
{
    struct halyard_session *session =
        (struct halyard_session *)((char *)task - offsetof(struct halyard_session, task));

    session->result = (int)run(session, &session->error);
    if (session->done)
        session->done(session->done_context, session->result);
    end(session, HY_SESSION_ENDED);
}

static enum hy_code start(struct halyard_session *session, struct hy_error *err)
{
    enum hy_code code = begin(session, err);
    if (code != HY_OK)
        return code;
    session->starter = getpid();
    session->task = (struct halyard_task){.struct_size = sizeof session->task,
                                          .priority = session->options.priority,
                                          .run = run_on_worker};
    code = hy_nnapi_result(halyard_task_start(&session->task), err);
    if (code != HY_OK) {
        session->starter = 0;
        end(session, HY_SESSION_IDLE);
    }
    return code;
}

int halyard_session_start(struct halyard_session *session, void (*done)(void *context, int result),
                          void *context)
{
    static const char name[] = "session_start";
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    enum hy_code code = hy_session_check_idle(session, &err);
    if (code == HY_OK) {
        session->done = done;
        session->done_context = context;
        code = start(session, &err);
    }
    return hy_public_result(code, &err);
}

/* The session is idle afterwards. */
static int await(struct halyard_session *session)
{
    pthread_mutex_lock(&session->lock);
    while (session->state == HY_SESSION_RUNNING)
        pthread_cond_wait(&session->ended, &session->lock);
    session->state = HY_SESSION_IDLE;
    session->starter = 0;
    pthread_mutex_unlock(&session->lock);
    return session->result;
}

int halyard_session_wait(struct halyard_session *session)
{
    struct hy_error err;

    if (!session)
        return hy_public_null("session_wait", "session");
    if (session->starter == 0)
        return hy_public_result(hy_fail(&err, HY_BAD_STATE, "no run of the session was started"),
                                &err);
    if (is_of_parent(session)) {
        drop_run_of_parent(session);
        return hy_public_result(hy_fail(&err, HY_FAILED, "the run belongs to the parent process"),
                                &err);
    }
    const int result = await(session);
    return hy_public_result((enum hy_code)result, &session->error);
}

void hy_session_end_run(struct halyard_session *session)
{
    if (session->starter == 0)
        return;
    if (is_of_parent(session)) {
        drop_run_of_parent(session);
        return;
    }
    (void)halyard_session_cancel(session);
    (void)await(session);
}
