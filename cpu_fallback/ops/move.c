#include "cpu_fallback/ops/move.h"

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

struct hy_cpu_moves *hy_cpu_moves_create(const struct hy_cpu_site *site, int32_t type, size_t most)
{
    struct hy_cpu_moves *moves =
        hy_arena_alloc(site->memory, sizeof *moves + most * sizeof *moves->list);

    if (moves)
        *moves = (struct hy_cpu_moves){
            .kernel = site->kernels->move[hy_cpu_element_size(type)],
            .element_size = hy_operand_type_bytes(type),
        };
    return moves;
}

struct hy_move_params *hy_cpu_moves_add(struct hy_cpu_moves *moves, struct hy_cpu_place from,
                                        struct hy_cpu_place to)
{
    struct hy_cpu_move *move = &moves->list[moves->count++];

    *move = (struct hy_cpu_move){.from = from, .to = to};
    return &move->grid;
}

void hy_cpu_moves_set_zero(struct hy_cpu_moves *moves, const struct hy_value *like)
{
    const int32_t zero = like->zero_point; /* 0 except for quantized types, of 1 or 2 bytes */

    memcpy(moves->value, &zero,
           moves->element_size < sizeof zero ? moves->element_size : sizeof zero);
}

void hy_cpu_moves_add_fill(struct hy_cpu_moves *moves, const struct hy_shape *out,
                           struct hy_cpu_place value)
{
    const struct hy_cpu_place to = {.side = HY_CPU_OUTPUT};

    hy_move_add(hy_cpu_moves_add(moves, value, to), hy_shape_span(out, 0, out->rank), 0, 1);
    moves->is_ordered = true;
}

/* Adds an edge of the padded tensor, before or after the input along dimension `d`. The edge spans
 * the input along the dimensions before `d`, and the whole output along those after. */
static void add_edge(struct hy_cpu_moves *moves, const struct hy_pad *pad, uint32_t d,
                     bool is_after, struct hy_cpu_place value, struct hy_cpu_place to)
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
    struct hy_cpu_place from = value;
    if (pad->is_mirror)
        from = (struct hy_cpu_place){to.side, to.index, corner + source * (size_t)strides[d]};
    to.offset = corner + first * (size_t)strides[d];

    struct hy_move_params *grid = hy_cpu_moves_add(moves, from, to);
    for (uint32_t e = 0; e < pad->in.rank; e++) {
        size_t size = e < d ? pad->in.dims[e] : e == d ? count : pad->out.dims[e];
        ptrdiff_t mirrored = e == d ? -strides[e] : strides[e];
        hy_move_add(grid, size, pad->is_mirror ? mirrored : 0, strides[e]);
    }
}

void hy_cpu_moves_add_pad(struct hy_cpu_moves *moves, const struct hy_pad *pad,
                          struct hy_cpu_place value, struct hy_cpu_place to)
{
    ptrdiff_t in[HY_MAX_RANK], out[HY_MAX_RANK];
    struct hy_cpu_place inside = to;

    hy_cpu_strides(&pad->in, in);
    hy_cpu_strides(&pad->out, out);
    for (uint32_t d = 0; d < pad->in.rank; d++)
        inside.offset += pad->before[d] * (size_t)out[d];
    struct hy_move_params *grid =
        hy_cpu_moves_add(moves, (struct hy_cpu_place){.side = HY_CPU_INPUT}, inside);
    for (uint32_t d = 0; d < pad->in.rank; d++)
        hy_move_add(grid, pad->in.dims[d], in[d], out[d]);

    /* Innermost dimension first: each edge mirrors elements completed by the edges before. */
    moves->is_ordered |= pad->is_mirror;
    for (uint32_t d = pad->in.rank; d-- > 0;) {
        add_edge(moves, pad, d, false, value, to);
        add_edge(moves, pad, d, true, value, to);
    }
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* Approximate bytes per microsecond on one thread. */
#define BYTES_PER_US 40000.0

/* If tasks divide the innermost dimension, parts begin at multiples of a cache line. */
#define LINE_ELEMENTS ((size_t)64)

static size_t bytes_of(const struct hy_cpu_moves *moves)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < moves->count; i++) {
        size_t count = moves->element_size;
        for (uint32_t d = 0; d < moves->list[i].grid.rank; d++)
            count *= moves->list[i].grid.dims[d];
        bytes += count;
    }
    return bytes;
}

/* The side of the largest square of the transposing kernel; fewer rows are copied one by one. */
#define SQUARE_ROWS ((size_t)16)

/* The dimension to divide: the longest except the innermost. The innermost is used only if it is
 * longer and the other has too few rows for a square per task. */
static uint32_t find_cut(const struct hy_move_params *grid, uint32_t tasks)
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

static void plan_tasks(struct hy_cpu_moves *moves, const struct hy_cpu_site *site,
                       struct hy_cpu_step *step)
{
    moves->tasks = 1;
    if (moves->is_ordered)
        return;
    step->us = (double)bytes_of(moves) / BYTES_PER_US;
    moves->tasks = hy_cpu_tasks_of(step->us, site->threads);
    for (uint32_t i = 0; i < moves->count; i++)
        moves->list[i].cut = find_cut(&moves->list[i].grid, moves->tasks);
}

void hy_cpu_moves_settle(struct hy_cpu_moves *moves, const struct hy_cpu_site *site,
                         struct hy_cpu_step *step)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < moves->count; i++) {
        hy_move_settle(&moves->list[i].grid);
        if (moves->list[i].grid.dims[0] > 0) /* an empty tensor has no address */
            moves->list[kept++] = moves->list[i];
    }
    moves->count = kept;
    plan_tasks(moves, site, step);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static const uint8_t *find(const struct hy_cpu_moves *moves, const struct hy_cpu_work *work,
                           struct hy_cpu_place place)
{
    const uint8_t *base = moves->value;

    switch (place.side) {
    case HY_CPU_INPUT:
        base = hy_call_input(work->call, place.index)->data;
        break;
    case HY_CPU_OUTPUT:
        base = hy_call_output(work->call, place.index)->data;
        break;
    case HY_CPU_SCRATCH:
        base = work->scratch;
        break;
    case HY_CPU_VALUE:
        break;
    }
    return base + place.offset * moves->element_size;
}

/* The start of a task's part of a copy, along the divided dimension. */
static size_t part_begin(const struct hy_cpu_moves *moves, const struct hy_cpu_move *move,
                         uint32_t task)
{
    const size_t size = move->grid.dims[move->cut];
    const size_t begin = (size_t)((uint64_t)size * task / moves->tasks);

    return move->cut + 1 == move->grid.rank && begin < size ? begin / LINE_ELEMENTS * LINE_ELEMENTS
                                                            : begin;
}

static void move_part(const struct hy_cpu_moves *moves, const struct hy_cpu_move *move,
                      uint32_t task, const uint8_t *from, uint8_t *to)
{
    const size_t begin = part_begin(moves, move, task), end = part_begin(moves, move, task + 1);
    const ptrdiff_t bytes = (ptrdiff_t)(begin * moves->element_size);
    struct hy_move_params grid = move->grid;

    if (begin == end)
        return;
    grid.dims[move->cut] = end - begin;
    moves->kernel(&grid, from + bytes * grid.in_strides[move->cut],
                  to + bytes * grid.out_strides[move->cut]);
}

struct play {
    const struct hy_cpu_moves *moves;
    const struct hy_cpu_work *work;
};

static void play_task(void *argument, uint32_t task)
{
    const struct play *play = argument;
    const struct hy_cpu_moves *moves = play->moves;

    for (uint32_t i = 0; i < moves->count; i++) {
        const struct hy_cpu_move *move = &moves->list[i];
        const uint8_t *from = find(moves, play->work, move->from);
        const uint8_t *to = find(moves, play->work, move->to);
        if (from == to) /* already in place: plan_memory.c */
            continue;
        if (moves->tasks == 1)
            moves->kernel(&move->grid, from, (uint8_t *)to);
        else
            move_part(moves, move, task, from, (uint8_t *)to);
    }
}

void hy_cpu_moves_play(const struct hy_cpu_moves *moves, const struct hy_cpu_work *work)
{
    struct play play = {moves, work};

    hy_cpu_share(work, moves->tasks, play_task, &play);
}

enum hy_code hy_cpu_moves_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    (void)err;
    hy_cpu_moves_play(work->params, work);
    return HY_OK;
}
