#include "runtime/execute/staged_arguments.h"

#include "runtime/execute/copied.h"
#include "runtime/extension/type_info.h"
#include "runtime/memory/bytes.h"
#include "runtime/memory/memory_object.h"
#include "runtime/memory/seals.h"
#include "runtime/plan/alloc.h"
#include "runtime/plan/trust.h"

#include <string.h>

static uint32_t count_of(const struct hy_staged_arguments *staged)
{
    const struct hy_subgraph *graph = staged->plan->request.model->main;
    return graph->input_count + graph->output_count;
}

static size_t cell(const struct hy_staged_arguments *staged, uint32_t number, uint32_t domain)
{
    return (size_t)number * staged->plan->layout.domain_count + domain;
}

/* ---- Users of memory ------------------------------------------------------------------------- */

static void mark_step(struct hy_staged_arguments *staged, const struct hy_step *step)
{
    const uint32_t inputs = staged->plan->request.model->main->input_count;

    for (uint32_t i = 0; i < step->input_count; i++) {
        const struct hy_slot *slot = &step->inputs[i];
        if (slot->kind == HY_SLOT_INPUT)
            staged->is_read[cell(staged, slot->index, step->domain)] = true;
        else if (slot->kind == HY_SLOT_OUTPUT)
            staged->is_read[cell(staged, inputs + slot->index, step->domain)] = true;
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        if (step->outputs[i].kind == HY_SLOT_OUTPUT)
            staged->writers[step->outputs[i].index] = step->domain;
    }
}

enum hy_code hy_staged_arguments_init(struct hy_staged_arguments *staged,
                                      const struct hy_plan *plan, struct hy_arena *arena,
                                      struct hy_error *err)
{
    *staged = (struct hy_staged_arguments){.plan = plan};
    if (plan->layout.domain_count == 1)
        return HY_OK;
    const size_t count = count_of(staged), cells = count * plan->layout.domain_count;
    staged->is_read = hy_plan_alloc(arena, cells, sizeof *staged->is_read);
    staged->offsets = hy_plan_alloc(arena, cells, sizeof *staged->offsets);
    staged->writers = hy_plan_alloc(arena, count, sizeof *staged->writers);
    staged->domains = hy_plan_alloc(arena, count, sizeof *staged->domains);
    staged->bytes = hy_plan_alloc(arena, plan->layout.block_count, sizeof *staged->bytes);
    staged->blocks = hy_plan_alloc(arena, plan->layout.block_count, sizeof(struct hy_memory *));
    if (!staged->is_read || !staged->offsets || !staged->writers || !staged->domains ||
        !staged->bytes || !staged->blocks)
        return hy_fail(err, HY_OUT_OF_MEMORY, "offsets of %zu arguments", count);
    for (uint32_t i = 0; i < plan->step_count; i++)
        mark_step(staged, &plan->steps[i]);
    staged->is_needed = true;
    return HY_OK;
}

void hy_staged_arguments_finish(struct hy_staged_arguments *staged)
{
    for (uint32_t i = 0; staged->blocks && i < staged->plan->layout.block_count; i++) {
        hy_memory_release(staged->blocks[i]);
        staged->blocks[i] = NULL;
    }
}

static const struct hy_bound_argument *argument_at(const struct hy_execution *execution,
                                                   uint32_t number)
{
    return number < execution->input_count ? &execution->inputs[number]
                                           : &execution->outputs[number - execution->input_count];
}

static bool is_written_by(const struct hy_staged_arguments *staged,
                          const struct hy_execution *execution, uint32_t number, uint32_t domain)
{
    return number >= execution->input_count &&
           staged->writers[number - execution->input_count] == domain;
}

/* All domains from 63 on share one bit, which means several domains in any case. */
static uint64_t domains_of(const struct hy_staged_arguments *staged,
                           const struct hy_execution *execution, uint32_t number)
{
    uint64_t set = 0;

    for (uint32_t domain = 0; domain < staged->plan->layout.domain_count; domain++) {
        if (staged->is_read[cell(staged, number, domain)] ||
            is_written_by(staged, execution, number, domain))
            set |= UINT64_C(1) << (domain < 63 ? domain : 63);
    }
    return set;
}

/* One memory may hold several arguments; collects for each all domains that use the memory. */
static void find_domains(const struct hy_staged_arguments *staged,
                         const struct hy_execution *execution)
{
    const uint32_t count = execution->input_count + execution->output_count;

    for (uint32_t i = 0; i < count; i++) {
        const struct hy_memory *memory = argument_at(execution, i)->memory;
        uint64_t set = domains_of(staged, execution, i);
        for (uint32_t k = 0; memory && staged->plan->layout.has_several_domains && k < i; k++) {
            if (argument_at(execution, k)->memory != memory)
                continue;
            set |= staged->domains[k];
            staged->domains[k] = set;
        }
        staged->domains[i] = set;
    }
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* True for memory that a bounce buffer cannot replace. */
static bool is_passed_through(const struct hy_memory *memory)
{
    const uint32_t kind = hy_memory_pool(memory)->kind;

    return kind == HY_POOL_BUFFER || kind == HY_POOL_HARDWARE_BUFFER ||
           hy_memory_is_dma_buf(memory);
}

/*
 * True if a service must not get the memory itself. Memory passed for reading must not be written.
 * Memory that steps of other domains use too could be changed or truncated by the driver. A service
 * may write memory that only its own steps use.
 */
static bool is_hidden_from_service(const struct hy_memory *memory, uint64_t domains)
{
    if (is_passed_through(memory) || (hy_memory_seals(memory) & HY_SEALS_CONTENTS))
        return false;
    return !(hy_memory_pool(memory)->protection & HY_PROTECT_WRITE) ||
           (domains & (domains - 1)) != 0;
}

static bool is_staged(const struct hy_staged_arguments *staged,
                      const struct hy_execution *execution, uint32_t number, uint32_t domain)
{
    const struct hy_bound_argument *argument = argument_at(execution, number);

    if (domain == 0 || argument->is_omitted)
        return false;
    if (!argument->memory)
        return true;
    if (staged->plan->layout.domains[domain].service)
        return is_hidden_from_service(argument->memory, staged->domains[number]);
    /* A device of this process reads an output in memory that is valid during the run. */
    return number >= execution->input_count && !is_written_by(staged, execution, number, domain) &&
           staged->offsets[cell(staged, number,
                                staged->writers[number - execution->input_count])] != HY_NOT_STAGED;
}

/* The next free offset. Cannot overflow: lengths and the number of arguments have 32 bits. */
static uint64_t end_of(uint64_t offset, const struct hy_bound_argument *argument)
{
    const uint64_t bytes = argument->length + argument->padding;
    const uint64_t end = offset + (bytes ? bytes : 1);
    return (end + HY_BOUNDARY_ALIGNMENT - 1) / HY_BOUNDARY_ALIGNMENT * HY_BOUNDARY_ALIGNMENT;
}

static void assign_offset(struct hy_staged_arguments *staged, const struct hy_execution *execution,
                          uint32_t number, uint32_t domain)
{
    const bool is_written = is_written_by(staged, execution, number, domain);
    const bool is_used = is_written || staged->is_read[cell(staged, number, domain)];
    uint64_t *offset = &staged->offsets[cell(staged, number, domain)];

    *offset = HY_NOT_STAGED;
    if (!is_used || !is_staged(staged, execution, number, domain))
        return;
    uint64_t *bytes =
        &staged->bytes[is_written ? hy_block_to_write(domain) : hy_block_to_read(domain)];
    *offset = *bytes;
    *bytes = end_of(*bytes, argument_at(execution, number));
}

/* The writer of an argument first, then the readers. */
static void assign_argument(struct hy_staged_arguments *staged,
                            const struct hy_execution *execution, uint32_t number)
{
    const bool is_output = number >= execution->input_count;
    const uint32_t writer = is_output ? staged->writers[number - execution->input_count] : 0;

    if (is_output)
        assign_offset(staged, execution, number, writer);
    for (uint32_t domain = 0; domain < staged->plan->layout.domain_count; domain++) {
        if (!is_output || domain != writer)
            assign_offset(staged, execution, number, domain);
    }
}

static enum hy_code make_block(struct hy_staged_arguments *staged, uint32_t block,
                               struct hy_error *err)
{
    const bool is_sealed = hy_block_is_read_only(block) &&
                           staged->plan->layout.domains[hy_block_domain(block)].service;
    const uint64_t bytes = staged->bytes[block];
    struct hy_memory **memory = &staged->blocks[block];

    if (bytes == 0 || (*memory && hy_memory_pool(*memory)->size >= bytes))
        return HY_OK;
    hy_memory_release(*memory);
    *memory = NULL;
    return is_sealed ? hy_memory_to_read(bytes, memory, err)
                     : hy_memory_from_domain(NULL, bytes, memory, err);
}

enum hy_code hy_staged_arguments_alloc(struct hy_staged_arguments *staged,
                                       const struct hy_execution *execution, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (!staged->is_needed)
        return HY_OK;
    find_domains(staged, execution);
    memset(staged->bytes, 0, staged->plan->layout.block_count * sizeof *staged->bytes);
    for (uint32_t i = 0; i < execution->input_count + execution->output_count; i++)
        assign_argument(staged, execution, i);
    for (uint32_t i = 0; code == HY_OK && i < staged->plan->layout.block_count; i++)
        code = make_block(staged, i, err);
    return code;
}

struct hy_staged_location hy_staged_arguments_find(const struct hy_staged_arguments *staged,
                                                   uint32_t number, uint32_t domain)
{
    const uint32_t inputs = staged->plan->request.model->main->input_count;
    const bool is_output = number >= inputs;

    if (!staged->is_needed)
        return (struct hy_staged_location){0};
    const uint32_t writer = is_output ? staged->writers[number - inputs] : 0;
    const uint32_t at = is_output && domain == 0 ? writer : domain;
    const uint64_t offset = staged->offsets[cell(staged, number, at)];
    if (offset == HY_NOT_STAGED)
        return (struct hy_staged_location){0};
    const uint32_t block = is_output && at == writer ? hy_block_to_write(at) : hy_block_to_read(at);
    return (struct hy_staged_location){.memory = staged->blocks[block], .offset = offset};
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static struct hy_pool pool_at(const struct hy_staged_location *position, uint64_t length)
{
    return hy_pool_part(hy_memory_pool(position->memory), position->offset, length);
}

/* The argument in the app's memory. Files that can be truncated are accessed through the kernel. */
static struct hy_pool pool_of(const struct hy_bound_argument *argument, uint64_t length)
{
    if (argument->memory)
        return hy_pool_part(hy_memory_pool(argument->memory), argument->offset, length);
    return (struct hy_pool){
        .kind = HY_POOL_HOST, .fd = -1, .size = length, .address = argument->buffer};
}

static enum hy_code move(const struct hy_bound_argument *argument, const struct hy_pool *from,
                         const struct hy_pool *to, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (argument->memory && !(hy_memory_seals(argument->memory) & HY_SEALS_SIZE))
        code = hy_memory_move_bytes(from, to, err);
    else
        memcpy(to->address, from->address, from->size);
    if (code == HY_OK)
        hy_copied_add(from->size);
    return code;
}

static enum hy_code copy_to(const struct hy_staged_arguments *staged,
                            const struct hy_bound_argument *argument, const struct hy_pool *from,
                            uint32_t number, uint32_t domain, struct hy_error *err)
{
    const struct hy_staged_location position = hy_staged_arguments_find(staged, number, domain);
    if (!position.memory || !staged->is_read[cell(staged, number, domain)])
        return HY_OK;
    const struct hy_pool to = pool_at(&position, from->size);
    return move(argument, from, &to, err);
}

enum hy_code hy_staged_arguments_copy_in(const struct hy_staged_arguments *staged,
                                         const struct hy_execution *execution, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < execution->input_count; i++) {
        const struct hy_bound_argument *argument = &execution->inputs[i];
        if (argument->is_omitted || (argument->memory && is_passed_through(argument->memory)))
            continue;
        const struct hy_pool from = pool_of(argument, argument->length);
        for (uint32_t domain = 1; code == HY_OK && domain < staged->plan->layout.domain_count;
             domain++)
            code = copy_to(staged, argument, &from, i, domain, err);
    }
    return code;
}

enum hy_code hy_staged_arguments_pass_on(const struct hy_staged_arguments *staged,
                                         const struct hy_execution *execution, uint32_t output,
                                         struct hy_error *err)
{
    const struct hy_bound_argument *argument = &execution->outputs[output];
    const uint32_t number = execution->input_count + output;
    const uint32_t writer = staged->writers[output];
    enum hy_code code = HY_OK;

    if (argument->is_omitted || (argument->memory && is_passed_through(argument->memory)))
        return HY_OK;
    const struct hy_staged_location position = hy_staged_arguments_find(staged, number, writer);
    const struct hy_pool from = position.memory ? pool_at(&position, argument->length)
                                                : pool_of(argument, argument->length);
    for (uint32_t domain = 1; code == HY_OK && domain < staged->plan->layout.domain_count;
         domain++) {
        if (domain != writer)
            code = copy_to(staged, argument, &from, number, domain, err);
    }
    return code;
}

/* The length of the result; the full length if the type has no element size. */
static uint64_t bytes_of(const struct hy_execution *execution, uint32_t index)
{
    const struct hy_subgraph *graph = execution->compilation->plan->request.model->main;
    const struct hy_operand *operand = &graph->operands[graph->outputs[index]];
    const uint64_t capacity = execution->outputs[index].length;
    struct hy_type_info type;
    uint64_t bytes;

    if (!hy_type_info_find(operand->type, &type) || type.element_bytes == 0 || type.is_scalar ||
        !hy_shape_bytes(&execution->output_states[index].shape, type.element_bytes, &bytes))
        return capacity;
    return bytes < capacity ? bytes : capacity;
}

enum hy_code hy_staged_arguments_copy_out(const struct hy_staged_arguments *staged,
                                          const struct hy_execution *execution,
                                          struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < execution->output_count; i++) {
        const struct hy_staged_location position =
            hy_staged_arguments_find(staged, execution->input_count + i, staged->writers[i]);
        if (!position.memory)
            continue;
        const uint64_t bytes = bytes_of(execution, i);
        const struct hy_pool from = pool_at(&position, bytes);
        const struct hy_pool to = pool_of(&execution->outputs[i], bytes);
        code = move(&execution->outputs[i], &from, &to, err);
    }
    return code;
}
