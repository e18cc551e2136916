#ifndef HY_RUNTIME_WORK_H
#define HY_RUNTIME_WORK_H

#include <stdint.h>

/*
 * Counts executions, steps and operations. A run as planned, each step on its device without an
 * error, adds one to a counter of its slot, without contention; sums are computed on request. All
 * other runs are counted step by step. Thread-safe.
 */
struct hy_compilation;
struct hy_execution;
struct hy_runtime_device;

/* A list entry of a compilation, from the creation of its plan until its end. The devices keep the
 * counts after the end. */
struct hy_work_entry {
    struct hy_compilation *next;
    struct hy_compilation **at; /* the pointer to this entry */
};
void hy_work_list_add(struct hy_compilation *compilation);
void hy_work_list_remove(struct hy_compilation *compilation);

/* Counts a running execution that has run as planned; counts an execution that has ended in another
 * way. */
void hy_work_count_run(struct hy_execution *execution);
void hy_work_count_other(struct hy_compilation *compilation);

/* Counts a successful step of an execution outside its plan. */
void hy_work_count_step(const struct hy_runtime_device *device, uint32_t operation_count);

/* Number of ended executions of a compilation. */
uint64_t hy_work_executions(const struct hy_compilation *compilation);

/* Number of successful steps of a device, and their operations. */
struct hy_work_sum {
    uint64_t steps;
    uint64_t operations;
};
struct hy_work_sum hy_work_of_device(const struct hy_runtime_device *device);

#endif
