#ifndef HY_CACHE_STORE_RECORDS_RECORDS_OWNER_H
#define HY_CACHE_STORE_RECORDS_RECORDS_OWNER_H

#include "cache_store/records/records.h"
#include "cache_store/records/records_sql.h"

#define HY_MARK_SIZE 16u

/* Limit of builds with records per owner; a new build replaces the least recently used build. */
#define HY_MOST_BUILDS 16

/* Database rows of an owner: the row ids of user and driver, and of the build. */
struct hy_owner_rows {
    int64_t owner;
    int64_t build;  /* 0: no records of the build */
    bool is_newest; /* the build was used last */
};

/* Finds the rows without changing the file. Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_owner_find(struct hy_sql_file *file,
                                         const struct hy_records_owner *owner,
                                         struct hy_owner_rows *ret, struct hy_error *err);

/* Finds or adds the rows and notes the use. Call inside a write transaction. Errors: FAILED,
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_owner_find_or_add(struct hy_sql_file *file,
                                                const struct hy_records_owner *owner,
                                                struct hy_owner_rows *ret, struct hy_error *err);

/* Notes the use of the build, if the build has records and is not yet the newest build. */
HY_MUST_CHECK enum hy_code
hy_owner_note_use(struct hy_sql_file *file, const struct hy_owner_rows *rows, struct hy_error *err);

/* A counter per owner, to avoid counting all rows. */
struct hy_owner_count {
    enum hy_sql add;     /* parameters: owner and number; result: new count */
    enum hy_sql recount; /* parameter: owner; result: exact count */
};

extern const struct hy_owner_count hy_owner_digests; /* number of digests */
extern const struct hy_owner_count hy_owner_bytes;   /* bytes charged for blobs */

/* Adds to a counter and returns the new count. Never negative, even in a damaged file. */
HY_MUST_CHECK enum hy_code hy_owner_count(struct hy_sql_file *file,
                                          const struct hy_owner_count *count, int64_t owner,
                                          int64_t added, int64_t *ret, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_owner_recount(struct hy_sql_file *file,
                                            const struct hy_owner_count *count, int64_t owner,
                                            int64_t *ret, struct hy_error *err);

/*
 * Computes the checksum of a record: XXH3-128 over the lengths and the XXH3-128 of user, driver,
 * build, key and value. The checksum detects damaged records that the database reads without an
 * error.
 */
void hy_owner_mark(const struct hy_records_owner *owner, struct hy_bytes key, struct hy_bytes value,
                   uint8_t mark[HY_MARK_SIZE]);

#endif
