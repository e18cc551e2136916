#ifndef HY_RUNTIME_DRIVERS_CRASH_EVIDENCE_H
#define HY_RUNTIME_DRIVERS_CRASH_EVIDENCE_H

#include "common/error.h"
#include "runtime/drivers/crash_dir.h"

/*
 * Evaluates the crash records of ended processes. A record with an observed crash or hang counts
 * against that build of the driver. A record without an observed end counts only with a second such
 * record of the build within a day.
 */

/* Errors: FAILED with the reason why the driver build must be skipped. */
HY_MUST_CHECK enum hy_code hy_crash_evidence_check(const struct hy_crash_file_list *list,
                                                   const struct hy_driver_build *build,
                                                   struct hy_error *err);

/* True: the record can never count. Its library has changed or was missing for a day, no second
 * record came within a day, the record has no call, or two newer records suffice. */
bool hy_crash_evidence_is_over(const struct hy_crash_file_list *list, uint32_t index);

#endif
