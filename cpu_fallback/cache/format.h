#ifndef HY_CPU_FALLBACK_CACHE_FORMAT_H
#define HY_CPU_FALLBACK_CACHE_FORMAT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The two cache files of a prepared model of the CPU driver, in the byte order and layout of the
 * machine, which is part of every cache token.
 *
 * The model cache is all that steers execution:
 *
 *     header
 *     per subgraph, the main one first and then the bodies that are used:
 *         its record
 *         the subgraph (common/model/subgraph_codec.h), where the pool of an operand's location
 * says in which place its value is, and a packed operand has no scales per operation its record the
 * small values how work is cut, if that was measured: its record, then one of each operation with a
 * choice
 *
 * Lists are of 32-bit elements; every record and list starts at a multiple of HY_CPU_CACHE_ALIGN.
 * The small values are the constants that shapes, parameters or addresses follow from, and whatever
 * is as small.
 *
 * The data cache is what kernels merely compute with: large constants, results of folding and
 * packed weights, each at a multiple of HY_KERNEL_ALIGNMENT, with zeros in between. Where a piece
 * lies and how long it is only the model cache says. Of a constant that all its readers have
 * packed, only the packed weights are there, which have its scales in them.
 */
#define HY_CPU_CACHE_MAGIC   0x43435948u
#define HY_CPU_CACHE_VERSION 5u /* of this layout */
#define HY_CPU_TUNED_VERSION 2u /* of how work is cut */
#define HY_CPU_CACHE_ALIGN   8u

#define HY_CPU_CACHE_MAIN UINT32_MAX /* the index of the main subgraph */

/* Where the value of an operand is: the pool of its location. A temporary with a place was
 * folded. */
#define HY_CPU_PLACE_NONE   0u /* it has none, or nobody reads it */
#define HY_CPU_PLACE_VALUES 1u /* [offset, offset + length) of the small values */
#define HY_CPU_PLACE_DATA   2u /* the same of the data cache */
#define HY_CPU_PLACE_PACKED 3u /* in the packed weights of its readers; length as its type says */
#define HY_CPU_PLACE_BODY   4u /* a subgraph: offset is its index */

#define HY_CPU_OPERATION_DROPPED 1u
#define HY_CPU_OPERATION_PACKED  2u /* it has packed weights */
#define HY_CPU_OPERATION_FILTER  4u /* whose kernel reads the filter beside them */

struct hy_cpu_cache_header {
    uint32_t magic;
    uint32_t version;
    char identity[128]; /* of driver, build and kernels; zeros behind the text */
    uint64_t length;    /* of the model cache */
    uint64_t data_length;
    uint64_t values_offset;
    uint64_t values_length;
    uint64_t tuned_offset;
    uint64_t tuned_length; /* 0: nothing was measured */
    uint32_t subgraph_count;
    uint32_t referenced_count; /* indices of bodies are below */
};

struct hy_cpu_cache_subgraph {
    uint32_t index;
    uint32_t folded_count; /* of the operations */
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

/* Choices mean nothing where another second cache is. */
struct hy_cpu_cache_tuned {
    uint32_t version;
    uint32_t choice_count;
    uint64_t l2_bytes;
};

struct hy_cpu_cache_choice {
    uint32_t subgraph; /* its index */
    uint32_t operation;
    uint32_t block;
    uint32_t reserved;
};

/* A record has no holes, and its size is a multiple of the alignment, so that records which are
 * written one by one can be read as an array. */
#define HY_CPU_CACHE_RECORD(type, size) \
    static_assert(sizeof(type) == (size) && (size) % HY_CPU_CACHE_ALIGN == 0, \
                  "no holes, inside or behind")

HY_CPU_CACHE_RECORD(struct hy_cpu_cache_header, 192);
HY_CPU_CACHE_RECORD(struct hy_cpu_cache_tuned, 16);
HY_CPU_CACHE_RECORD(struct hy_cpu_cache_choice, 16);
HY_CPU_CACHE_RECORD(struct hy_cpu_cache_subgraph, 16);
HY_CPU_CACHE_RECORD(struct hy_cpu_cache_operation, 40);

#endif
