#include "plugins/service/wire/model.h"

#include "common/subgraph_codec.h"
#include "plugins/service/wire/model_format.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"

static void *room(void *to, size_t count, size_t size)
{
    return hy_pack_records(to, count, size);
}

static void pack_subgraph(struct hy_pack *out, const struct hy_subgraph *subgraph)
{
    const struct hy_piece_sink sink = {.room = room, .to = out};
    struct hy_error why;

    if (!subgraph) {
        hy_pack_fail(out, HY_UNEXPECTED_NULL, "a subgraph is NULL");
        return;
    }
    enum hy_code code = hy_subgraph_encode(subgraph, &sink, &why);
    if (code != HY_OK)
        hy_pack_fail(out, code, "%s", why.text);
}

void hy_model_pack(struct hy_pack *out, const struct hy_model *model)
{
    const struct hy_model_record record = {
#define MODEL(member) .member = model->member,
#include "common/model_fields.def"
    };

    hy_pack_copy(out, &record, 1, sizeof record);
    hy_pack_copy(out, model->values, model->values_size, 1);
    hy_pools_pack(out, model->pools, model->pool_count);
    hy_prefixes_pack(out, model->extensions, model->extension_count);
    pack_subgraph(out, model->main);
    for (uint32_t i = 0; i < model->referenced_count; i++)
        pack_subgraph(out, model->referenced[i]);
}
