#ifndef HY_RUNTIME_CACHE_RECORDS_H
#define HY_RUNTIME_CACHE_RECORDS_H

#include "cache_store/records/records.h"

/*
 * What drivers have this process remember, in the state folder: opened at the first use, once, and
 * kept. NULL where that cannot be; the log has said why, and the next call tries again. From any
 * thread.
 */
struct hy_records *hy_process_records(void);

/* Whether nothing can be recorded, and why: also for drivers in processes of their own, whose
 * records lie in folders below the same state folder. */
bool hy_process_records_are_missing(struct hy_error *why);

#endif
