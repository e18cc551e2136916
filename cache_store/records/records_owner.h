#ifndef HY_CACHE_STORE_RECORDS_RECORDS_OWNER_H
#define HY_CACHE_STORE_RECORDS_RECORDS_OWNER_H

#include "cache_store/records/records.h"
#include "cache_store/records/records_sql.h"

#define HY_MARK_SIZE 16u

/* Builds that an owner has records for; one more takes the place of the least recently used one. */
#define HY_MOST_BUILDS 16

/* Where an owner's records stand: ids of the rows of user and driver, and of the build. */
struct hy_owner_rows {
    int64_t owner;
    int64_t build;  /* 0: there are no records of that build */
    bool is_newest; /* no build of the owner has been used later */
};

/* Looks, and changes nothing. Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_owner_find(struct hy_sql_file *file,
                                         const struct hy_records_owner *owner,
                                         struct hy_owner_rows *ret, struct hy_error *err);

/* Adds the rows that are missing, and notes the use. Within a transaction that writes. Errors:
 * FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_owner_find_or_add(struct hy_sql_file *file,
                                                const struct hy_records_owner *owner,
                                                struct hy_owner_rows *ret, struct hy_error *err);

/* Makes the build the newest one, where it has records and is not that already. */
HY_MUST_CHECK enum hy_code
hy_owner_note_use(struct hy_sql_file *file, const struct hy_owner_rows *rows, struct hy_error *err);

/* What an owner has, counted so that nobody needs to look at all of it. */
struct hy_owner_count {
    enum hy_sql add;     /* of owner and number: gives the new count */
    enum hy_sql recount; /* of owner: gives what there really is */
};

extern const struct hy_owner_count hy_owner_digests; /* digests */
extern const struct hy_owner_count hy_owner_bytes;   /* bytes that blobs are charged for */

/* Adds to it and tells what it is then. Never negative, also in a damaged file. */
HY_MUST_CHECK enum hy_code hy_owner_count(struct hy_sql_file *file,
                                          const struct hy_owner_count *count, int64_t owner,
                                          int64_t added, int64_t *ret, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_owner_recount(struct hy_sql_file *file,
                                            const struct hy_owner_count *count, int64_t owner,
                                            int64_t *ret, struct hy_error *err);

/*
 * What a record bears to show that it is whole and belongs here: XXH3-128 over the lengths and the
 * XXH3-128 of user, driver, build, key and value. A damaged file that the store reads without
 * noticing may give any bytes, but not with their mark.
 */
void hy_owner_mark(const struct hy_records_owner *owner, struct hy_bytes key, struct hy_bytes value,
                   uint8_t mark[HY_MARK_SIZE]);

#endif
