#ifndef HY_RUNTIME_DRIVERS_CRASH_EVIDENCE_H
#define HY_RUNTIME_DRIVERS_CRASH_EVIDENCE_H

#include "common/error.h"
#include "runtime/drivers/crash_folder.h"

/*
 * What the records of processes that are over prove. One whose process somebody saw end, or hang,
 * counts against that build of the driver. One of a process that nobody saw end counts if there is
 * another such record of the build within a day.
 */

/* Error: FAILED, why that build has to be left out. */
HY_MUST_CHECK enum hy_code hy_crash_evidence_check(const struct hy_crash_file_list *list,
                                                   const struct hy_driver_build *build,
                                                   struct hy_error *err);

/* Whether a record proves nothing any more, whatever comes: its library is another now, or has been
 * missing for a day; it stayed alone for a day; it is of no call; two newer ones prove as much. */
bool hy_crash_evidence_is_over(const struct hy_crash_file_list *list, uint32_t index);

#endif
