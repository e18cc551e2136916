#include "cpu_fallback/ops/ops.h"

#include <string.h>
#include <sys/random.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/indices.h"
#include "cpu_fallback/ops/seeds.h"

struct random_step {
    hy_random_fn *kernel;
    struct hy_random_params params;
    size_t offset; /* scratch of the kernel */
    size_t indices;
};

enum hy_code hy_cpu_random_multinomial_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                               struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *logits = hy_call_input(ctx->call, 0);
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    enum hy_element element = hy_cpu_element(logits->type);

    if (element == HY_ELEMENT_COUNT || !ctx->kernels->random_multinomial[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(logits->type));
    struct random_step random = {
        .kernel = ctx->kernels->random_multinomial[element],
        .params = {.rows = out->dims[0], .classes = logits->shape.dims[1], .samples = out->dims[1]},
    };
    if (!hy_cpu_scratch_alloc(&step->scratch, random.params.classes * sizeof(double),
                              &random.offset) ||
        !hy_cpu_indices_alloc(&step->scratch, hy_call_output(ctx->call, 0),
                              (uint64_t)out->dims[0] * out->dims[1], &random.indices))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the scratch memory is too large");
    step->params = hy_arena_copy(ctx->memory, &random, 1, sizeof random);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_seeds_read(const struct hy_value *value, int32_t seeds[2], struct hy_error *err)
{
    size_t size = 2 * sizeof *seeds;

    memcpy(seeds, value->data, size);
    if (seeds[0] == 0 && seeds[1] == 0 && getrandom(seeds, size, 0) != (ssize_t)size)
        return hy_fail(err, HY_FAILED, "the system has no random seed");
    return HY_OK;
}

enum hy_code hy_cpu_random_multinomial_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct random_step *random = work->params;
    const struct hy_value *out = hy_call_output(work->call, 0);
    int32_t seeds[2];
    enum hy_code code = hy_cpu_seeds_read(hy_call_input(work->call, 2), seeds, err);

    if (code != HY_OK)
        return code;
    random->kernel(&random->params, seeds, hy_call_input(work->call, 0)->data,
                   hy_cpu_indices_at(work, out, random->indices),
                   (double *)(work->scratch + random->offset));
    hy_cpu_indices_store(work, out, random->indices, random->params.rows * random->params.samples);
    return HY_OK;
}
