#ifndef HY_RUNTIME_PLAN_LAYOUT_H
#define HY_RUNTIME_PLAN_LAYOUT_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hy_plan;
struct hy_tensor_copy;
struct hy_trust_domain;

/* What an execution may be asked for on behalf of one boundary tensor, and of one step. */
#define HY_BOUNDARY_LIMIT     (UINT64_C(1) << 30)
#define HY_SCRATCH_LIMIT      (UINT64_C(1) << 32)
#define HY_BOUNDARY_ALIGNMENT 64u

/* Where boundary tensors, their copies and the scratch memory of steps lie in the blocks of an
 * execution. Domains and blocks as in trust.h. */
struct hy_plan_layout {
    struct hy_trust_domain *domains; /* [domain] */
    struct hy_tensor_copy *copies;   /* [copy] */
    uint64_t *offsets;     /* in their blocks: [tensor], then [step]: its scratch, then [copy] */
    uint64_t *block_bytes; /* [block], before the first run */
    uint64_t arena_bytes;  /* sum over the blocks */
    uint32_t domain_count;
    uint32_t block_count;
    uint32_t copy_count;
    size_t span_count;        /* entries of `offsets` */
    bool has_several_domains; /* steps of more than one */
};

/* Fills plan->layout: finds the blocks of memory, asks prepared steps how much scratch memory they
 * can be given, and places boundary tensors and scratch. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_plan_lay_out(struct hy_plan *plan, struct hy_error *err);

/*
 * Places every boundary tensor and every copy of one with the room it has by now, and the scratch
 * memory of every step, each in its block: what does not live at the same step shares memory.
 * `offsets` as in the layout, `bytes` has an entry for each block. A plan of one step needs none.
 * Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_layout_place(const struct hy_plan *plan, uint64_t *offsets,
                                           uint64_t *bytes, struct hy_error *err);

/* A multiple of the alignment that holds `bytes`, which are within the limit. */
static inline uint64_t hy_boundary_round(uint64_t bytes)
{
    return (bytes + HY_BOUNDARY_ALIGNMENT - 1) / HY_BOUNDARY_ALIGNMENT * HY_BOUNDARY_ALIGNMENT;
}

#endif
