#ifndef HY_TESTS_UNIT_CACHE_STORE_RECORDS_COPY_H
#define HY_TESTS_UNIT_CACHE_STORE_RECORDS_COPY_H

#include <stdint.h>

/*
 * A library with its own copy of the records code; a process can load several copies. Each function
 * returns the number of failed calls. The store function opens and closes the records for every
 * call. The find function reads all records.
 */
int hy_records_copy_store(const char *dir, uint32_t first, uint32_t end);
int hy_records_copy_find(const char *dir, uint32_t first, uint32_t end);

typedef int (*hy_records_copy_fn)(const char *dir, uint32_t first, uint32_t end);

#endif
