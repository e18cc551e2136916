#include "cpu_fallback/ops/strided_copy.h"

#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/ops.h"

enum hy_element_size hy_cpu_element_size(int32_t type)
{
    switch (hy_operand_type_bytes(type)) {
    case 1:
        return HY_ELEMENT_SIZE1;
    case 2:
        return HY_ELEMENT_SIZE2;
    case 4:
        return HY_ELEMENT_SIZE4;
    default:
        return HY_ELEMENT_SIZE8;
    }
}

void hy_cpu_strides(const struct hy_shape *shape, ptrdiff_t strides[HY_MAX_RANK])
{
    ptrdiff_t stride = 1;

    for (uint32_t d = HY_MAX_RANK; d-- > 0;) {
        strides[d] = d < shape->rank ? stride : 0;
        if (d < shape->rank)
            stride *= (ptrdiff_t)shape->dims[d];
    }
}

struct hy_cpu_copies *hy_cpu_copies_create(const struct hy_cpu_resolve_ctx *ctx, int32_t type,
                                           size_t most)
{
    struct hy_cpu_copies *copies =
        hy_arena_alloc(ctx->memory, sizeof *copies + most * sizeof *copies->list);

    if (copies)
        *copies = (struct hy_cpu_copies){
            .kernel = ctx->kernels->strided_copy[hy_cpu_element_size(type)],
            .element_size = hy_operand_type_bytes(type),
        };
    return copies;
}

struct hy_strided_copy_params *hy_cpu_copies_add(struct hy_cpu_copies *copies,
                                                 struct hy_cpu_copy_location from,
                                                 struct hy_cpu_copy_location to)
{
    struct hy_cpu_copy *copy = &copies->list[copies->count++];

    *copy = (struct hy_cpu_copy){.from = from, .to = to};
    return &copy->grid;
}

void hy_cpu_copies_set_zero(struct hy_cpu_copies *copies, const struct hy_value *like)
{
    const int32_t zero = like->zero_point; /* 0 except for quantized types, of 1 or 2 bytes */

    memcpy(copies->value, &zero,
           copies->element_size < sizeof zero ? copies->element_size : sizeof zero);
}

void hy_cpu_copies_add_fill(struct hy_cpu_copies *copies, const struct hy_shape *out,
                            struct hy_cpu_copy_location value)
{
    const struct hy_cpu_copy_location to = {.side = HY_CPU_OUTPUT};

    hy_strided_copy_add(hy_cpu_copies_add(copies, value, to), hy_shape_span(out, 0, out->rank), 0,
                        1);
    copies->is_ordered = true;
}

/* Adds an edge of the padded tensor, before or after the input along dimension `d`. The edge spans
 * the input along the dimensions before `d`, and the whole output along those after. */
static void add_edge(struct hy_cpu_copies *copies, const struct hy_pad *pad, uint32_t d,
                     bool is_after, struct hy_cpu_copy_location value,
                     struct hy_cpu_copy_location to)
{
    size_t before = pad->before[d], extent = pad->in.dims[d];
    size_t count = is_after ? pad->after[d] : before;
    size_t first = is_after ? before + extent : 0;
    size_t source = is_after ? first - 1 - pad->skip : 2 * before - 1 + pad->skip;
    size_t corner = to.offset;
    ptrdiff_t strides[HY_MAX_RANK];

    if (count == 0)
        return;
    hy_cpu_strides(&pad->out, strides);
    for (uint32_t e = 0; e < d; e++)
        corner += pad->before[e] * (size_t)strides[e];
    struct hy_cpu_copy_location from = value;
    if (pad->is_mirror)
        from =
            (struct hy_cpu_copy_location){to.side, to.index, corner + source * (size_t)strides[d]};
    to.offset = corner + first * (size_t)strides[d];

    struct hy_strided_copy_params *grid = hy_cpu_copies_add(copies, from, to);
    for (uint32_t e = 0; e < pad->in.rank; e++) {
        size_t size = e < d ? pad->in.dims[e] : e == d ? count : pad->out.dims[e];
        ptrdiff_t mirrored = e == d ? -strides[e] : strides[e];
        hy_strided_copy_add(grid, size, pad->is_mirror ? mirrored : 0, strides[e]);
    }
}

void hy_cpu_copies_add_pad(struct hy_cpu_copies *copies, const struct hy_pad *pad,
                           struct hy_cpu_copy_location value, struct hy_cpu_copy_location to)
{
    ptrdiff_t in[HY_MAX_RANK], out[HY_MAX_RANK];
    struct hy_cpu_copy_location inside = to;

    hy_cpu_strides(&pad->in, in);
    hy_cpu_strides(&pad->out, out);
    for (uint32_t d = 0; d < pad->in.rank; d++)
        inside.offset += pad->before[d] * (size_t)out[d];
    struct hy_strided_copy_params *grid =
        hy_cpu_copies_add(copies, (struct hy_cpu_copy_location){.side = HY_CPU_INPUT}, inside);
    for (uint32_t d = 0; d < pad->in.rank; d++)
        hy_strided_copy_add(grid, pad->in.dims[d], in[d], out[d]);

    /* Innermost dimension first: each edge mirrors elements completed by the edges before. */
    copies->is_ordered |= pad->is_mirror;
    for (uint32_t d = pad->in.rank; d-- > 0;) {
        add_edge(copies, pad, d, false, value, to);
        add_edge(copies, pad, d, true, value, to);
    }
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* Approximate bytes per microsecond on one thread. */
#define BYTES_PER_US 40000.0

/* If tasks divide the innermost dimension, parts begin at multiples of a cache line. */
#define LINE_ELEMENTS ((size_t)64)

static size_t bytes_of(const struct hy_cpu_copies *copies)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < copies->count; i++) {
        size_t count = copies->element_size;
        for (uint32_t d = 0; d < copies->list[i].grid.rank; d++)
            count *= copies->list[i].grid.dims[d];
        bytes += count;
    }
    return bytes;
}

/* The side of the largest square of the transposing kernel; fewer rows are copied one by one. */
#define SQUARE_ROWS ((size_t)16)

/* The dimension to divide: the longest except the innermost. The innermost is used only if it is
 * longer and the other has too few rows for a square per task. */
static uint32_t find_cut(const struct hy_strided_copy_params *grid, uint32_t tasks)
{
    const uint32_t innermost = grid->rank - 1;
    uint32_t cut = innermost - 1;

    for (uint32_t d = cut; d-- > 0;)
        if (grid->dims[d] > grid->dims[cut])
            cut = d;
    return grid->dims[cut] < tasks * SQUARE_ROWS && grid->dims[innermost] > grid->dims[cut]
               ? innermost
               : cut;
}

static void plan_tasks(struct hy_cpu_copies *copies, const struct hy_cpu_resolve_ctx *ctx,
                       struct hy_cpu_step *step)
{
    copies->tasks = 1;
    if (copies->is_ordered)
        return;
    step->us = (double)bytes_of(copies) / BYTES_PER_US;
    copies->tasks = hy_cpu_tasks_of(step->us, ctx->threads);
    for (uint32_t i = 0; i < copies->count; i++)
        copies->list[i].cut = find_cut(&copies->list[i].grid, copies->tasks);
}

void hy_cpu_copies_finalize(struct hy_cpu_copies *copies, const struct hy_cpu_resolve_ctx *ctx,
                            struct hy_cpu_step *step)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < copies->count; i++) {
        hy_strided_copy_finalize(&copies->list[i].grid);
        if (copies->list[i].grid.dims[0] > 0) /* an empty tensor has no address */
            copies->list[left++] = copies->list[i];
    }
    copies->count = left;
    plan_tasks(copies, ctx, step);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static const uint8_t *find(const struct hy_cpu_copies *copies, const struct hy_cpu_work *work,
                           struct hy_cpu_copy_location location)
{
    const uint8_t *base = copies->value;

    switch (location.side) {
    case HY_CPU_INPUT:
        base = hy_call_input(work->call, location.index)->data;
        break;
    case HY_CPU_OUTPUT:
        base = hy_call_output(work->call, location.index)->data;
        break;
    case HY_CPU_SCRATCH:
        base = work->scratch;
        break;
    case HY_CPU_VALUE:
        break;
    }
    return base + location.offset * copies->element_size;
}

/* The start of a task's part of a copy, along the divided dimension. */
static size_t cache_case_begin(const struct hy_cpu_copies *copies, const struct hy_cpu_copy *copy,
                               uint32_t task)
{
    const size_t size = copy->grid.dims[copy->cut];
    const size_t begin = (size_t)((uint64_t)size * task / copies->tasks);

    return copy->cut + 1 == copy->grid.rank && begin < size ? begin / LINE_ELEMENTS * LINE_ELEMENTS
                                                            : begin;
}

static void move_part(const struct hy_cpu_copies *copies, const struct hy_cpu_copy *copy,
                      uint32_t task, const uint8_t *from, uint8_t *to)
{
    const size_t begin = cache_case_begin(copies, copy, task),
                 end = cache_case_begin(copies, copy, task + 1);
    const ptrdiff_t bytes = (ptrdiff_t)(begin * copies->element_size);
    struct hy_strided_copy_params grid = copy->grid;

    if (begin == end)
        return;
    grid.dims[copy->cut] = end - begin;
    copies->kernel(&grid, from + bytes * grid.in_strides[copy->cut],
                   to + bytes * grid.out_strides[copy->cut]);
}

struct play {
    const struct hy_cpu_copies *copies;
    const struct hy_cpu_work *work;
};

static void play_task(void *argument, uint32_t task)
{
    const struct play *play = argument;
    const struct hy_cpu_copies *copies = play->copies;

    for (uint32_t i = 0; i < copies->count; i++) {
        const struct hy_cpu_copy *copy = &copies->list[i];
        const uint8_t *from = find(copies, play->work, copy->from);
        const uint8_t *to = find(copies, play->work, copy->to);
        if (from == to) /* already in place: plan_memory.c */
            continue;
        if (copies->tasks == 1)
            copies->kernel(&copy->grid, from, (uint8_t *)to);
        else
            move_part(copies, copy, task, from, (uint8_t *)to);
    }
}

void hy_cpu_copies_play(const struct hy_cpu_copies *copies, const struct hy_cpu_work *work)
{
    struct play play = {copies, work};

    hy_cpu_parallel_for(work, copies->tasks, play_task, &play);
}

enum hy_code hy_cpu_copies_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    (void)err;
    hy_cpu_copies_play(work->params, work);
    return HY_OK;
}
