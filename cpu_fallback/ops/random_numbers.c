#include "cpu_fallback/ops/ops.h"

#include <math.h>

#include "common/operations/operation.h"
#include "cpu_fallback/kernels/reference/philox.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/elements/to_float.h"
#include "cpu_fallback/ops/seeds.h"

/* RANDOM_UNIFORM and RANDOM_NORMAL need no resolved parameters. */
enum hy_code hy_cpu_random_numbers_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    (void)ctx;
    (void)step;
    (void)err;
    return HY_OK;
}

/* Box-Muller: turns two uniform numbers into two independent normal numbers. */
static void make_normal(float pair[2])
{
    const float radius = sqrtf(-2.0f * logf(fmaxf(pair[0], 1e-7f)));
    const float angle = 6.2831853f * pair[1];

    pair[0] = sinf(angle) * radius;
    pair[1] = cosf(angle) * radius;
}

enum hy_code hy_cpu_random_numbers_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct hy_value *out = hy_call_output(work->call, 0);
    const size_t count = hy_shape_span(&out->shape, 0, out->shape.rank);
    const bool is_normal = work->call->operation == HY_EXT_RANDOM_NORMAL;
    struct hy_stop_watch *watch = hy_stop_here();
    int32_t seeds[2];

    const enum hy_code code = hy_cpu_seeds_read(hy_call_input(work->call, 1), seeds, err);
    if (code != HY_OK)
        return code;
    struct hy_philox philox = hy_philox_seeded(seeds[0], seeds[1]);
    for (size_t i = 0; i < count && !hy_stop_after(watch, 16); i += 2) {
        float pair[2];
        pair[0] = hy_philox_float(&philox);
        pair[1] = hy_philox_float(&philox);
        if (is_normal)
            make_normal(pair);
        hy_cpu_to_float_store(out, i, count - i < 2 ? 1 : 2, pair);
    }
    return HY_OK;
}
