#ifndef HY_CPU_FALLBACK_CACHE_DECODE_H
#define HY_CPU_FALLBACK_CACHE_DECODE_H

#include "cpu_fallback/cache/byte_buffer.h"
#include "cpu_fallback/cache/format.h"
#include "cpu_fallback/cache/read.h"

/* The pools of a restored model: the data cache, and a pool without access rights for constants
 * that exist only packed. */
enum { HY_CPU_RESTORED_DATA, HY_CPU_RESTORED_UNMAPPED };

/* A model cache with a valid header, being read. */
struct hy_cpu_decoder {
    struct hy_cpu_restored_model *restored_model;
    struct hy_cpu_cursor cursor; /* over the records */
    const struct hy_cpu_cache_header *header;
    const uint8_t *values;
    const uint8_t *data;
};

/* Reads the operands and operations behind the record of a subgraph into its view and image.
 * Errors: see hy_cpu_cache_read. */
HY_MUST_CHECK enum hy_code hy_cpu_decode_subgraph(struct hy_cpu_decoder *decoder,
                                                  const struct hy_cpu_cache_subgraph *record,
                                                  struct hy_subgraph *view,
                                                  struct hy_cpu_compiled_view *compiled_view,
                                                  struct hy_error *err);

/* Reads the measured blocking into the images of the subgraphs, which must have been read. Errors:
 * see hy_cpu_cache_read. */
HY_MUST_CHECK enum hy_code hy_cpu_decode_tuning(struct hy_cpu_decoder *decoder, uint64_t l2_bytes,
                                                struct hy_error *err);

/* Allocates `count` zeroed elements in the memory of `recall`. NULL: out of memory. */
void *hy_cpu_restored_model_alloc(struct hy_cpu_restored_model *restored_model, uint64_t count,
                                  size_t size);

/* Set an error message and return HY_BAD_DATA or HY_OUT_OF_MEMORY. */
enum hy_code hy_cpu_decode_damaged(struct hy_error *err, const char *what);
enum hy_code hy_cpu_decode_no_memory(struct hy_error *err);

#endif
