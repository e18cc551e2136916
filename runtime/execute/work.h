#ifndef HY_RUNTIME_WORK_H
#define HY_RUNTIME_WORK_H

#include <stdint.h>

/*
 * Counting what has been done. A run that went as planned, each step on its device without an
 * error, is noted once, where nobody else writes; what that comes to is worked out when somebody
 * asks. All else is counted where it happens. Thread-safe.
 */
struct hy_compilation;
struct hy_execution;
struct hy_runtime_device;

/* A compilation among those that are asked: from when it has a plan until that goes. Its devices
 * keep what it has done. */
struct hy_work_entry {
    struct hy_compilation *next;
    struct hy_compilation **at; /* what points to this one */
};
void hy_work_enlist(struct hy_compilation *compilation);
void hy_work_delist(struct hy_compilation *compilation);

/* The execution, which is still running, has run as planned; it has ended otherwise. */
void hy_work_count_run(struct hy_execution *execution);
void hy_work_count_other(struct hy_compilation *compilation);

/* A step that ended without an error, in an execution that does not run as planned. */
void hy_work_count_step(const struct hy_runtime_device *device, uint32_t operation_count);

/* Executions of a compilation that have ended so far. */
uint64_t hy_work_executions(const struct hy_compilation *compilation);

/* Steps that a device has ended without an error so far, and the operations in them. */
struct hy_work_sum {
    uint64_t steps;
    uint64_t operations;
};
struct hy_work_sum hy_work_of_device(const struct hy_runtime_device *device);

#endif
