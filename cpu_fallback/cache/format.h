#ifndef HY_CPU_FALLBACK_CACHE_FORMAT_H
#define HY_CPU_FALLBACK_CACHE_FORMAT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The two cache files of a prepared model of the CPU driver. Byte order and layout are those of the
 * machine, which is part of every cache token.
 *
 * The model cache holds everything that controls execution:
 *
 *     header
 *     per subgraph, the main subgraph first, then the bodies in use:
 *         record of the subgraph
 *         the subgraph (common/model/subgraph_codec.h); the pool in the location of an operand
 *             is its HY_CPU_PLACE_*, and a packed operand has no channel scales
 *         record of each operation
 *     the small values
 *     the measured blocking, if any: its record, then a record of each operation with a choice
 *
 * Lists have 32-bit elements. Every record and list starts at a multiple of HY_CPU_CACHE_ALIGN. The
 * small values are the constants that determine shapes, parameters or addresses, and all other
 * small constants.
 *
 * The data cache holds the data of kernels: large constants, folded values and packed weights, each
 * at a multiple of HY_KERNEL_ALIGNMENT, with zeros in the gaps. Only the model cache has the offset
 * and length of a piece. A constant that all readers pack is stored only as packed weights, which
 * include its scales.
 */
#define HY_CPU_CACHE_MAGIC   0x43435948u
#define HY_CPU_CACHE_VERSION 5u /* version of this layout */
#define HY_CPU_TUNED_VERSION 2u /* version of the blocking */
#define HY_CPU_CACHE_ALIGN   8u

#define HY_CPU_CACHE_MAIN UINT32_MAX /* index of the main subgraph */

/* Where the value of an operand is stored: the pool of its location. A temporary with a stored
 * value was folded. */
#define HY_CPU_STORED_NONE   0u /* no value, or never read */
#define HY_CPU_STORED_VALUES 1u /* [offset, offset + length) in the small values */
#define HY_CPU_STORED_DATA   2u /* [offset, offset + length) in the data cache */
/* In the packed weights of its readers; the length is that of its type. */
#define HY_CPU_STORED_PACKED 3u
#define HY_CPU_STORED_BODY   4u /* a subgraph; offset is its index */

#define HY_CPU_OPERATION_DROPPED 1u
#define HY_CPU_OPERATION_PACKED  2u /* it has packed weights */
#define HY_CPU_OPERATION_FILTER  4u /* its kernel also reads the filter */

struct hy_cpu_cache_header {
    uint32_t magic;
    uint32_t version;
    char identity[128]; /* driver, build and kernels; padded with zeros */
    uint64_t length;    /* bytes of the model cache */
    uint64_t data_length;
    uint64_t values_offset;
    uint64_t values_length;
    uint64_t tuned_offset;
    uint64_t tuned_length; /* 0: not tuned */
    uint32_t subgraph_count;
    uint32_t referenced_count; /* limit of body indices */
};

struct hy_cpu_cache_subgraph {
    uint32_t index;
    uint32_t folded_count; /* dropped because they were folded */
    uint32_t dropped_count;
    uint32_t reserved;
};

struct hy_cpu_cache_operation {
    uint32_t flags;
    uint32_t weights_layout;
    uint64_t weights_offset; /* in the data cache */
    uint64_t weights_length;
    char weights_kernel[16];
};

/* The measured blocking. Valid only for the same size of the L2 cache. */
struct hy_cpu_cache_tuned {
    uint32_t version;
    uint32_t blocking_count;
    uint64_t l2_bytes;
};

struct hy_cpu_cache_blocking {
    uint32_t subgraph; /* index of the subgraph */
    uint32_t operation;
    uint32_t block;
    uint32_t reserved;
};

/* Records have no padding, and their size is a multiple of the alignment, so an array of records
 * can be appended record by record. */
#define HY_CPU_CACHE_RECORD(type, size) \
    static_assert(sizeof(type) == (size) && (size) % HY_CPU_CACHE_ALIGN == 0, \
                  "no holes, inside or behind")

HY_CPU_CACHE_RECORD(struct hy_cpu_cache_header, 192);
HY_CPU_CACHE_RECORD(struct hy_cpu_cache_tuned, 16);
HY_CPU_CACHE_RECORD(struct hy_cpu_cache_blocking, 16);
HY_CPU_CACHE_RECORD(struct hy_cpu_cache_subgraph, 16);
HY_CPU_CACHE_RECORD(struct hy_cpu_cache_operation, 40);

#endif
