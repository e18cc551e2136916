#include "driver_kit/reusable.h"

#include <stdlib.h>

struct reusable {
    hy_execute_fn *execute;
    void *prepared;
    const struct hy_request *request;
    struct hy_run_options options;
};

int32_t hy_reusable_create(hy_execute_fn *execute, void *prepared, const struct hy_request *request,
                           const struct hy_run_options *options, void **ret)
{
    if (!HY_REACHES(options, scratch_bytes))
        return HY_STATUS_INVALID_ARGUMENT;
    struct reusable *reusable = malloc(sizeof *reusable);
    if (!reusable)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    *reusable = (struct reusable){
        .execute = execute,
        .prepared = prepared,
        .request = request,
        /* The message buffer is only valid in this call. Hints have no effect in drivers of this
         * kind. */
        .options = {.struct_size = sizeof reusable->options,
                    .measure = options->measure,
                    .loop_timeout = options->loop_timeout,
                    .scratch = options->scratch,
                    .scratch_bytes = options->scratch_bytes,
                    .cancelled = HY_CANCELLED_WORD(options)},
    };
    *ret = reusable;
    return HY_STATUS_OK;
}

int32_t hy_reusable_execute(void *self, int64_t deadline, struct hy_result *result)
{
    struct reusable *reusable = self;
    reusable->options.deadline = deadline; /* one run at a time */
    return reusable->execute(reusable->prepared, reusable->request, &reusable->options, result);
}

void hy_reusable_destroy(void *reusable)
{
    free(reusable);
}
