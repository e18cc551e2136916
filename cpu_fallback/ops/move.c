#include "cpu_fallback/ops/move.h"

#include "common/operand_type.h"
#include "cpu_fallback/ops/ops.h"

enum hy_element_size hy_cpu_element_size(int32_t type)
{
    switch (hy_operand_type_bytes(type)) {
    case 1:
        return HY_ELEMENT_SIZE1;
    case 2:
        return HY_ELEMENT_SIZE2;
    default:
        return HY_ELEMENT_SIZE4;
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

/* The part of the padded tensor before or after the input along dimension `d`: within the input
 * along the dimensions before that, from edge to edge along those after it. */
static void add_edge(struct hy_cpu_moves *moves, const struct hy_pad *pad, uint32_t d,
                     bool is_after, struct hy_cpu_place to)
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
    struct hy_cpu_place from = {.side = HY_CPU_VALUE};
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
                          struct hy_cpu_place to)
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

    /* Innermost first: each edge mirrors what the edges before it have completed. */
    for (uint32_t d = pad->in.rank; d-- > 0;) {
        add_edge(moves, pad, d, false, to);
        add_edge(moves, pad, d, true, to);
    }
}

void hy_cpu_moves_settle(struct hy_cpu_moves *moves)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < moves->count; i++) {
        hy_move_settle(&moves->list[i].grid);
        if (moves->list[i].grid.dims[0] > 0) /* an empty tensor has no place to move from */
            moves->list[kept++] = moves->list[i];
    }
    moves->count = kept;
}

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

void hy_cpu_moves_play(const struct hy_cpu_moves *moves, const struct hy_cpu_work *work)
{
    for (uint32_t i = 0; i < moves->count; i++) {
        const struct hy_cpu_move *move = &moves->list[i];
        const uint8_t *from = find(moves, work, move->from), *to = find(moves, work, move->to);
        if (from != to) /* it may lie there already: plan_memory.c */
            moves->kernel(&move->grid, from, (uint8_t *)to);
    }
}

HY_CPU_RUN(hy_cpu_moves_run)
{
    (void)err;
    hy_cpu_moves_play(work->params, work);
    return HY_OK;
}
