#ifndef HY_RUNTIME_BOUNDARY_MEMORY_H
#define HY_RUNTIME_BOUNDARY_MEMORY_H

#include "common/operations/shape.h"
#include "runtime/memory/device_memory.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/plan_counters.h"

/*
 * The memory behind the requests of one binding that is not the app's: boundary tensors between
 * steps and scratch of steps, in blocks of the domains of trust, placed by lifetime. Boundary
 * tensors of unknown size have the room in it that the plan knows of; one that needs more in the
 * middle of a run moves into memory of its own, until the block is made anew. Boundary tensors on
 * devices have buffers of their drivers beside their places in the block, which serve for copies,
 * and for runs in which a device fails.
 */

/* What runs have told of a boundary tensor of unknown size. */
struct hy_open_tensor {
    void *own; /* outside of the block, or NULL */
    uint64_t room;
    struct hy_shape shape; /* of the last run */
    uint64_t bytes;        /* the same */
    bool is_passed_on;     /* and the requests of the steps that read it say so */
};

struct hy_memory_block {
    uint8_t *address;         /* NULL: nothing lies in it */
    struct hy_memory *shared; /* that it is; NULL: in block 0, which nobody else sees */
    uint64_t room;
};

struct hy_boundary_memory {
    const struct hy_plan *plan;
    uint64_t *offsets;                 /* as in the plan; NULL: the plan's */
    struct hy_open_tensor *open;       /* [tensor]; NULL if every size is known */
    struct hy_memory_block *blocks;    /* [block], see runtime/plan/trust.h */
    uint64_t *bytes;                   /* [block]; those of the plan, or of `offsets` */
    bool is_made;                      /* the blocks */
    unsigned growths;                  /* of the plan's boundary tensors, when it was made */
    bool has_moved;                    /* some boundary tensor, out of the block */
    struct hy_device_memory **buffers; /* [tensor]; NULL: the plan has none on devices. An entry
                                          that is NULL: there is none for this boundary tensor */
    bool has_asked;                    /* the devices for buffers, once */
    bool shuns_buffers;                /* in this run all boundary tensors lie in the block */
};

/* Arrays come from the arena. All zero bytes is empty. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_boundary_memory_init(struct hy_boundary_memory *memory,
                                                   const struct hy_plan *plan,
                                                   struct hy_arena *arena, struct hy_error *err);
void hy_boundary_memory_finish(struct hy_boundary_memory *memory);

/* Gives the blocks back; the next renew makes others. */
void hy_boundary_memory_drop(struct hy_boundary_memory *memory);

/* Whether some boundary tensor has become larger than the block was made for, here or elsewhere. */
static inline bool hy_boundary_memory_is_old(const struct hy_boundary_memory *memory)
{
    if (!memory->open)
        return false;
    return memory->has_moved ||
           memory->growths !=
               atomic_load_explicit(&memory->plan->counters->growths, memory_order_acquire);
}

/* The buffer that a step of this device finds the boundary tensor in, or NULL: in the block. */
static inline struct hy_device_memory *
hy_boundary_memory_buffer(const struct hy_boundary_memory *memory, uint32_t tensor,
                          const struct hy_runtime_device *device)
{
    return memory->buffers && !memory->shuns_buffers &&
                   memory->plan->tensors[tensor].device == device
               ? memory->buffers[tensor]
               : NULL;
}

/* Makes the blocks if there are none, or old ones, and what buffers there are to be. Contents and
 * addresses change. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_boundary_memory_renew(struct hy_boundary_memory *memory,
                                                    struct hy_error *err);

/* A block as a step of the domain, which uses it, is to see it. */
struct hy_pool hy_boundary_memory_pool(const struct hy_boundary_memory *memory, uint32_t block,
                                       uint32_t domain);

/* Where steps of the domain find a boundary tensor: the block, and the offset in it. */
uint64_t hy_boundary_memory_find(const struct hy_boundary_memory *memory, uint32_t tensor,
                                 uint32_t domain, uint32_t *block);

/* Where a boundary tensor is written, and where the scratch of a step lies. */
uint8_t *hy_boundary_memory_address(const struct hy_boundary_memory *memory, uint32_t tensor);
uint8_t *hy_boundary_memory_scratch(const struct hy_boundary_memory *memory, uint32_t step);

/* Copies a written boundary tensor into the blocks of services that cannot map the block it lies
 * in. */
void hy_boundary_memory_pass_on(const struct hy_boundary_memory *memory, uint32_t tensor);

/*
 * Moves a boundary tensor of unknown size to where it has `need` bytes; its contents are lost.
 * Errors: OUT_OF_MEMORY, FAILED (more than the plan's limit).
 */
HY_MUST_CHECK enum hy_code hy_boundary_memory_grow(struct hy_boundary_memory *memory,
                                                   uint32_t tensor, uint64_t need,
                                                   struct hy_error *err);

#endif
