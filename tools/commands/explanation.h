#ifndef HY_TOOLS_COMMANDS_EXPLANATION_H
#define HY_TOOLS_COMMANDS_EXPLANATION_H

#include <halyard/halyard.h>

#include "tools/session.h"

struct hy_refusal {
    uint32_t operation;
    const char *device;
    const char *reason;
};

/* The plan of a compiled session that has run, in one piece. Strings belong to its compilation. */
struct hy_explanation {
    const struct hy_session *session;
    struct halyard_plan plan;
    struct halyard_plan_operation *operations;
    struct halyard_plan_step *steps;
    uint32_t refusal_count;
    struct hy_refusal *refusals;
};

/* Runs a compiled session a few times on noise, so that its steps have times to report. */
void hy_explanation_measure(struct hy_session *session);

/* Takes a zeroed struct; hy_explanation_finish it in any case. */
HY_MUST_CHECK enum hy_code hy_explanation_make(const struct hy_session *session,
                                               const struct hy_device_choice *devices,
                                               struct hy_explanation *out, struct hy_error *err);
void hy_explanation_finish(struct hy_explanation *explanation);

/* To stdout. */
void hy_explanation_print(const struct hy_explanation *explanation);

/* What the library says of the session's compilation, as HALYARD_REPORT_*; the caller frees it. */
HY_MUST_CHECK enum hy_code hy_explanation_report(const struct hy_session *session, int32_t format,
                                                 char **text, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_explanation_print_json(const struct hy_session *session,
                                                     struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_explanation_print_dot(const struct hy_session *session,
                                                    struct hy_error *err);

#endif
