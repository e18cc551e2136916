#ifndef HY_RUNTIME_DRIVERS_CRASH_GUARD_H
#define HY_RUNTIME_DRIVERS_CRASH_GUARD_H

#include "common/error.h"
#include "plugins/opening_guard.h"
#include "runtime/drivers/crash_record.h"

#include <stdatomic.h>

/*
 * Skips each driver whose opening has crashed a process. While a process opens drivers, a record of
 * the current driver lies in the state directory (crash_dir.h). Later processes read the record
 * and decide whether to skip the driver (crash_evidence.h). Without a writable state directory, a
 * process knows only the crashes observed by the process itself.
 *
 * Call with the lock of the device list held.
 */

/* Begins the guard of a round of openings; hy_crash_guard_end ends the round. */
const struct hy_opening_guard *hy_crash_guard_begin(void);
void hy_crash_guard_end(void);

/* Shared memory with the progress of a process that opens drivers, for an observing process. */
struct hy_crash_page {
    atomic_uint call_count;
    atomic_uint is_finished; /* the owner has finished */
    struct hy_crash_record record;
};

/* Call in an observed process: openings update the page from here on. */
void hy_crash_guard_show_on(struct hy_crash_page *page);

/*
 * Notes the crash record of an ended process, after the caller has observed the end. The calling
 * process skips the driver from here on. A fault is saved for other processes; otherwise the record
 * file of the ended process is removed. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_crash_guard_condemn(const struct hy_crash_record *record,
                                                  struct hy_error *err);

/* Removes all records that count, or may count later, against a driver. Errors: BAD_DATA (no such
 * record), FAILED (a record cannot be removed), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_crash_guard_clear(const char *driver, struct hy_error *err);

#endif
