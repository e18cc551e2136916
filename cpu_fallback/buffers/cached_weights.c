#include "cpu_fallback/buffers/cached_weights.h"

#include <stdbool.h>
#include <string.h>

static bool matches_request(const struct hy_cpu_cached_weights *cached_weights,
                            const struct hy_cpu_cached_weights_request *request)
{
    return cached_weights->kernel == request->kernel && cached_weights->writes == request->writes &&
           cached_weights->operation == request->operation &&
           cached_weights->layout == hy_conv_layout(request->kernel, request->params) &&
           cached_weights->groups == request->params->groups &&
           cached_weights->filter_h == request->params->filter_h &&
           cached_weights->filter_w == request->params->filter_w &&
           cached_weights->length == request->kernel->packed_bytes(request->params) &&
           cached_weights->bias_length == request->bias_length &&
           (request->bias_length == 0 ||
            memcmp(cached_weights->bias.bytes, request->bias, request->bias_length) == 0);
}

static bool enter(struct hy_cpu_cached_weights *cached_weights)
{
    int readers = atomic_load_explicit(&cached_weights->readers, memory_order_relaxed);

    while (readers >= 0) {
        if (atomic_compare_exchange_weak_explicit(&cached_weights->readers, &readers, readers + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    }
    return false;
}

/* Packs a private copy of the bias, since other threads may change the original meanwhile. */
static bool pack(struct hy_cpu_cached_weights *cached_weights,
                 const struct hy_cpu_cached_weights_request *request)
{
    const size_t length = request->kernel->packed_bytes(request->params);

    cached_weights->kernel = NULL;
    if (!hy_cpu_block_reserve(request->host, &cached_weights->packed, length) ||
        !hy_cpu_block_reserve(request->host, &cached_weights->bias, request->bias_length))
        return false;
    if (request->bias_length > 0)
        memcpy(cached_weights->bias.bytes, request->bias, request->bias_length);
    request->kernel->pack(request->params, request->filter,
                          request->bias ? cached_weights->bias.bytes : NULL,
                          cached_weights->packed.bytes);
    cached_weights->kernel = request->kernel;
    cached_weights->writes = request->writes;
    cached_weights->operation = request->operation;
    cached_weights->layout = hy_conv_layout(request->kernel, request->params);
    cached_weights->groups = request->params->groups;
    cached_weights->filter_h = request->params->filter_h;
    cached_weights->filter_w = request->params->filter_w;
    cached_weights->length = length;
    cached_weights->bias_length = request->bias_length;
    return true;
}

const void *hy_cpu_cached_weights_acquire(struct hy_cpu_cached_weights *cached_weights,
                                          const struct hy_cpu_cached_weights_request *request)
{
    int no_readers = 0;

    if (!enter(cached_weights))
        return NULL;
    if (matches_request(cached_weights, request))
        return cached_weights->packed.bytes;
    hy_cpu_cached_weights_release(cached_weights);
    if (!atomic_compare_exchange_strong_explicit(&cached_weights->readers, &no_readers, -1,
                                                 memory_order_acquire, memory_order_relaxed))
        return NULL;
    const bool is_packed = pack(cached_weights, request);
    atomic_store_explicit(&cached_weights->readers, is_packed, memory_order_release);
    return is_packed ? cached_weights->packed.bytes : NULL;
}

void hy_cpu_cached_weights_release(struct hy_cpu_cached_weights *cached_weights)
{
    atomic_fetch_sub_explicit(&cached_weights->readers, 1, memory_order_release);
}

void hy_cpu_cached_weights_finish(struct hy_cpu_cached_weights *cached_weights)
{
    hy_cpu_block_finish(&cached_weights->packed);
    hy_cpu_block_finish(&cached_weights->bias);
}
