#ifndef HY_RUNTIME_EVENT_H
#define HY_RUNTIME_EVENT_H

#include "runtime/execute/execution.h"

/*
 * Something that will be over: an asynchronous execution, which the event keeps alive, or a sync
 * fence of the app's. Events may depend on each other.
 *
 * A child of fork() has copies of its parent's events. Those of executions that were not over then
 * are failed ones in the child: the execution goes on in the parent alone. Those of fences can be
 * waited for, but nothing of the child's can depend on them.
 */
struct hy_event;

/*
 * Starts an execution on another thread, or runs it at once where that is sooner over (pace.h).
 * Errors: those of hy_execution_begin; FAILED (an input lies in memory that holds nothing), and
 * then the execution has completed with an error; OUT_OF_MEMORY, and then it has not been touched.
 * What the run itself gives comes from hy_event_wait.
 */
HY_MUST_CHECK enum hy_code hy_event_start(struct hy_execution *execution, struct hy_event **ret,
                                          struct hy_error *err);

/*
 * The same, once all dependencies are over; one that fails, now or later, fails the execution with
 * FAILED without running it. `duration` (ns, 0 = none) counts from that moment, the timeout of the
 * execution from now. Dependencies may be destroyed as soon as this returns. The execution stays
 * COMPUTING until somebody waits for the event or destroys it, whenever the work ends.
 * Errors: those of hy_event_start; BAD_DATA (a duration without a single explicit device, an output
 * whose shape is not known) and FAILED (a dependency that has failed already), and then the
 * execution has completed with an error.
 */
HY_MUST_CHECK enum hy_code hy_event_start_fenced(struct hy_execution *execution,
                                                 struct hy_event *const *dependencies,
                                                 uint32_t dependency_count, uint64_t duration,
                                                 struct hy_event **ret, struct hy_error *err);

/* An event for a fence of the app's; the fd is duplicated. BAD_DATA: it is not open. */
HY_MUST_CHECK enum hy_code hy_event_from_fence(int fd, struct hy_event **ret, struct hy_error *err);

/* A new fd, the caller's, that is a sync fence for the event. BAD_DATA: it was not started with
 * dependencies, and is no fence itself. */
HY_MUST_CHECK enum hy_code hy_event_get_fence(struct hy_event *event, int *fd,
                                              struct hy_error *err);

/* Blocks until it is over; gives its code and words. For any number of threads. */
HY_MUST_CHECK enum hy_code hy_event_wait(struct hy_event *event, struct hy_error *err);

/* Waits for the end of an execution first. Takes NULL. */
void hy_event_destroy(struct hy_event *event);

#endif
