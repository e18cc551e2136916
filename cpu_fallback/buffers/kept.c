#include "cpu_fallback/buffers/kept.h"

#include <stdbool.h>
#include <string.h>

static bool is_wished(const struct hy_cpu_kept *kept, const struct hy_cpu_kept_wish *wish)
{
    return kept->kernel == wish->kernel && kept->writes == wish->writes &&
           kept->operation == wish->operation &&
           kept->layout == hy_conv_layout(wish->kernel, wish->params) &&
           kept->groups == wish->params->groups && kept->filter_h == wish->params->filter_h &&
           kept->filter_w == wish->params->filter_w &&
           kept->length == wish->kernel->packed_bytes(wish->params) &&
           kept->bias_length == wish->bias_length &&
           (wish->bias_length == 0 || memcmp(kept->bias.bytes, wish->bias, wish->bias_length) == 0);
}

static bool enter(struct hy_cpu_kept *kept)
{
    int readers = atomic_load_explicit(&kept->readers, memory_order_relaxed);

    while (readers >= 0) {
        if (atomic_compare_exchange_weak_explicit(&kept->readers, &readers, readers + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    }
    return false;
}

/* Packs a private copy of the bias, since other threads may change the original meanwhile. */
static bool pack(struct hy_cpu_kept *kept, const struct hy_cpu_kept_wish *wish)
{
    const size_t length = wish->kernel->packed_bytes(wish->params);

    kept->kernel = NULL;
    if (!hy_cpu_block_reserve(wish->host, &kept->packed, length) ||
        !hy_cpu_block_reserve(wish->host, &kept->bias, wish->bias_length))
        return false;
    if (wish->bias_length > 0)
        memcpy(kept->bias.bytes, wish->bias, wish->bias_length);
    wish->kernel->pack(wish->params, wish->filter, wish->bias ? kept->bias.bytes : NULL,
                       kept->packed.bytes);
    kept->kernel = wish->kernel;
    kept->writes = wish->writes;
    kept->operation = wish->operation;
    kept->layout = hy_conv_layout(wish->kernel, wish->params);
    kept->groups = wish->params->groups;
    kept->filter_h = wish->params->filter_h;
    kept->filter_w = wish->params->filter_w;
    kept->length = length;
    kept->bias_length = wish->bias_length;
    return true;
}

const void *hy_cpu_kept_take(struct hy_cpu_kept *kept, const struct hy_cpu_kept_wish *wish)
{
    int nobody = 0;

    if (!enter(kept))
        return NULL;
    if (is_wished(kept, wish))
        return kept->packed.bytes;
    hy_cpu_kept_release(kept);
    if (!atomic_compare_exchange_strong_explicit(&kept->readers, &nobody, -1, memory_order_acquire,
                                                 memory_order_relaxed))
        return NULL;
    const bool is_packed = pack(kept, wish);
    atomic_store_explicit(&kept->readers, is_packed, memory_order_release);
    return is_packed ? kept->packed.bytes : NULL;
}

void hy_cpu_kept_release(struct hy_cpu_kept *kept)
{
    atomic_fetch_sub_explicit(&kept->readers, 1, memory_order_release);
}

void hy_cpu_kept_finish(struct hy_cpu_kept *kept)
{
    hy_cpu_block_finish(&kept->packed);
    hy_cpu_block_finish(&kept->bias);
}
