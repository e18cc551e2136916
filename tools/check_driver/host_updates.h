#ifndef HY_TOOLS_CHECK_DRIVER_HOST_UPDATES_H
#define HY_TOOLS_CHECK_DRIVER_HOST_UPDATES_H

#include <halyard/driver.h>
#include <stdbool.h>

/* New cache entries between cache_begin and cache_commit, and committed entries: files without
 * names. A token has at most one update at a time. */
void hy_host_update_expect(uint32_t model_count, uint32_t data_count);
int32_t hy_host_update_begin(const uint8_t *token, int32_t *model, int32_t *data, void **update);
/* Ends an update, and sets `token` to the token of the update. */
void hy_host_update_end(void *update, bool keep, uint8_t *token);

/* Opens the files of the committed entry again. */
bool hy_host_update_open(const uint8_t *token, int32_t *model, int32_t *data);

#endif
