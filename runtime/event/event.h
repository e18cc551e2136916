#ifndef HY_RUNTIME_EVENT_H
#define HY_RUNTIME_EVENT_H

#include "runtime/execute/execution.h"

/*
 * An event for the end of an asynchronous execution or for a sync fence of the app. An event keeps
 * its execution alive. Events may depend on other events.
 *
 * A child of fork() has copies of its parent's events. In the child, events of executions that were
 * still running count as failed: the execution continues only in the parent. The child may wait for
 * events of fences, but no event of the child can depend on a copied event.
 */
struct hy_event;

/*
 * Starts an execution on another thread, or runs the execution on this thread if inline execution
 * is faster (inline_policy.h). Errors: those of hy_execution_begin; FAILED (an input memory has no
 * contents): the execution has then completed with an error; OUT_OF_MEMORY: the execution is then
 * unchanged. hy_event_wait returns the result of the run itself.
 */
HY_MUST_CHECK enum hy_code hy_event_start(struct hy_execution *execution, struct hy_event **ret,
                                          struct hy_error *err);

/*
 * Starts an execution after all dependencies have ended. If a dependency fails, before or after
 * this call, the execution fails with FAILED without running. `duration` (ns, 0 = none) starts at
 * the end of the last dependency; the timeout of the execution starts now. The caller may destroy
 * the dependencies after this call. The execution stays COMPUTING until a thread waits for the
 * event or destroys the event. Errors: those of hy_event_start; BAD_DATA (a duration without
 * exactly one explicit device, an output of unknown shape) and FAILED (a dependency has failed
 * already). After BAD_DATA or FAILED the execution has completed with an error.
 */
HY_MUST_CHECK enum hy_code hy_event_start_fenced(struct hy_execution *execution,
                                                 struct hy_event *const *dependencies,
                                                 uint32_t dependency_count, uint64_t duration,
                                                 struct hy_event **ret, struct hy_error *err);

/* Creates an event for a fence of the app. `fd` is duplicated. BAD_DATA: `fd` is not open. */
HY_MUST_CHECK enum hy_code hy_event_from_fence(int fd, struct hy_event **ret, struct hy_error *err);

/* Returns a new sync fence for the event; the caller owns the descriptor. BAD_DATA: the event is
 * neither a fence nor started with hy_event_start_fenced, or was made before fork(). */
HY_MUST_CHECK enum hy_code hy_event_get_fence(struct hy_event *event, int *fd,
                                              struct hy_error *err);

/* Blocks until the event has ended and returns its code and error text. Any number of threads may
 * call. */
HY_MUST_CHECK enum hy_code hy_event_wait(struct hy_event *event, struct hy_error *err);

/* Waits for the end of an execution first. NULL is allowed. */
void hy_event_destroy(struct hy_event *event);

#endif
