/*
 * A compiled model: nodes in the order in which they run, and the tensors between them. It never
 * changes after it is compiled, so any number of instances can be made from it.
 */
#ifndef XD_PROGRAM_H
#define XD_PROGRAM_H

#include "driver_kit/quota_arena.h"
#include "node.h"

#include <halyard/driver.h>

#include <stdbool.h>

#define XD_MAX_RANK     HY_MAX_RANK
#define XD_MAX_ELEMENTS (UINT64_C(1) << 28) /* of a tensor; keeps index arithmetic in range */
#define XD_ALIGNMENT    64u

/*
 * An operand of the main subgraph, under the operand's index, or an intermediate of our own.
 *
 * A tensor's bytes are its own, or it is a view: it lies inside the tensor `base`, `offset` bytes
 * from its start, dense or with `row_stride` elements from one row of its last dimension to the
 * next. Bases are views themselves at times.
 */
struct xd_tensor {
    int32_t type; /* OperandCode */
    int32_t lifetime;
    uint32_t rank;
    uint32_t dims[XD_MAX_RANK]; /* 0 = not known */
    struct xd_quant quant;
    uint64_t bytes;          /* 0 until it is checked */
    const uint8_t *constant; /* NULL unless its bytes are known */
    bool is_padded;          /* ... and may be read beyond their end */
    uint32_t readers;        /* uses as an input in the model */
    uint32_t argument;       /* inputs of the model first, then outputs; or XD_NO_TENSOR */
    bool is_written;         /* by an operation, of this device or of another */
    uint32_t writer;         /* the one node that writes it; UINT32_MAX: none, or several */
    uint32_t base;           /* itself unless it is a view */
    uint64_t offset;
    size_t row_stride; /* 0 = dense */
    bool has_parts;    /* others are views of it */
    bool is_reread;    /* by the node that writes it */
    uint64_t arena_offset;
    uint32_t first_node, last_node; /* while these run, its bytes are in use */
};

/* An output of the model that lies elsewhere and is copied to its place in the end. */
struct xd_copy {
    struct xd_allocation from;
    uint32_t argument;
    uint64_t bytes;
};

struct xd_program {
    const struct hy_host *host;
    struct hy_quota_arena memory; /* of all that follows, and of constants of our own making */
    struct xd_tensor *tensors;
    struct xd_node *nodes;
    uint32_t *arguments; /* tensors: the model's inputs, then its outputs */
    struct xd_copy *copies;
    uint8_t *values; /* the model's small constants */
    uint32_t tensor_count, tensor_capacity;
    uint32_t node_count, node_capacity;
    uint32_t input_count, output_count, copy_count;
    uint64_t arena_bytes;
    uint64_t work; /* of one run: multiplications, roughly */
};

/* Empty, with the model's small constants. NULL: out of memory. */
struct xd_program *xd_program_create(const struct hy_host *host, const struct hy_model *model);
void xd_program_destroy(struct xd_program *program);

/* A tensor that no operand stands for. NULL: there is no room, which is a mistake of ours. */
struct xd_tensor *xd_program_add_tensor(struct xd_program *program);

/* Valid until the next node is added. NULL: out of memory. */
struct xd_node *xd_program_add_node(struct xd_program *program);

/* Memory that lives as long as the program, with room for reads beyond its end. NULL: none left. */
void *xd_program_allocate(struct xd_program *program, uint64_t bytes);

uint32_t xd_tensor_index(const struct xd_program *program, const struct xd_tensor *tensor);

#endif
