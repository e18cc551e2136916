#ifndef HY_CPU_FALLBACK_CACHE_WRITE_H
#define HY_CPU_FALLBACK_CACHE_WRITE_H

#include "cpu_fallback/cache/byte_buffer.h"
#include "cpu_fallback/cpu_memory.h"
#include "cpu_fallback/cpu_prepared.h"

/* The contents of the cache files of a prepared model, in memory. All zero bytes is empty. */
struct hy_cpu_cache_files {
    struct hy_cpu_byte_buffer model;
    struct hy_cpu_block data;
    uint64_t data_length;
};

/*
 * Serializes a prepared model into both files; each constant is copied once. With `is_tuned`, the
 * blocking of the newest plans is included. Executions may run meanwhile. `identity` is shorter
 * than the field of the header. The caller finishes `files` even after an error. Errors:
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_cache_write(const struct hy_cpu_prepared *prepared,
                                              const char *identity, bool is_tuned,
                                              struct hy_cpu_cache_files *files,
                                              struct hy_error *err);

void hy_cpu_cache_files_finish(struct hy_cpu_cache_files *files);

#endif
