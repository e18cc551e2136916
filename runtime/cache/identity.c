#include "runtime/cache/identity.h"

#include "cache_store/token.h"
#include "runtime/profile/cpu_identity.h"
#include "runtime/threads/worker_pool.h"

#include <stdlib.h>

enum hy_code hy_cache_identify(const struct hy_caching *caching,
                               const struct hy_cache_subject *subject, uint8_t token[HY_TOKEN_SIZE],
                               struct hy_error *err)
{
    const struct hy_device_info *info = &subject->device->info;
    struct hy_extension_prefix *prefixes = NULL;
    uint32_t prefix_count = 0;

    enum hy_code code =
        hy_attributes_list_prefixes(subject->attributes, info, &prefixes, &prefix_count, err);
    if (code != HY_OK)
        return code;
    const struct hy_token_info token_info = {
        .app_token = caching && caching->is_wanted ? caching->token : NULL,
        .device_name = info->name,
        .device_version = info->version,
        .build_id = info->build_id ? info->build_id : "",
        .cpu_features =
            caching && caching->cpu_features ? caching->cpu_features : hy_cpu_features(),
        .abi = subject->device->abi,
        .preference = subject->preference,
        .priority = subject->priority,
        .hints = subject->attributes->hints,
        .hint_count = subject->attributes->count,
        .prefixes = prefixes,
        .prefix_count = prefix_count,
        .model = subject->model,
        .parallel_for = hy_worker_pool_parallel_for,
    };
    code = hy_token_make(&token_info, token, err);
    free(prefixes);
    return code;
}
