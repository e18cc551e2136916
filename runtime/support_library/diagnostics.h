#ifndef HY_RUNTIME_SUPPORT_LIBRARY_DIAGNOSTICS_H
#define HY_RUNTIME_SUPPORT_LIBRARY_DIAGNOSTICS_H

#include "common/error.h"
#include "runtime/support_library/diagnostic_details.h"

#include <stdatomic.h>

/*
 * Diagnostics for the user of a support library: callbacks at the end of compilations and
 * executions. Without callbacks an execution costs one relaxed load at its begin. Thread-safe.
 */

struct hy_execution;

/* The structs behind the opaque types of the table, on the stack of the calling thread. */
struct ANeuralNetworksDiagnosticCompilationInfo {
    const struct hy_diagnostic_details *details;
    enum hy_code code;
    uint64_t total_ns;
};

struct ANeuralNetworksDiagnosticExecutionInfo {
    const struct hy_diagnostic_details *details;
    int32_t mode; /* enum hy_run_mode */
    enum hy_code code;
    uint64_t in_runtime; /* ns; HY_NO_TIME if unknown */
    uint64_t in_driver;
    uint64_t on_device;
};

/* HY_OBSERVES_* of observer.h: the events with a callback. */
extern atomic_uint hy_diagnostics_listened;

/* Calls back on the current thread for a finished or failed compilation. `begun`: result of
 * hy_observer_begin, not 0. */
void hy_diagnostics_compilation_ended(struct hy_compilation *compilation, enum hy_code code,
                                      uint64_t begun);

/* Calls back for an execution, which still counts as running. */
void hy_diagnostics_execution_ended(const struct hy_execution *execution, enum hy_code code);

/* Replaces the callbacks; NULL: no callback. Does not wait for running callbacks. */
void hy_diagnostics_listen(ANeuralNetworksDiagnosticCompilationFinishedCallback to_compilations,
                           ANeuralNetworksDiagnosticExecutionFinishedCallback to_executions,
                           void *context);

/* A random number, constant for the life of the process; a child of fork() gets a new number. */
int32_t hy_diagnostics_session(void);

#endif
