#include "plugins/service/client/kept_model.h"

#include "plugins/service/client/sent_request.h"
#include "plugins/service/wire/model.h"

void hy_kept_model_init(struct hy_kept_model *kept)
{
    *kept = (struct hy_kept_model){0};
    hy_pack_init(&kept->body);
}

enum hy_code hy_kept_model_make(struct hy_kept_model *kept, const struct hy_model *model,
                                struct hy_error *err)
{
    enum hy_code code = hy_sent_pools_check(model->pools, model->pool_count, err);
    if (code != HY_OK)
        return code;

    kept->pools = hy_arena_copy(&kept->arena, model->pools, model->pool_count, sizeof *kept->pools);
    if (!kept->pools)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", model->pool_count);
    kept->pool_count = model->pool_count;
    hy_model_pack(&kept->body, model);
    return kept->body.code == HY_OK ? HY_OK
                                    : hy_fail(err, kept->body.code, "%s", kept->body.error.text);
}

void hy_kept_model_finish(struct hy_kept_model *kept)
{
    hy_pack_finish(&kept->body);
    hy_arena_finish(&kept->arena);
}
