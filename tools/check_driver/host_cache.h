#ifndef HY_TOOLS_CHECK_DRIVER_HOST_CACHE_H
#define HY_TOOLS_CHECK_DRIVER_HOST_CACHE_H

#include <halyard/driver.h>
#include <stdbool.h>

/*
 * The part of a host that has to do with caching, in memory of this process: as strict as a host
 * can be (what was saved is compared byte by byte), and gone with the process.
 */

/* Adds digest_*, blob_*, cache_* and later to a host's table. */
void hy_host_cache_add(struct hy_host *host);

/* Returns when all tasks of `later` have run: a host does that before it destroys an instance. */
void hy_host_cache_end_tasks(void);

/* How many files of each kind cache_begin opens: those of the device. */
void hy_host_cache_expect(uint32_t model_count, uint32_t data_count);

/* Opens the files of the entry that a driver has committed last for a token: false where there is
 * none. Counts as expected. */
bool hy_host_cache_open(const uint8_t *token, int32_t *model, int32_t *data);

/* From now on, what drivers write for this token is counted, from nothing. */
void hy_host_cache_watch(const uint8_t *token);

struct hy_host_cache_facts {
    uint32_t written;   /* calls that write for the watched token, or announce it */
    uint32_t committed; /* its entries */
    uint32_t locks;     /* that are held, for any token */
    uint32_t handles;   /* of cache_restore that are not released */
};
struct hy_host_cache_facts hy_host_cache_facts(void);

#endif
