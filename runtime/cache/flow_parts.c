#include "runtime/cache/flow_parts.h"

#include "runtime/cache/file_bytes.h"
#include "runtime/cache/records.h"
#include "runtime/cache/use.h"
#include "runtime/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

void hy_flow_explain(struct hy_cache_flow *flow, const char *format, ...)
{
    char *reason = flow->outcome->reason;
    size_t used = strlen(reason);
    va_list args;

    if (used > 0)
        used += (size_t)snprintf(reason + used, HY_CACHE_REASON_SIZE - used, "; ");
    if (used >= HY_CACHE_REASON_SIZE)
        return;
    va_start(args, format);
    vsnprintf(reason + used, HY_CACHE_REASON_SIZE - used, format, args);
    va_end(args);
}

bool hy_flow_has_app_files(const struct hy_cache_flow *flow)
{
    return flow->caching->files != NULL;
}

struct hy_file_counts hy_flow_counts(const struct hy_cache_flow *flow)
{
    return (struct hy_file_counts){.model = flow->info->model_cache_files,
                                   .data = flow->info->data_cache_files};
}

uint32_t hy_flow_file_count(const struct hy_cache_flow *flow)
{
    const struct hy_file_counts counts = hy_flow_counts(flow);
    return counts.model + counts.data;
}

/* Once in a process: whoever asked for a cache and has none is told why. */
static void warn_of_missing_records(const struct hy_cache_flow *flow)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    const char *folder = flow->caching->folder;
    struct hy_error why;

    if (flow->outcome->kind != HY_CACHE_NOT_STORED || !hy_process_records_are_missing(&why) ||
        atomic_flag_test_and_set(&is_told))
        return;
    hy_log(HY_LOG_WARNING, "cache", "nothing is kept in %s: %s",
           folder ? folder : "the cache files of the app", why.text);
}

void hy_flow_tell(const struct hy_cache_flow *flow)
{
    static const char *const words[] = {"off", "not used", "hit", "miss, kept", "miss, not kept"};
    const struct hy_cache_outcome *outcome = flow->outcome;
    const int32_t level = flow->is_damaged ? HY_LOG_WARNING : HY_LOG_INFO;

    if (hy_log_enabled(level, "cache"))
        hy_log(level, "cache", "%s: %s: %s; %llu bytes, %llu us to find, %llu us to keep",
               flow->info->name, words[outcome->kind], outcome->reason,
               (unsigned long long)outcome->bytes, (unsigned long long)outcome->find_ns / 1000,
               (unsigned long long)outcome->keep_ns / 1000);
    warn_of_missing_records(flow);
}

void hy_flow_clear_files(struct hy_prepare_options *options)
{
    options->model_cache = options->data_cache = NULL;
    options->model_cache_count = options->data_cache_count = 0;
    options->token = NULL;
}

void hy_flow_set_files(const struct hy_cache_flow *flow, struct hy_prepare_options *options)
{
    const struct hy_file_counts counts = hy_flow_counts(flow);

    options->model_cache = flow->files;
    options->data_cache = flow->files + counts.model;
    options->model_cache_count = counts.model;
    options->data_cache_count = counts.data;
    options->token = flow->outcome->use->token;
}

uint64_t hy_flow_measure(const struct hy_cache_flow *flow)
{
    return hy_file_bytes(flow->files, hy_flow_file_count(flow));
}
