#ifndef HY_CPU_FALLBACK_CACHE_WRITE_H
#define HY_CPU_FALLBACK_CACHE_WRITE_H

#include "cpu_fallback/cache/buffer.h"
#include "cpu_fallback/memory.h"
#include "cpu_fallback/prepared.h"

/* What the cache files of a prepared model say, in memory. All zero bytes is empty. */
struct hy_cpu_cache_files {
    struct hy_cpu_buffer model;
    struct hy_cpu_block data;
    uint64_t data_length;
};

/*
 * Writes down a prepared model, as it was made: both files whole, each constant copied once. With
 * `is_tuned` also how the newest plans cut their work. It may be executed meanwhile. `identity` as
 * in the header, shorter than there is room. Errors: HY_OUT_OF_MEMORY; `files` is to be finished in
 * any case.
 */
HY_MUST_CHECK enum hy_code hy_cpu_cache_write(const struct hy_cpu_prepared *prepared,
                                              const char *identity, bool is_tuned,
                                              struct hy_cpu_cache_files *files,
                                              struct hy_error *err);

void hy_cpu_cache_files_finish(struct hy_cpu_cache_files *files);

#endif
