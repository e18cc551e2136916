#ifndef HY_TOOLS_COMMANDS_MEASUREMENT_H
#define HY_TOOLS_COMMANDS_MEASUREMENT_H

#include <halyard/halyard.h>

#include "tools/commands/compile_times.h"
#include "tools/commands/streams.h"
#include "tools/model_digest.h"
#include "tools/peer_process.h"
#include "tools/session.h"
#include "tools/stats.h"

/* The options of `halyard bench`. */
struct hy_measurement_plan {
    const char *model;
    const struct hy_session_settings *settings;
    const struct hy_option_list *inputs;
    uint32_t compilations;
    const char *cache_dir; /* directory of cache entries, which stay there */
    uint32_t warmup;
    struct hy_measured_length length;
    /* concurrent sessions, in an additional measurement; 1: no additional measurement */
    uint32_t streams;
    struct hy_peer_process *peer; /* process to compare with, or NULL */
};

struct hy_step_time {
    const ANeuralNetworksDevice *device;
    uint32_t operation_count;
    uint64_t mean_ns; /* mean time of a run; 0: not measured */
    uint64_t median_ns;
    uint64_t fallback_runs; /* runs of the step on another device */
};

struct hy_measurement {
    struct hy_measurement_plan plan;
    bool has_digest;
    struct hy_model_digest digest;
    int64_t date; /* seconds since 1970 */
    struct hy_compile_times compile;
    uint32_t run_count; /* number of measured runs */
    bool is_interrupted;
    struct hy_stats run;
    struct hy_stats peer; /* times of the other process, if one exists */
    struct hy_streams_times streams;
    uint64_t copied_bytes; /* tensor bytes that the runtime copied, mean of all runs */
    uint64_t peak_bytes;   /* peak memory of this process so far */
    uint32_t step_count;
    struct hy_step_time *steps;
};

/*
 * Compiles and runs, with the session's inputs. Measuring each step costs time; steps are measured
 * in a separate pass. An interrupt ends the measurement, and the results so far stay valid. Fills a
 * zeroed struct; the caller must call hy_measurement_finish also after a failure.
 */
HY_MUST_CHECK enum hy_code hy_measurement_make(struct hy_session *session,
                                               const struct hy_measurement_plan *plan,
                                               struct hy_measurement *out, struct hy_error *err);
void hy_measurement_finish(struct hy_measurement *measurement);

/* The relative excess of an inference over an inference of the other process: 0.03 is 3 %. */
double hy_measurement_excess(const struct hy_measurement *measurement);

/* Inferences per second of all streams. */
double hy_measurement_throughput(const struct hy_measurement *measurement);

/* Runs of steps on another device than planned. */
uint64_t hy_measurement_fallback_runs(const struct hy_measurement *measurement);

/* Each function prints to stdout. CSV: a line, or with NULL the names of the columns. JSON: an
 * object, or an array of several. */
void hy_measurement_print(const struct hy_measurement *measurement);
void hy_measurement_print_csv(const struct hy_measurement *measurement);
HY_MUST_CHECK enum hy_code hy_measurements_print_json(const struct hy_measurement *measurements,
                                                      uint32_t count, struct hy_error *err);

#endif
