#include "runtime/plan/trust.h"

#include "runtime/device/pool_kinds.h"
#include "runtime/plan/alloc.h"

#include <stdlib.h>

/* ---- Steps ----------------------------------------------------------------------------------- */

static uint32_t domain_of(struct hy_plan_layout *layout, const struct hy_runtime_device *device)
{
    uint32_t domain = 1;

    if (!device->service && hy_pool_kind_is_known(device, HY_POOL_HOST))
        return 0;
    while (domain < layout->domain_count && layout->domains[domain].service != device->service)
        domain++;
    if (domain == layout->domain_count)
        layout->domains[layout->domain_count++].service = device->service;
    return domain;
}

static enum hy_code find_domains(struct hy_plan *plan, struct hy_error *err)
{
    bool is_mixed = false;

    plan->layout.domains =
        hy_plan_alloc(&plan->arena, (size_t)plan->step_count + 1, sizeof *plan->layout.domains);
    if (!plan->layout.domains)
        return hy_fail(err, HY_OUT_OF_MEMORY, "domains of %u steps", plan->step_count);
    plan->layout.domain_count = 1;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        plan->steps[i].domain = domain_of(&plan->layout, plan->steps[i].device);
        is_mixed |= plan->steps[i].domain != plan->steps[0].domain;
    }
    plan->layout.has_several_domains = is_mixed;
    plan->layout.block_count = 2 * plan->layout.domain_count - 1;
    plan->layout.block_bytes =
        hy_plan_alloc(&plan->arena, plan->layout.block_count, sizeof *plan->layout.block_bytes);
    return plan->layout.block_bytes
               ? HY_OK
               : hy_fail(err, HY_OUT_OF_MEMORY, "%u blocks", plan->layout.block_count);
}

/* ---- Boundary tensors ------------------------------------------------------------------------ */

/* [tensor][domain]: a step of the domain reads the boundary tensor. */
static void mark_readers(const struct hy_plan *plan, bool *readers)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_step *step = &plan->steps[i];
        for (uint32_t k = 0; k < step->input_count; k++) {
            const uint32_t tensor = step->inputs[k].tensor;
            if (tensor != HY_NO_TENSOR)
                readers[(size_t)tensor * plan->layout.domain_count + step->domain] = true;
        }
    }
}

/* A tensor written by this process lies in the read block of its first foreign reader. */
static uint32_t block_of(const struct hy_plan *plan, uint32_t tensor, const bool *readers)
{
    const uint32_t writer = plan->steps[plan->tensors[tensor].first_step].domain;

    if (plan->tensors[tensor].bytes == 0)
        return HY_BLOCK_OF_PROCESS; /* unknown size: only by address */
    if (writer != 0)
        return hy_block_to_write(writer);
    for (uint32_t domain = 1; domain < plan->layout.domain_count; domain++) {
        if (readers[domain])
            return hy_block_to_read(domain);
    }
    return HY_BLOCK_OF_PROCESS;
}

static void add_copies(struct hy_plan *plan, uint32_t index, const bool *readers)
{
    struct hy_boundary_tensor *tensor = &plan->tensors[index];

    tensor->first_copy = plan->layout.copy_count;
    for (uint32_t domain = 1; tensor->bytes > 0 && domain < plan->layout.domain_count; domain++) {
        if (!readers[domain] || hy_block_is_open_to(tensor->block, domain))
            continue;
        plan->layout.copies[plan->layout.copy_count++] =
            (struct hy_tensor_copy){.tensor = index, .block = hy_block_to_read(domain)};
    }
    tensor->copy_count = plan->layout.copy_count - tensor->first_copy;
}

static enum hy_code find_blocks(struct hy_plan *plan, struct hy_error *err)
{
    const size_t count = (size_t)plan->tensor_count * plan->layout.domain_count;
    bool *readers = calloc(count, sizeof *readers);

    plan->layout.copies = hy_plan_alloc(&plan->arena, count, sizeof *plan->layout.copies);
    if (!readers || !plan->layout.copies) {
        free(readers);
        return hy_fail(err, HY_OUT_OF_MEMORY, "copies of %u boundary tensors", plan->tensor_count);
    }
    mark_readers(plan, readers);
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const bool *its = &readers[(size_t)i * plan->layout.domain_count];
        plan->tensors[i].block = block_of(plan, i, its);
        add_copies(plan, i, its);
    }
    free(readers);
    return HY_OK;
}

enum hy_code hy_trust_find(struct hy_plan *plan, struct hy_error *err)
{
    enum hy_code code = find_domains(plan, err);

    plan->layout.copy_count = 0;
    return code == HY_OK && plan->tensor_count > 0 ? find_blocks(plan, err) : code;
}

void hy_trust_find_span(const struct hy_plan *plan, uint32_t tensor, uint32_t domain,
                        uint32_t *block, uint32_t *span)
{
    const struct hy_boundary_tensor *plan_tensor = &plan->tensors[tensor];

    *block = plan_tensor->block;
    *span = tensor;
    for (uint32_t i = 0; i < plan_tensor->copy_count && domain != 0; i++) {
        const uint32_t copy = plan_tensor->first_copy + i;
        if (hy_block_domain(plan->layout.copies[copy].block) != domain)
            continue;
        *block = plan->layout.copies[copy].block;
        *span = plan->tensor_count + plan->step_count + copy;
    }
}
