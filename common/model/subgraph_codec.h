#ifndef HY_COMMON_MODEL_SUBGRAPH_CODEC_H
#define HY_COMMON_MODEL_SUBGRAPH_CODEC_H

#include "common/error.h"
#include "common/memory/arena.h"

#include <halyard/driver.h>

#include <assert.h>
#include <stddef.h>

/*
 * A subgraph as bytes, in native byte order, for the wire protocol of services and the cache of the
 * CPU driver. The bytes are a sequence of pieces. Each piece is an array at a multiple of 8:
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

/* A change of the bytes needs a new version of the service protocol and of the CPU driver's
 * cache. */
static_assert(sizeof(struct hy_subgraph_record) == 32, "no holes");
static_assert(sizeof(struct hy_operand_record) == 56, "no holes");
static_assert(sizeof(struct hy_operation_record) == 16, "no holes");

/* The destination of the pieces. */
struct hy_piece_sink {
    /* Returns zeroed bytes for the next piece: `count` > 0 elements of `size` bytes, aligned to 8
     * and valid until the next call. NULL: no memory; the sink remembers the failure. */
    void *(*capacity)(void *to, size_t count, size_t size);
    void *to;
};

/* Encodes a subgraph. Errors: BAD_DATA (a rank above HY_MAX_RANK, lists too long). A failing sink
 * is not an error of the function. */
HY_MUST_CHECK enum hy_code hy_subgraph_encode(const struct hy_subgraph *graph,
                                              const struct hy_piece_sink *sink,
                                              struct hy_error *err);

/* The source of the pieces. */
struct hy_piece_source {
    /* Returns the next piece: `count` > 0 elements of `size` bytes, aligned to 8. NULL: too few
     * bytes. The piece must live as long as the decoded subgraph. */
    const void *(*next)(void *from, uint64_t count, size_t size);
    void *from;
};

/*
 * Decodes untrusted bytes. The subgraph points into the pieces and into `memory`; empty lists are
 * NULL. All ranks, counts, lifetimes and operand indices are checked; the caller checks locations.
 * A constant without bytes has a zeroed location. `operands` is the writable array behind
 * ret->operands. Errors: BAD_DATA, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_subgraph_decode(const struct hy_piece_source *source,
                                              struct hy_arena *memory, struct hy_subgraph *ret,
                                              struct hy_operand **operands, struct hy_error *err);

#endif
