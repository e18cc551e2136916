#ifndef HY_DRIVERD_FILE_RULES_H
#define HY_DRIVERD_FILE_RULES_H

#include "common/error.h"

#include <stdint.h>

/*
 * Which files this process may open, through Landlock. Rules hold for all its threads; further
 * rules only take away. Facts about files (stat) stay visible.
 */

/* The version of Landlock that the kernel has; 0: none. */
unsigned hy_file_rules_version(void);

struct hy_file_rules {
    const char *library;             /* may be read, and its folder; NULL: none */
    const char *state_folder;        /* where files are written; NULL: nowhere */
    const char *const *device_files; /* devices: read, written and commanded; else read */
    uint32_t device_file_count;
};

/*
 * Lets through the rules given, and always the folders of libraries and public data of the system,
 * /sys, what /proc says of this process and the machine, and /dev/null and its like. Also cuts off
 * TCP, sockets by abstract names, and signals to other processes where the version has these. A
 * file that does not exist is passed over. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_file_rules_apply(const struct hy_file_rules *rules,
                                               struct hy_error *err);

#endif
