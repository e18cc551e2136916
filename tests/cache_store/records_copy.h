#ifndef HY_TESTS_CACHE_STORE_RECORDS_COPY_H
#define HY_TESTS_CACHE_STORE_RECORDS_COPY_H

#include <stdint.h>

/*
 * A library with the records in it, of which a process may hold several copies. Both give the
 * number of calls that failed: store opens and closes all the time, find looks at all of them.
 */
int hy_records_copy_store(const char *folder, uint32_t first, uint32_t end);
int hy_records_copy_find(const char *folder, uint32_t first, uint32_t end);

typedef int (*hy_records_copy_fn)(const char *folder, uint32_t first, uint32_t end);

#endif
