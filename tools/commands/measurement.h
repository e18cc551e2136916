#ifndef HY_TOOLS_COMMANDS_MEASUREMENT_H
#define HY_TOOLS_COMMANDS_MEASUREMENT_H

#include <halyard/halyard.h>

#include "tools/commands/compile_times.h"
#include "tools/commands/streams.h"
#include "tools/model_digest.h"
#include "tools/session.h"
#include "tools/stats.h"
#include "tools/twin.h"

/* What `halyard bench` measures. */
struct hy_measurement_plan {
    const char *model;
    const struct hy_session_settings *settings;
    const struct hy_option_list *inputs;
    uint32_t compilations;
    const char *cache_folder; /* for entries, which stay there */
    uint32_t warmup;
    struct hy_measured_length length;
    uint32_t streams;     /* sessions that run at once, measured besides; 1: none besides */
    struct hy_twin *twin; /* to compare with, or NULL */
};

struct hy_step_time {
    const ANeuralNetworksDevice *device;
    uint32_t operation_count;
    uint64_t mean_ns; /* of a run; 0: it was not measured */
    uint64_t median_ns;
    uint64_t fallback_runs; /* that another device has done */
};

struct hy_measurement {
    struct hy_measurement_plan plan;
    bool has_digest;
    struct hy_model_digest digest;
    int64_t date; /* seconds since 1970 */
    struct hy_compile_times compile;
    uint32_t run_count; /* that were measured */
    bool is_interrupted;
    struct hy_stats run;
    struct hy_stats twin; /* with one */
    struct hy_streams_times streams;
    uint64_t copied_bytes; /* of tensors, by the runtime, in the mean of all runs */
    uint64_t peak_bytes;   /* of memory of this process until now */
    uint32_t step_count;
    struct hy_step_time *steps;
};

/*
 * Compiles and runs, with the inputs that the session has. The clock per step costs time, so steps
 * are measured in a pass of their own. Who interrupts gets what was measured until then. Takes a
 * zeroed struct; hy_measurement_finish it in any case.
 */
HY_MUST_CHECK enum hy_code hy_measurement_make(struct hy_session *session,
                                               const struct hy_measurement_plan *plan,
                                               struct hy_measurement *out, struct hy_error *err);
void hy_measurement_finish(struct hy_measurement *measurement);

/* By how much an inference takes longer than that of the twin: 0.03 is 3 %. */
double hy_measurement_excess(const struct hy_measurement *measurement);

/* Inferences per second of all streams. */
double hy_measurement_throughput(const struct hy_measurement *measurement);

/* Runs of steps that another device has done than planned. */
uint64_t hy_measurement_fallback_runs(const struct hy_measurement *measurement);

/* To stdout. As CSV: one line, or with NULL the names of the columns. As JSON: an object, or an
 * array of several. */
void hy_measurement_print(const struct hy_measurement *measurement);
void hy_measurement_print_csv(const struct hy_measurement *measurement);
HY_MUST_CHECK enum hy_code hy_measurements_print_json(const struct hy_measurement *measurements,
                                                      uint32_t count, struct hy_error *err);

#endif
