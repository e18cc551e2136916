#include "xd_allocation.h"

#include "driver_kit/quota_memory.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ARENA (UINT64_C(1) << 31) /* bytes */

/* A tensor as part of the one that it lies in. */
struct home {
    struct xd_tensor *tensor;
    uint64_t offset;
    size_t row_stride;
};

static struct home find_home(const struct xd_program *program, uint32_t index)
{
    struct home home = {.tensor = &program->tensors[index]};
    while (home.tensor != &program->tensors[home.tensor->base]) {
        home.offset += home.tensor->offset;
        if (home.tensor->row_stride)
            home.row_stride = home.tensor->row_stride;
        home.tensor = &program->tensors[home.tensor->base];
    }
    return home;
}

/* Outputs of the model are written in place, unless somebody reads them as well: kernels read
 * beyond the end of what they are given, and an output may end where memory does. */
static bool is_argument(const struct xd_tensor *tensor)
{
    if (tensor->constant || tensor->argument == XD_NO_TENSOR)
        return false;
    return tensor->lifetime == HY_LIFETIME_INPUT || (tensor->readers == 0 && !tensor->is_reread);
}

/* ---- Lifetimes ------------------------------------------------------------------------------- */

static void note_use(struct xd_tensor *tensor, uint32_t node)
{
    if (node < tensor->first_node)
        tensor->first_node = node;
    if (node > tensor->last_node)
        tensor->last_node = node;
}

static void find_lifetimes(struct xd_program *program)
{
    for (uint32_t i = 0; i < program->tensor_count; i++) {
        program->tensors[i].first_node = UINT32_MAX;
        program->tensors[i].last_node = 0;
    }
    for (uint32_t i = 0; i < program->node_count; i++) {
        const struct xd_node *node = &program->nodes[i];
        struct xd_tensor *output = find_home(program, node->output).tensor;
        output->is_reread |= xd_node_output_form(node) == XD_OUTPUT_REREAD;
        note_use(output, i);
        for (uint32_t k = 0; k < 2 && node->inputs[k] != XD_NO_TENSOR; k++)
            note_use(find_home(program, node->inputs[k]).tensor, i);
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        struct xd_tensor *home =
            find_home(program, program->arguments[program->input_count + i]).tensor;
        note_use(home, program->node_count);
    }
}

/* ---- The arena ------------------------------------------------------------------------------- */

static bool needs_arena(const struct xd_tensor *tensor, uint32_t index)
{
    return tensor->base == index && tensor->first_node != UINT32_MAX && !tensor->constant &&
           !is_argument(tensor);
}

static uint64_t padded_bytes_of(const struct xd_tensor *tensor)
{
    return (tensor->bytes + XNN_EXTRA_BYTES + XD_ALIGNMENT - 1) / XD_ALIGNMENT * XD_ALIGNMENT;
}

/* Inputs of the model have room as well, for copies of those that cannot be read where they are. */
static uint64_t alloc_inputs(struct xd_program *program)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < program->input_count; i++) {
        struct xd_tensor *tensor = &program->tensors[program->arguments[i]];
        tensor->arena_offset = end;
        end += padded_bytes_of(tensor);
    }
    return end;
}

static int by_size(const void *left, const void *right)
{
    const struct xd_tensor *const *a = left, *const *b = right;
    if ((*a)->bytes != (*b)->bytes)
        return (*a)->bytes < (*b)->bytes ? 1 : -1;
    return *a < *b ? -1 : 1;
}

static bool overlap(const struct xd_tensor *a, const struct xd_tensor *b)
{
    return a->first_node <= b->last_node && b->first_node <= a->last_node;
}

/* The lowest gap between the tensors that are placed and live at the same time; `placed` is in the
 * order of their offsets. */
static uint64_t find_gap(struct xd_tensor *const *allocated, uint32_t count,
                         const struct xd_tensor *tensor, uint64_t start)
{
    uint64_t at = start;
    for (uint32_t i = 0; i < count; i++) {
        if (!overlap(allocated[i], tensor))
            continue;
        if (allocated[i]->arena_offset >= at + padded_bytes_of(tensor))
            break;
        const uint64_t end = allocated[i]->arena_offset + padded_bytes_of(allocated[i]);
        at = end > at ? end : at;
    }
    return at;
}

static void insert(struct xd_tensor **allocated, uint32_t count, struct xd_tensor *tensor)
{
    uint32_t at = count;
    for (; at > 0 && allocated[at - 1]->arena_offset > tensor->arena_offset; at--)
        allocated[at] = allocated[at - 1];
    allocated[at] = tensor;
}

/* Large tensors first, each into the lowest gap. */
static bool plan_arena(struct xd_program *program)
{
    struct xd_tensor **order =
        hy_quota_zeros(program->host, (uint64_t)program->tensor_count + 1, sizeof *order);
    struct xd_tensor **allocated =
        hy_quota_zeros(program->host, (uint64_t)program->tensor_count + 1, sizeof *allocated);
    const bool ok = order && allocated;
    uint32_t count = 0;
    for (uint32_t i = 0; ok && i < program->tensor_count; i++) {
        if (needs_arena(&program->tensors[i], i))
            order[count++] = &program->tensors[i];
    }
    const uint64_t start = alloc_inputs(program);
    program->arena_bytes = start;
    if (ok)
        qsort(order, count, sizeof *order, by_size);
    for (uint32_t i = 0; i < count; i++) {
        order[i]->arena_offset = find_gap(allocated, i, order[i], start);
        insert(allocated, i, order[i]);
        const uint64_t end = order[i]->arena_offset + padded_bytes_of(order[i]);
        if (end > program->arena_bytes)
            program->arena_bytes = end;
    }
    hy_quota_free(order);
    hy_quota_free(allocated);
    return ok;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static struct xd_allocation allocation_at(const struct home *home, uint64_t offset)
{
    const struct xd_tensor *tensor = home->tensor;
    const uint64_t at = home->offset + offset;
    if (tensor->constant)
        return (struct xd_allocation){.space = XD_CONSTANT, .constant = tensor->constant + at};
    if (is_argument(tensor))
        return (struct xd_allocation){
            .space = XD_ARGUMENT, .argument = tensor->argument, .offset = at};
    return (struct xd_allocation){.space = XD_ARENA, .offset = tensor->arena_offset + at};
}

/* What nodes read at run time has to have room behind it. */
static bool pad_constant(struct xd_program *program, struct xd_tensor *tensor)
{
    if (tensor->is_padded)
        return true;
    uint8_t *copy = xd_program_allocate(program, tensor->bytes);
    if (!copy)
        return false;
    memcpy(copy, tensor->constant, tensor->bytes);
    tensor->constant = copy;
    tensor->is_padded = true;
    return true;
}

static bool assign_node(struct xd_program *program, struct xd_node *node)
{
    for (uint32_t k = 0; k < 2 && node->inputs[k] != XD_NO_TENSOR; k++) {
        const struct home home = find_home(program, node->inputs[k]);
        if (home.tensor->constant && !pad_constant(program, home.tensor))
            return false;
        node->input_allocations[k] = allocation_at(&home, k == 0 ? node->input_at : 0);
    }
    const struct home home = find_home(program, node->output);
    node->output_allocation = allocation_at(&home, node->output_at);
    if (home.row_stride)
        node->output_stride = home.row_stride;
    return true;
}

static void add_output_copies(struct xd_program *program)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        const uint32_t argument = program->input_count + i;
        const struct xd_tensor *tensor = &program->tensors[program->arguments[argument]];
        const struct home home = find_home(program, program->arguments[argument]);
        if (home.tensor == tensor && is_argument(tensor))
            continue;
        program->copies[program->copy_count++] = (struct xd_copy){
            .from = allocation_at(&home, 0), .argument = argument, .bytes = tensor->bytes};
    }
}

bool xd_allocate(struct xd_program *program, struct hy_model_reader *reader)
{
    find_lifetimes(program);
    bool ok = plan_arena(program);
    for (uint32_t i = 0; ok && i < program->node_count; i++) {
        ok = assign_node(program, &program->nodes[i]);
        program->work += program->nodes[i].work;
    }
    if (!ok)
        return hy_refuse_exhausted(reader);
    reader->is_exhausted = program->arena_bytes > MAX_ARENA;
    if (reader->is_exhausted)
        return hy_refuse(reader, "intermediate tensors need %llu bytes, at most %llu are allowed",
                         (unsigned long long)program->arena_bytes, (unsigned long long)MAX_ARENA);
    add_output_copies(program);
    return true;
}
