#ifndef HY_CACHE_STORE_RECORDS_RECORDS_TABLES_H
#define HY_CACHE_STORE_RECORDS_RECORDS_TABLES_H

#include "cache_store/records/records_sql.h"

/* Configures the connection, creates the tables in an empty file, and otherwise checks the existing
 * tables. Errors: FAILED (see is_damaged), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_sql_make_tables(struct hy_sql_file *file, struct hy_error *err);

#endif
