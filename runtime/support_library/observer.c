#include "runtime/support_library/observer.h"

#include "runtime/report/report.h"
#include "runtime/support_library/diagnostics.h"

static void compilation_finished(struct hy_compilation *compilation, enum hy_code code,
                                 uint64_t begun)
{
    if (code == HY_OK && hy_report_is_wanted()) {
        atomic_store_explicit(&compilation->measure_steps, true, memory_order_relaxed);
        hy_report_append(compilation, "finish");
    }
    if (begun != 0)
        hy_diagnostics_compilation_ended(compilation, code, begun);
}

static void compilation_freed(struct hy_compilation *compilation)
{
    if (compilation->plan)
        hy_report_append(compilation, "free");
    hy_diagnostic_details_destroy(
        atomic_load_explicit(&compilation->diagnostic_details, memory_order_acquire));
}

const struct hy_observer hy_app_observer = {
    .wanted = &hy_diagnostics_listened,
    .compilation_finished = compilation_finished,
    .compilation_freed = compilation_freed,
    .execution_ended = hy_diagnostics_execution_ended,
};
