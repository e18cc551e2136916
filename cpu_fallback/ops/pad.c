#include "common/inference/infer_pad.h"

#include <string.h>

#include "cpu_fallback/ops/move.h"
#include "cpu_fallback/ops/ops.h"

/* PAD, PAD_V2, MIRROR_PAD. */

static enum hy_code resolve(const struct hy_cpu_site *site, const struct hy_pad *pad,
                            struct hy_cpu_step *step, struct hy_cpu_moves **out,
                            struct hy_error *err)
{
    int32_t type = hy_call_input(site->call, 0)->type;
    struct hy_cpu_moves *moves = hy_cpu_moves_create(site, type, HY_CPU_PAD_MOVES);

    if (!moves)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    hy_cpu_moves_add_pad(moves, pad, (struct hy_cpu_place){.side = HY_CPU_OUTPUT});
    hy_cpu_moves_settle(moves, site, step);
    step->params = *out = moves;
    return HY_OK;
}

/* Pads with the element that stands for 0.0. */
enum hy_code hy_cpu_pad_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                struct hy_error *err)
{
    struct hy_cpu_moves *moves;
    struct hy_pad pad;

    enum hy_code code = hy_pad_read(site->call, &pad, err);
    if (code == HY_OK)
        code = resolve(site, &pad, step, &moves, err);
    if (code == HY_OK && moves->element_size == 1)
        moves->value[0] = (uint8_t)hy_call_input(site->call, 0)->zero_point;
    return code;
}

/* Pads with input 2: an element of the tensor, or, where those are bytes, an integer. */
enum hy_code hy_cpu_pad_v2_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    struct hy_cpu_moves *moves;
    struct hy_pad pad;
    int32_t byte = 0;

    enum hy_code code = hy_pad_read(site->call, &pad, err);
    if (code == HY_OK)
        code = resolve(site, &pad, step, &moves, err);
    if (code != HY_OK)
        return code;
    if (moves->element_size == 1) {
        code = hy_call_int(site->call, 2, &byte, err);
        moves->value[0] = (uint8_t)byte;
    } else {
        memcpy(moves->value, hy_call_input(site->call, 2)->data, moves->element_size);
    }
    return code;
}

enum hy_code hy_cpu_mirror_pad_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                       struct hy_error *err)
{
    struct hy_cpu_moves *moves;
    struct hy_pad pad;
    enum hy_code code = hy_mirror_pad_read(site->call, &pad, err);

    return code == HY_OK ? resolve(site, &pad, step, &moves, err) : code;
}
