#ifndef HY_TOOLS_COMMANDS_EXPLANATION_H
#define HY_TOOLS_COMMANDS_EXPLANATION_H

#include <halyard/halyard.h>

#include "tools/session.h"

struct hy_refusal {
    uint32_t operation;
    const char *device;
    const char *reason;
};

/* The plan of a compiled session after a run. Strings belong to the session's compilation. */
struct hy_explanation {
    const struct hy_session *session;
    struct halyard_plan plan;
    struct halyard_plan_operation *operations;
    struct halyard_plan_step *steps;
    uint32_t refusal_count;
    struct hy_refusal *refusals;
};

/* Runs a compiled session a few times on noise, to measure the times of its steps. */
void hy_explanation_measure(struct hy_session *session);

/* Fills a zeroed struct; the caller must call hy_explanation_finish also after a failure. */
HY_MUST_CHECK enum hy_code hy_explanation_make(const struct hy_session *session,
                                               const struct hy_device_selection *devices,
                                               struct hy_explanation *out, struct hy_error *err);
void hy_explanation_finish(struct hy_explanation *explanation);

/* Prints to stdout. */
void hy_explanation_print(const struct hy_explanation *explanation);

/* The library's report on the session's compilation, as HALYARD_REPORT_*; the caller frees it. */
HY_MUST_CHECK enum hy_code hy_explanation_report(const struct hy_session *session, int32_t format,
                                                 char **text, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_explanation_print_json(const struct hy_session *session,
                                                     struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_explanation_print_dot(const struct hy_session *session,
                                                    struct hy_error *err);

#endif
