#include "cpu_fallback/ops/move.h"
#include "cpu_fallback/ops/ops.h"

/* MATRIX_DIAG, MATRIX_SET_DIAG: copies the whole matrices first, then their diagonals. */

/* Copies the consecutive diagonals of input `index` to the matrices of output 0. */
static void add_diagonals(struct hy_cpu_moves *moves, const struct hy_call *call, uint32_t index)
{
    const struct hy_shape *in = &hy_call_input(call, index)->shape;
    const struct hy_shape *out = &hy_call_output(call, 0)->shape;
    const struct hy_cpu_place from = {HY_CPU_INPUT, index, 0}, to = {.side = HY_CPU_OUTPUT};
    const ptrdiff_t height = (ptrdiff_t)out->dims[out->rank - 2];
    const ptrdiff_t width = (ptrdiff_t)out->dims[out->rank - 1];
    const size_t size = in->dims[in->rank - 1];
    struct hy_move_params *grid = hy_cpu_moves_add(moves, from, to);

    hy_move_add(grid, hy_shape_span(in, 0, in->rank - 1), (ptrdiff_t)size, height * width);
    hy_move_add(grid, size, 1, width + 1);
}

enum hy_code hy_cpu_matrix_diag_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                        struct hy_error *err)
{
    const struct hy_value *out = hy_call_output(site->call, 0);
    struct hy_cpu_moves *moves = hy_cpu_moves_create(site, out->type, 2);

    if (!moves)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    hy_cpu_moves_add_fill(moves, &out->shape, (struct hy_cpu_place){.side = HY_CPU_VALUE});
    add_diagonals(moves, site->call, 0);
    hy_cpu_moves_settle(moves, site, step);
    step->params = moves;
    return HY_OK;
}

enum hy_code hy_cpu_matrix_set_diag_resolve(const struct hy_cpu_site *site,
                                            struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *out = hy_call_output(site->call, 0);
    const struct hy_cpu_place from = {.side = HY_CPU_INPUT}, to = {.side = HY_CPU_OUTPUT};
    struct hy_cpu_moves *moves = hy_cpu_moves_create(site, out->type, 2);

    if (!moves)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    hy_move_add(hy_cpu_moves_add(moves, from, to), hy_shape_span(&out->shape, 0, out->shape.rank),
                1, 1);
    add_diagonals(moves, site->call, 1);
    moves->is_ordered = true;
    hy_cpu_moves_settle(moves, site, step);
    step->params = moves;
    return HY_OK;
}
