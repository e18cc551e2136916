#ifndef HY_TOOLS_COMMANDS_DEVICE_LIST_H
#define HY_TOOLS_COMMANDS_DEVICE_LIST_H

#include <halyard/halyard.h>

#include "common/error.h"

/* The output of `halyard devices`. Strings belong to the library or are static. */
struct hy_listed_device {
    const ANeuralNetworksDevice *handle;
    struct halyard_device_info info;
    const char *type; /* "cpu", "gpu", "accelerator", "other", "unknown" */
    const char *kind; /* "built-in", "in-process", "service" */
    unsigned level;   /* 1..8 */
};

struct hy_device_list {
    uint32_t device_count;
    uint32_t dir_count;
    uint32_t refused_count;
    struct hy_listed_device *devices;
    struct halyard_driver_dir *dirs;
    struct halyard_refused_driver *refused;
};

/* The name of a kind of memory, HY_POOL_* of driver.h; NULL for an unknown number. */
const char *hy_pool_kind_name(uint32_t kind);

/* Fills a zeroed struct; the caller must call hy_device_list_finish also after a failure. */
HY_MUST_CHECK enum hy_code hy_device_list_make(struct hy_device_list *list, struct hy_error *err);
void hy_device_list_finish(struct hy_device_list *list);

/* One JSON object to stdout: {"devices": [...], "folders": [...], "refused": [...]}. */
HY_MUST_CHECK enum hy_code hy_device_list_print_json(const struct hy_device_list *list,
                                                     struct hy_error *err);

#endif
