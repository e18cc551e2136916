#ifndef HY_RUNTIME_CACHE_RECORDS_H
#define HY_RUNTIME_CACHE_RECORDS_H

#include "cache_store/records/records.h"

/*
 * Returns the records of drivers in the state directory. The first call opens the records; they
 * stay open for the life of the process. NULL: the records cannot be opened; the reason is in the
 * log, and the next call tries again. Any thread may call.
 */
struct hy_records *hy_process_records(void);

/* True: no records can be stored; `*why` has the reason. The result also holds for drivers in their
 * own processes, because their records lie in subdirectories of the same state directory. */
bool hy_process_records_are_missing(struct hy_error *why);

#endif
