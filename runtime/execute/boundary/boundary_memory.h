#ifndef HY_RUNTIME_BOUNDARY_MEMORY_H
#define HY_RUNTIME_BOUNDARY_MEMORY_H

#include "common/operations/shape.h"
#include "runtime/memory/device_memory.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/plan_counters.h"

/*
 * The memory for boundary tensors between steps and for scratch of steps, for the requests of one
 * binding. Each trust domain has its blocks, and lifetimes decide the offsets in a block. A
 * boundary tensor of unknown size gets the capacity noted in the plan. If a run needs more, the
 * tensor moves to its own memory until the block is allocated again. Boundary tensors on devices
 * have device buffers in addition to their offsets in the block; the block serves for copies and
 * for runs with a failing device.
 */

/* State of a boundary tensor of unknown size, from previous runs. */
struct hy_open_tensor {
    void *own; /* own memory outside of the block, or NULL */
    uint64_t capacity;
    struct hy_shape shape; /* of the last run */
    uint64_t bytes;        /* of the last run */
    bool is_passed_on;     /* and the requests of the reading steps have the shape */
};

struct hy_memory_block {
    uint8_t *address;         /* NULL: empty block */
    struct hy_memory *shared; /* memory object of the block; NULL for block 0, which is private */
    uint64_t capacity;
};

struct hy_boundary_memory {
    const struct hy_plan *plan;
    uint64_t *offsets;                 /* NULL: offsets of the plan */
    struct hy_open_tensor *open;       /* [tensor]; NULL if all sizes are known */
    struct hy_memory_block *blocks;    /* [block], see runtime/plan/trust.h */
    uint64_t *bytes;                   /* [block]; from the plan or from `offsets` */
    bool is_made;                      /* the blocks are allocated */
    unsigned growths;                  /* growth count of the plan when the blocks were allocated */
    bool has_moved;                    /* a boundary tensor has left the block */
    struct hy_device_memory **buffers; /* [tensor]; NULL: no device buffers in the plan. A NULL
                                          entry: no buffer for the tensor */
    bool has_asked;                    /* the devices were asked for buffers */
    bool bypasses_buffers;             /* all boundary tensors of this run lie in the block */
};

/* Initializes the struct with arrays from the arena. A zeroed struct is empty. Errors:
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_boundary_memory_init(struct hy_boundary_memory *memory,
                                                   const struct hy_plan *plan,
                                                   struct hy_arena *arena, struct hy_error *err);
void hy_boundary_memory_finish(struct hy_boundary_memory *memory);

/* Releases the blocks; the next renew allocates new blocks. */
void hy_boundary_memory_drop(struct hy_boundary_memory *memory);

/* True if a boundary tensor has outgrown its block, in this binding or in another binding of the
 * plan. */
static inline bool hy_boundary_memory_is_old(const struct hy_boundary_memory *memory)
{
    if (!memory->open)
        return false;
    return memory->has_moved ||
           memory->growths !=
               atomic_load_explicit(&memory->plan->counters->growths, memory_order_acquire);
}

/* Returns the buffer of a boundary tensor for steps of a device. NULL: the tensor lies in the
 * block. */
static inline struct hy_device_memory *
hy_boundary_memory_buffer(const struct hy_boundary_memory *memory, uint32_t tensor,
                          const struct hy_runtime_device *device)
{
    return memory->buffers && !memory->bypasses_buffers &&
                   memory->plan->tensors[tensor].device == device
               ? memory->buffers[tensor]
               : NULL;
}

/* Allocates missing or outdated blocks and requests missing device buffers. Contents and addresses
 * change. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_boundary_memory_renew(struct hy_boundary_memory *memory,
                                                    struct hy_error *err);

/* The pool of a block for a step of a trust domain. The domain must use the block. */
struct hy_pool hy_boundary_memory_pool(const struct hy_boundary_memory *memory, uint32_t block,
                                       uint32_t domain);

/* The offset of a boundary tensor for steps of a trust domain, and the block in `*block`. */
uint64_t hy_boundary_memory_find(const struct hy_boundary_memory *memory, uint32_t tensor,
                                 uint32_t domain, uint32_t *block);

/* The address for writing a boundary tensor, and the scratch address of a step. */
uint8_t *hy_boundary_memory_address(const struct hy_boundary_memory *memory, uint32_t tensor);
uint8_t *hy_boundary_memory_scratch(const struct hy_boundary_memory *memory, uint32_t step);

/* Copies a written boundary tensor into the blocks of services without access to the tensor's
 * block. */
void hy_boundary_memory_pass_on(const struct hy_boundary_memory *memory, uint32_t tensor);

/*
 * Moves a boundary tensor of unknown size to memory of `need` bytes; the contents are lost. Errors:
 * OUT_OF_MEMORY, FAILED (above the limit of the plan).
 */
HY_MUST_CHECK enum hy_code hy_boundary_memory_grow(struct hy_boundary_memory *memory,
                                                   uint32_t tensor, uint64_t need,
                                                   struct hy_error *err);

#endif
