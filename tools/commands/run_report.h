#ifndef HY_TOOLS_COMMANDS_RUN_REPORT_H
#define HY_TOOLS_COMMANDS_RUN_REPORT_H

#include "tools/commands/ranking.h"

/* The output of `halyard run` for the network's outputs. */
struct hy_run_report {
    const struct hy_session *session;
    bool has_ranking;
    struct hy_ranking ranking;
};

#define HY_RUN_REPORT_VALUES 8 /* printed values of an output, from the first on */

/* Prints the ranking if available, else two lines per output, to stdout. */
HY_MUST_CHECK enum hy_code hy_run_report_print(const struct hy_run_report *report,
                                               struct hy_error *err);

/* {"outputs": [...], "labels": [...]}; "labels" only with a ranking. */
HY_MUST_CHECK enum hy_code hy_run_report_print_json(const struct hy_run_report *report,
                                                    struct hy_error *err);

#endif
