#ifndef HY_RUNTIME_PLAN_TRUST_H
#define HY_RUNTIME_PLAN_TRUST_H

#include "runtime/plan/plan.h"

/*
 * Which steps trust each other with memory. Domain 0 are the steps of this process, by address.
 * Devices of this process that take no memory by address are another domain. Each service is one,
 * whose driver may be hostile: it must not write what steps of other domains read.
 *
 * An execution has memory in blocks. Block 0 belongs to domain 0. Each other domain has a read
 * block, sealed against writes of a service, and a write block. Steps of domain 0 use all blocks,
 * steps of another domain use the domain's two. A tensor is copied after its step where its readers
 * cannot map the block it lies in.
 */
struct hy_trust_domain {
    const struct hy_service *service; /* NULL: devices of this process */
};

#define HY_BLOCK_OF_PROCESS 0u

/* `domain` > 0. */
static inline uint32_t hy_block_to_read(uint32_t domain)
{
    return 2 * domain - 1;
}

static inline uint32_t hy_block_to_write(uint32_t domain)
{
    return 2 * domain;
}

/* The domain of a block. */
static inline uint32_t hy_block_domain(uint32_t block)
{
    return (block + 1) / 2;
}

static inline bool hy_block_is_read_only(uint32_t block)
{
    return block % 2 == 1;
}

/* Whether steps of the domain use the block. */
static inline bool hy_block_is_open_to(uint32_t block, uint32_t domain)
{
    return domain == 0 || hy_block_domain(block) == domain;
}

/* A boundary tensor that steps of a domain cannot reach in its block, in the block that they read.
 */
struct hy_tensor_copy {
    uint32_t tensor;
    uint32_t block;
};

/* Gives the steps their domains and the boundary tensors their blocks and copies. Errors:
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_trust_find(struct hy_plan *plan, struct hy_error *err);

/* Where steps of the domain find the boundary tensor: its own span, or that of a copy. Spans are
 * counted as in plan->layout.offsets. */
void hy_trust_place(const struct hy_plan *plan, uint32_t tensor, uint32_t domain, uint32_t *block,
                    uint32_t *span);

#endif
