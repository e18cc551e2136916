#ifndef HY_RUNTIME_PLAN_TRUST_H
#define HY_RUNTIME_PLAN_TRUST_H

#include "runtime/plan/plan.h"

/*
 * Trust domains: groups of steps that may write each other's memory. Domain 0 has the steps of this
 * process that use memory by address. Devices of this process without support for addresses form
 * another domain. Each service is a domain of its own, because its driver may be hostile and must
 * not write memory that other domains read.
 *
 * The memory of an execution consists of blocks. Block 0 belongs to domain 0. Each other domain has
 * a read block, sealed against writes of a service, and a write block. Steps of domain 0 use all
 * blocks; steps of another domain use the two blocks of the domain. After a step, a tensor is
 * copied for readers that cannot map its block.
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

/* True if steps of the domain use the block. */
static inline bool hy_block_is_open_to(uint32_t block, uint32_t domain)
{
    return domain == 0 || hy_block_domain(block) == domain;
}

/* A copy of a boundary tensor in the read block of a domain, for steps without access to the
 * tensor's block. */
struct hy_tensor_copy {
    uint32_t tensor;
    uint32_t block;
};

/* Assigns domains to the steps, and blocks and copies to the boundary tensors. Errors:
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_trust_find(struct hy_plan *plan, struct hy_error *err);

/* Finds the block and the span of a boundary tensor, or of its copy, for steps of a domain. Spans
 * are indices of plan->layout.offsets. */
void hy_trust_find_span(const struct hy_plan *plan, uint32_t tensor, uint32_t domain,
                        uint32_t *block, uint32_t *span);

#endif
