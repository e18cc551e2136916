#ifndef HY_TOOLS_CHECK_DRIVER_HOST_CACHE_H
#define HY_TOOLS_CHECK_DRIVER_HOST_CACHE_H

#include <halyard/driver.h>
#include <stdbool.h>

/*
 * The cache functions of a host, in memory of this process. The host is as strict as possible:
 * saved bytes are compared individually. The cache is lost with the process.
 */

/* Adds digest_*, blob_*, cache_* and later to a host's table. */
void hy_host_cache_add(struct hy_host *host);

/* Returns after all tasks of `later` have run: a host waits before destroying an instance. */
void hy_host_cache_end_tasks(void);

/* Sets the number of files of each kind that cache_begin opens: the numbers of the device. */
void hy_host_cache_expect(uint32_t model_count, uint32_t data_count);

/* Opens the files of a token's last committed entry: false without an entry. The numbers of files
 * are the expected numbers. */
bool hy_host_cache_open(const uint8_t *token, int32_t *model, int32_t *data);

/* Starts counting, from zero, the writes of drivers for the token. */
void hy_host_cache_watch(const uint8_t *token);

struct hy_host_cache_counts {
    uint32_t written;   /* calls that write for the watched token or announce a write */
    uint32_t committed; /* committed entries of the watched token */
    uint32_t locks;     /* held locks, of any token */
    uint32_t handles;   /* unreleased handles of cache_restore */
};
struct hy_host_cache_counts hy_host_cache_counts(void);

#endif
