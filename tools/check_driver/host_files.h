#ifndef HY_TOOLS_CHECK_DRIVER_HOST_FILES_H
#define HY_TOOLS_CHECK_DRIVER_HOST_FILES_H

#include <halyard/driver.h>

/* cache_save, cache_restore and cache_release of struct hy_host. The host stores a full copy of the
 * bytes saved under a token, and restores files only if they hold exactly the saved bytes. */
int32_t hy_host_files_save(const struct hy_cache_files *files, const struct hy_bytes *model,
                           const struct hy_bytes *data);
int32_t hy_host_files_restore(const struct hy_cache_files *files, struct hy_restored *restored);
void hy_host_files_release(struct hy_restored *restored);

#endif
