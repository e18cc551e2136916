#ifndef HY_TOOLS_COMMANDS_INSPECTION_H
#define HY_TOOLS_COMMANDS_INSPECTION_H

#include <halyard/session.h>

#include "common/error.h"

/* What a network file holds, for one of its signatures; nothing is compiled. Strings belong to the
 * network. */
struct hy_inspection {
    const struct halyard_network *network;
    const char *path;
    uint32_t signature;
    uint32_t operator_count;
    struct halyard_network_operator *operators;
    uint64_t parameter_count, parameter_bytes;
    struct halyard_network_memory memory;
    uint32_t obstacle_count; /* operators without an NNAPI form */
    bool can_run;            /* there is an NNAPI model; else: */
    struct hy_error other;   /* what stops a network all of whose operators have a form */
};

/* Takes a zeroed struct; hy_inspection_finish it in any case. `network` outlives the inspection. */
HY_MUST_CHECK enum hy_code hy_inspection_make(struct halyard_network *network, uint32_t signature,
                                              const char *path, struct hy_inspection *out,
                                              struct hy_error *err);
void hy_inspection_finish(struct hy_inspection *inspection);

/* To stdout, in 80 columns where names allow it; `all_operators`: a list of each. */
void hy_inspection_print(const struct hy_inspection *inspection, bool all_operators);
HY_MUST_CHECK enum hy_code hy_inspection_print_json(const struct hy_inspection *inspection,
                                                    struct hy_error *err);

#endif
