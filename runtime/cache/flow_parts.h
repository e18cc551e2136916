#ifndef HY_RUNTIME_CACHE_FLOW_PARTS_H
#define HY_RUNTIME_CACHE_FLOW_PARTS_H

/* What both halves of the way through the cache use: flow.c up to restoring, flow_keep.c after. */
#include "cache_store/entry.h"
#include "runtime/cache/flow.h"

/* Adds to the reason: "there is no entry; not kept: the disk is full". */
void hy_flow_explain(struct hy_cache_flow *flow, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Logs the outcome, which is final. */
void hy_flow_tell(const struct hy_cache_flow *flow);

bool hy_flow_has_app_files(const struct hy_cache_flow *flow);
struct hy_file_counts hy_flow_counts(const struct hy_cache_flow *flow);
uint32_t hy_flow_file_count(const struct hy_cache_flow *flow); /* of both kinds */

/* The descriptors in flow->files go into the options, or none. */
void hy_flow_set_files(const struct hy_cache_flow *flow, struct hy_prepare_options *options);
void hy_flow_clear_files(struct hy_prepare_options *options);

/* Bytes of those files; 0 also where they cannot be told. */
uint64_t hy_flow_measure(const struct hy_cache_flow *flow);

#endif
