#ifndef HY_CACHE_STORE_RECORDS_RECORDS_TABLES_H
#define HY_CACHE_STORE_RECORDS_RECORDS_TABLES_H

#include "cache_store/records/records_sql.h"

/* Sets up the connection, makes the tables in an empty file, and checks that those of another one
 * are just these. Errors: FAILED (is_damaged tells more), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_sql_make_tables(struct hy_sql_file *file, struct hy_error *err);

#endif
