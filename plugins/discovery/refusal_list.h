#ifndef HY_PLUGINS_DISCOVERY_REFUSAL_LIST_H
#define HY_PLUGINS_DISCOVERY_REFUSAL_LIST_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/plugins.h"

/* A growing list of refused manifests with reasons. Every added refusal is logged. */
struct hy_refusal_list {
    const struct hy_host *host; /* for its log */
    struct hy_plugin_refusal *items;
    uint32_t count;
};

/*
 * Adds a refusal and logs it at `level` (HY_LOG_*). Both strings are copied and sanitized
 * (hy_text_clean), because their source is untrusted.
 */
HY_MUST_CHECK enum hy_code hy_refusal_list_add(struct hy_refusal_list *list, int32_t level,
                                               const char *manifest, const char *reason,
                                               struct hy_error *err);

/*
 * Converts the failure of one driver: OUT_OF_MEMORY, and EXHAUSTED of descriptors, are returned as
 * errors. Any other failure becomes a refusal with the text of `failure`, and the result is HY_OK.
 */
HY_MUST_CHECK enum hy_code hy_refusal_list_absorb(struct hy_refusal_list *list,
                                                  const char *manifest,
                                                  const struct hy_error *failure,
                                                  struct hy_error *err);

/* Logs "path: text" with a printf-style text; for events that deserve a log line but no refusal. */
void hy_plugins_log(const struct hy_host *host, int32_t level, const char *path, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

void hy_refusal_list_finish(struct hy_refusal_list *list);

#endif
