#ifndef HY_COMMON_MODEL_SUBGRAPH_CODEC_H
#define HY_COMMON_MODEL_SUBGRAPH_CODEC_H

#include "common/error.h"
#include "common/memory/arena.h"

#include <halyard/driver.h>

#include <assert.h>
#include <stddef.h>

/*
 * A subgraph as bytes, in the byte order of the machine: for the wire of services and the cache of
 * the CPU driver. The bytes are a sequence of pieces, each an array that begins at a multiple of 8:
 *
 *   hy_subgraph_record
 *   hy_operand_record[operand_count]
 *   hy_operation_record[operation_count]
 *   uint32_t[dim_count]      the extents of all operands, one operand after the other
 *   uint32_t[index_count]    of each operation its inputs, then its outputs
 *   uint32_t[input_count]    the inputs of the subgraph
 *   uint32_t[output_count]   the outputs of the subgraph
 *   float[scale_count]       the channel scales of all operands
 *   uint8_t[extension_length], a piece for each operand
 *
 * A piece without elements has no bytes.
 */
struct hy_subgraph_record {
#define SUBGRAPH(member) __typeof__(((struct hy_subgraph *)NULL)->member) member;
#include "common/model/model_fields.def"
    uint32_t dim_count;   /* of all operands together */
    uint32_t index_count; /* of inputs and outputs of all operations together */
    uint32_t scale_count; /* of all operands together */
    uint32_t reserved;
};

struct hy_operand_record {
#define OPERAND(member) __typeof__(((struct hy_operand *)NULL)->member) member;
#include "common/model/model_fields.def"
};

struct hy_operation_record {
#define OPERATION(member) __typeof__(((struct hy_operation *)NULL)->member) member;
#include "common/model/model_fields.def"
    uint32_t reserved;
};

/* Other bytes are another version of the service protocol and of the CPU driver's cache. */
static_assert(sizeof(struct hy_subgraph_record) == 32, "no holes");
static_assert(sizeof(struct hy_operand_record) == 56, "no holes");
static_assert(sizeof(struct hy_operation_record) == 16, "no holes");

/* Where the pieces go. */
struct hy_piece_sink {
    /* Zeroed bytes for the next piece, `count` > 0 elements of `size` bytes, aligned to 8 and valid
     * until the next call. NULL: there are none; the sink remembers the failure. */
    void *(*room)(void *to, size_t count, size_t size);
    void *to;
};

/* Errors: BAD_DATA (a rank above HY_MAX_RANK, lists too long). A sink that fails is no error of
 * this function. */
HY_MUST_CHECK enum hy_code hy_subgraph_encode(const struct hy_subgraph *graph,
                                              const struct hy_piece_sink *sink,
                                              struct hy_error *err);

/* Where the pieces come from. */
struct hy_piece_source {
    /* The next piece, `count` > 0 elements of `size` bytes, aligned to 8. NULL: the bytes end
     * before. The piece lives as long as the decoded subgraph. */
    const void *(*next)(void *from, uint64_t count, size_t size);
    void *from;
};

/*
 * Decodes bytes that are not trusted. The subgraph points into the pieces and into `memory`; lists
 * of no elements are NULL. All ranks, counts, lifetimes and indices of operands are in range; what
 * a location says is for the caller to check. A constant of no bytes has a location of zeros.
 * `operands` is the array behind ret->operands, to be completed. Errors: BAD_DATA, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_subgraph_decode(const struct hy_piece_source *source,
                                              struct hy_arena *memory, struct hy_subgraph *ret,
                                              struct hy_operand **operands, struct hy_error *err);

#endif
