#ifndef HY_RUNTIME_PLAN_LAYOUT_H
#define HY_RUNTIME_PLAN_LAYOUT_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hy_plan;
struct hy_tensor_copy;
struct hy_trust_domain;

/* Limits in bytes of an execution's memory for a boundary tensor and for the scratch of a step. */
#define HY_BOUNDARY_LIMIT     (UINT64_C(1) << 30)
#define HY_SCRATCH_LIMIT      (UINT64_C(1) << 32)
#define HY_BOUNDARY_ALIGNMENT 64u

/* The layout of boundary tensors, tensor copies and scratch of steps in the memory blocks of an
 * execution. See trust.h for domains and blocks. */
struct hy_plan_layout {
    struct hy_trust_domain *domains; /* [domain] */
    struct hy_tensor_copy *copies;   /* [copy] */
    uint64_t *offsets;               /* in the block: [tensor], then [step]: scratch, then [copy] */
    uint64_t *block_bytes;           /* [block]: size for the first run */
    uint64_t arena_bytes;            /* sum over the blocks */
    uint32_t domain_count;
    uint32_t block_count;
    uint32_t copy_count;
    size_t span_count;        /* entries of `offsets` */
    bool has_several_domains; /* the steps have different domains */
};

/* Fills plan->layout: finds the memory blocks, asks prepared steps for their scratch size, and
 * assigns offsets to boundary tensors and scratch. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_plan_lay_out(struct hy_plan *plan, struct hy_error *err);

/*
 * Assigns offsets to boundary tensors, tensor copies and scratch of steps, with the current
 * capacities. Items used in different steps may overlap. `offsets` is as in the layout, `bytes` has
 * an entry for each block. A plan with one step needs no call. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_layout_assign_offsets(const struct hy_plan *plan, uint64_t *offsets,
                                                    uint64_t *bytes, struct hy_error *err);

/* Rounds `bytes`, at most the limit, up to the alignment. */
static inline uint64_t hy_boundary_round(uint64_t bytes)
{
    return (bytes + HY_BOUNDARY_ALIGNMENT - 1) / HY_BOUNDARY_ALIGNMENT * HY_BOUNDARY_ALIGNMENT;
}

#endif
