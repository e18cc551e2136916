#include "plugins/service/client/saved_model.h"

#include "plugins/service/client/sent_request.h"
#include "plugins/service/wire/wire_model.h"

void hy_saved_model_init(struct hy_saved_model *saved)
{
    *saved = (struct hy_saved_model){0};
    hy_pack_init(&saved->body);
}

enum hy_code hy_saved_model_make(struct hy_saved_model *saved, const struct hy_model *model,
                                 struct hy_error *err)
{
    enum hy_code code = hy_sent_pools_check(model->pools, model->pool_count, err);
    if (code != HY_OK)
        return code;

    saved->pools =
        hy_arena_copy(&saved->arena, model->pools, model->pool_count, sizeof *saved->pools);
    if (!saved->pools)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", model->pool_count);
    saved->pool_count = model->pool_count;
    hy_model_pack(&saved->body, model);
    return saved->body.code == HY_OK ? HY_OK
                                     : hy_fail(err, saved->body.code, "%s", saved->body.error.text);
}

void hy_saved_model_finish(struct hy_saved_model *saved)
{
    hy_pack_finish(&saved->body);
    hy_arena_finish(&saved->arena);
}
