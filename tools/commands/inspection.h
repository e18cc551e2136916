#ifndef HY_TOOLS_COMMANDS_INSPECTION_H
#define HY_TOOLS_COMMANDS_INSPECTION_H

#include <halyard/session.h>

#include "common/error.h"

/* The contents of a network file for a single signature; nothing is compiled. Strings belong to the
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
    bool can_run;            /* an NNAPI model exists; else `other` has the reason: */
    /* the error of a network without obstacles */

    struct hy_error other;
};

/* Fills a zeroed struct; the caller must call hy_inspection_finish also after a failure. `network`
 * outlives the inspection. */
HY_MUST_CHECK enum hy_code hy_inspection_make(struct halyard_network *network, uint32_t signature,
                                              const char *path, struct hy_inspection *out,
                                              struct hy_error *err);
void hy_inspection_finish(struct hy_inspection *inspection);

/* Prints to stdout, in 80 columns if names allow; `all_operators` adds a list of all operators. */
void hy_inspection_print(const struct hy_inspection *inspection, bool all_operators);
HY_MUST_CHECK enum hy_code hy_inspection_print_json(const struct hy_inspection *inspection,
                                                    struct hy_error *err);

#endif
