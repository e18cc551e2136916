/*
 * A compiled model: nodes in execution order, and the tensors between the nodes. A program never
 * changes after compilation, so any number of instances can use the program.
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
 * An operand of the main subgraph, at the index of the operand, or an intermediate tensor of the
 * driver.
 *
 * A tensor has its own bytes or is a view. A view begins `offset` bytes after the start of tensor
 * `base`. A view is dense, or has `row_stride` elements between the starts of two rows of its last
 * dimension. A base may itself be a view.
 */
struct xd_tensor {
    int32_t type; /* OperandCode */
    int32_t lifetime;
    uint32_t rank;
    uint32_t dims[XD_MAX_RANK]; /* 0: unknown */
    struct xd_quant quant;
    uint64_t bytes;          /* 0 before the check */
    const uint8_t *constant; /* NULL: not constant */
    bool is_padded;          /* ... with readable bytes behind the end */
    uint32_t readers;        /* number of uses as an input in the model */
    uint32_t argument;       /* inputs of the model first, then outputs; or XD_NO_TENSOR */
    bool is_written;         /* an operation, of this device or another, writes the tensor */
    uint32_t writer;         /* the only writing node; UINT32_MAX: none, or several */
    uint32_t base;           /* the tensor itself, or the base of a view */
    uint64_t offset;
    size_t row_stride; /* 0: dense */
    bool has_parts;    /* has views */
    bool is_reread;    /* by the writing node */
    uint64_t arena_offset;
    uint32_t first_node, last_node; /* the bytes are in use from first to last */
};

/* A model output that is copied from another tensor at the end of a run. */
struct xd_copy {
    struct xd_allocation from;
    uint32_t argument;
    uint64_t bytes;
};

struct xd_program {
    const struct hy_host *host;
    struct hy_quota_arena memory; /* of the members below, and of computed constants */
    struct xd_tensor *tensors;
    struct xd_node *nodes;
    uint32_t *arguments; /* tensor indices: model inputs first, then outputs */
    struct xd_copy *copies;
    uint8_t *values; /* a copy of hy_model.values */
    uint32_t tensor_count, tensor_capacity;
    uint32_t node_count, node_capacity;
    uint32_t input_count, output_count, copy_count;
    uint64_t arena_bytes;
    uint64_t work; /* of one run: approximate number of multiplications */
};

/* Creates an empty program with a copy of the small constants of the model. NULL: out of memory. */
struct xd_program *xd_program_create(const struct hy_host *host, const struct hy_model *model);
void xd_program_destroy(struct xd_program *program);

/* Adds a tensor without an operand. NULL: tensor_capacity is too small, a fault of the driver. */
struct xd_tensor *xd_program_add_tensor(struct xd_program *program);

/* Adds a node; the result is valid until the next call. NULL: out of memory. */
struct xd_node *xd_program_add_node(struct xd_program *program);

/* Memory with the lifetime of the program and readable bytes behind its end. NULL: out of memory.
 */
void *xd_program_allocate(struct xd_program *program, uint64_t bytes);

uint32_t xd_tensor_index(const struct xd_program *program, const struct xd_tensor *tensor);

#endif
