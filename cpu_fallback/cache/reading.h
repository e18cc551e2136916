#ifndef HY_CPU_FALLBACK_CACHE_READING_H
#define HY_CPU_FALLBACK_CACHE_READING_H

#include "cpu_fallback/cache/buffer.h"
#include "cpu_fallback/cache/format.h"
#include "cpu_fallback/cache/read.h"

/* The pools of a recalled model: the data cache, and one that may not be mapped, for constants that
 * exist only packed. */
enum { HY_CPU_RECALL_DATA, HY_CPU_RECALL_NOWHERE };

/* A model cache being read, whose header has been checked. */
struct hy_cpu_reading {
    struct hy_cpu_recall *recall;
    struct hy_cpu_cursor cursor; /* over the records */
    const struct hy_cpu_cache_header *header;
    const uint8_t *values;
    const uint8_t *data;
};

/* Reads what follows the record of a subgraph into its view and its image. Errors: as
 * hy_cpu_cache_read. */
HY_MUST_CHECK enum hy_code
hy_cpu_reading_subgraph(struct hy_cpu_reading *reading, const struct hy_cpu_cache_subgraph *record,
                        struct hy_subgraph *view, struct hy_cpu_image *image, struct hy_error *err);

/* Reads how work is cut, into the images of subgraphs that have been read. Errors: as
 * hy_cpu_cache_read. */
HY_MUST_CHECK enum hy_code hy_cpu_reading_tuned(struct hy_cpu_reading *reading, uint64_t l2_bytes,
                                                struct hy_error *err);

/* `count` elements of zero bytes. NULL: out of memory. */
void *hy_cpu_recall_make(struct hy_cpu_recall *recall, uint64_t count, size_t size);

/* HY_BAD_DATA and HY_OUT_OF_MEMORY, with words. */
enum hy_code hy_cpu_reading_damaged(struct hy_error *err, const char *what);
enum hy_code hy_cpu_reading_no_memory(struct hy_error *err);

#endif
