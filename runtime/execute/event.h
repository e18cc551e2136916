#ifndef HY_RUNTIME_EVENT_H
#define HY_RUNTIME_EVENT_H

#include "runtime/execute/execution.h"

/* The end of an asynchronous execution. It keeps the execution alive. */
struct hy_event;

/*
 * Starts an execution on another thread. Errors: those of hy_execution_begin; OUT_OF_MEMORY, and
 * then the execution has not been touched. What the run itself gives comes from hy_event_wait.
 */
HY_MUST_CHECK enum hy_code hy_event_start(struct hy_execution *execution, struct hy_event **ret,
                                          struct hy_error *err);

/* Blocks until the execution has ended; gives its code and words. For any number of threads. */
HY_MUST_CHECK enum hy_code hy_event_wait(struct hy_event *event, struct hy_error *err);

/* Waits for the end first. Takes NULL. */
void hy_event_destroy(struct hy_event *event);

#endif
