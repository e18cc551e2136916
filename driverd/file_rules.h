#ifndef HY_DRIVERD_FILE_RULES_H
#define HY_DRIVERD_FILE_RULES_H

#include "common/error.h"

#include <stdint.h>

/*
 * Landlock rules for this process: a list of files that may be opened. Rules apply to all threads
 * of the process. A second rule set can only remove access. File metadata (stat) stays readable.
 */

/* The Landlock version of the kernel. 0: the kernel has no Landlock. */
unsigned hy_file_rules_version(void);

struct hy_file_rules {
    const char *library;   /* readable, with its directory; NULL: none */
    const char *state_dir; /* files may be written below it; NULL: nowhere */
    const char *const
        *device_files; /* devices get read, write and ioctl access; other files read access */
    uint32_t device_file_count;
};

/*
 * Allows the given rules. Always allows system library directories, public system data, /sys, the
 * entries of /proc about this process and the machine, and /dev/null and similar devices. Also
 * blocks TCP, abstract Unix sockets and signals to other processes, as far as the Landlock version
 * can. Files that do not exist are skipped. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_file_rules_apply(const struct hy_file_rules *rules,
                                               struct hy_error *err);

#endif
