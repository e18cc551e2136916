#ifndef HY_RUNTIME_SUPPORT_LIBRARY_DIAGNOSTICS_H
#define HY_RUNTIME_SUPPORT_LIBRARY_DIAGNOSTICS_H

#include "common/error.h"
#include "runtime/support_library/facts.h"

#include <stdatomic.h>

/*
 * Telling the user of a support library how compilations and executions ended. Without listeners an
 * execution costs one relaxed load, when it begins. Thread-safe.
 */

struct hy_execution;

/* What the opaque types of the table are: on the stack of the thread that calls back. */
struct ANeuralNetworksDiagnosticCompilationInfo {
    const struct hy_diagnostic_facts *facts;
    enum hy_code code;
    uint64_t total_ns;
};

struct ANeuralNetworksDiagnosticExecutionInfo {
    const struct hy_diagnostic_facts *facts;
    int32_t mode; /* enum hy_run_mode */
    enum hy_code code;
    uint64_t in_runtime; /* ns; HY_NO_TIME where it is not known */
    uint64_t in_driver;
    uint64_t on_device;
};

/* HY_OBSERVES_*, of observer.h: what the listeners there are listen to. */
extern atomic_uint hy_diagnostics_listened;

/* Calls back from this thread for a compilation that is finished or has failed. `begun`: what
 * hy_observer_begin gave, not 0. */
void hy_diagnostics_compilation_ended(struct hy_compilation *compilation, enum hy_code code,
                                      uint64_t begun);

/* The same for an execution, which still counts as running. */
void hy_diagnostics_execution_ended(const struct hy_execution *execution, enum hy_code code);

/* Replaces the listeners there are; NULL: none. A callback that is running is not waited for. */
void hy_diagnostics_listen(ANeuralNetworksDiagnosticCompilationFinishedCallback to_compilations,
                           ANeuralNetworksDiagnosticExecutionFinishedCallback to_executions,
                           void *context);

/* Drawn at random once in the life of the process; a child of fork() draws its own. */
int32_t hy_diagnostics_session(void);

#endif
