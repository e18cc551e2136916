#ifndef HY_RUNTIME_DRIVERS_CRASH_GUARD_H
#define HY_RUNTIME_DRIVERS_CRASH_GUARD_H

#include "common/error.h"
#include "plugins/opening_guard.h"
#include "runtime/drivers/crash_record.h"

#include <stdatomic.h>

/*
 * Leaves out each driver whose opening has ended a process. While this process opens drivers, a
 * record of the current driver lies in the state folder (crash_folder.h). Later processes read the
 * record and decide whether the driver stays out (crash_evidence.h). Without a state folder, or
 * with a folder that cannot be written, a process knows the deaths that the process itself has
 * seen.
 *
 * Called with the lock of the list of devices held.
 */

/* The guard of one round of openings; hy_crash_guard_end ends it. */
const struct hy_opening_guard *hy_crash_guard_begin(void);
void hy_crash_guard_end(void);

/* What another process may see of the openings of this one, in memory that both have. */
struct hy_crash_board {
    atomic_uint call_count;
    atomic_uint is_finished; /* of its owner */
    struct hy_crash_record record;
};

/* In a process that is watched: openings show on the board from now on. */
void hy_crash_guard_show_on(struct hy_crash_board *board);

/*
 * What this process has seen become of another, which has ended: the driver is left out here. A
 * fault is kept for other processes; in all other cases the record of that process goes. Error:
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_crash_guard_condemn(const struct hy_crash_record *record,
                                                  struct hy_error *err);

/* Forgets what counts, or may come to count, against a driver. Errors: BAD_DATA (nothing does),
 * FAILED (a record cannot be removed), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_crash_guard_forget(const char *driver, struct hy_error *err);

#endif
