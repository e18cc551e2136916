#ifndef HY_TOOLS_COMMANDS_STREAMS_H
#define HY_TOOLS_COMMANDS_STREAMS_H

#include "tools/samples.h"
#include "tools/session.h"
#include "tools/stats.h"

/* Several concurrent sessions of a model, each on a separate thread. */
struct hy_streams_plan {
    const char *model;
    const struct hy_session_settings *settings;
    const struct hy_option_list *inputs;
    uint32_t count; /* number of sessions */
    uint32_t warmup;
    struct hy_measured_length length; /* length of each session */
};

struct hy_streams_times {
    uint32_t runs; /* runs of all sessions; 0: interrupted before the first run */
    uint64_t wall_ns;
    struct hy_stats run;
};

HY_MUST_CHECK enum hy_code hy_streams_measure(const struct hy_streams_plan *plan,
                                              struct hy_streams_times *ret, struct hy_error *err);

#endif
