#include "plugins/service/wire/wire_model.h"

#include "common/checked.h"
#include "common/model/body_order.h"
#include "common/model/subgraph_codec.h"
#include "common/operations/control_flow.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"

#include <assert.h>
#include <stddef.h>

/* The first record of a model; docs/service-protocol.md specifies the rest. */
struct record {
#define MODEL(member) __typeof__(((struct hy_model *)NULL)->member) member;
#include "common/model/model_fields.def"
    uint32_t reserved;
};

static_assert(sizeof(struct record) == 32, "no holes");

/* ---- Packing --------------------------------------------------------------------------------- */

static void *capacity(void *to, size_t count, size_t size)
{
    return hy_pack_records(to, count, size);
}

static void pack_subgraph(struct hy_pack *out, const struct hy_subgraph *subgraph)
{
    const struct hy_piece_sink sink = {.capacity = capacity, .to = out};
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
    const struct record record = {
#define MODEL(member) .member = model->member,
#include "common/model/model_fields.def"
    };

    hy_pack_copy(out, &record, 1, sizeof record);
    hy_pack_copy(out, model->values, model->values_size, 1);
    hy_pools_pack(out, model->pools, model->pool_count);
    hy_prefixes_pack(out, model->extensions, model->extension_count);
    pack_subgraph(out, model->main);
    for (uint32_t i = 0; i < model->referenced_count; i++)
        pack_subgraph(out, model->referenced[i]);
}

/* ---- Unpacking: what locations say ----------------------------------------------------------- */

static void check_location(struct hy_unpack *in, const struct hy_model *model, uint32_t index,
                           const struct hy_operand *operand)
{
    const struct hy_location *location = &operand->location;

    switch (operand->lifetime) {
    case HY_LIFETIME_CONSTANT_COPY:
        if (!hy_range_inside(location->offset, location->length, model->values_size))
            hy_unpack_fail(
                in, "operand %u: %llu bytes at offset %llu do not fit %llu bytes of values", index,
                (unsigned long long)location->length, (unsigned long long)location->offset,
                (unsigned long long)model->values_size);
        break;
    case HY_LIFETIME_CONSTANT_POOL:
        if (location->length > 0 && location->pool >= model->pool_count)
            hy_unpack_fail(in, "operand %u: pool %u does not exist, there are %u", index,
                           location->pool, model->pool_count);
        break;
    case HY_LIFETIME_SUBGRAPH:
        if (location->offset >= model->referenced_count)
            hy_unpack_fail(in, "operand %u: subgraph %llu does not exist, there are %u", index,
                           (unsigned long long)location->offset, model->referenced_count);
        break;
    default:
        break;
    }
}

/* ---- Unpacking: subgraphs -------------------------------------------------------------------- */

static void fail_of_memory(struct hy_unpack *in, const struct hy_error *why)
{
    in->code = hy_fail(in->err, HY_OUT_OF_MEMORY, "%s: %s", in->what, why->text);
}

static const void *next(void *from, uint64_t count, size_t size)
{
    return hy_unpack_records(from, count, size);
}

static void unpack_subgraph(struct hy_unpack *in, const struct hy_model *model,
                            struct hy_subgraph *subgraph)
{
    const struct hy_piece_source source = {.next = next, .from = in};
    struct hy_operand *operands;
    struct hy_error why;

    enum hy_code code = hy_subgraph_decode(&source, in->arena, subgraph, &operands, &why);
    if (code == HY_OUT_OF_MEMORY)
        fail_of_memory(in, &why);
    else if (code != HY_OK)
        hy_unpack_fail(in, "%s",
                       why.text); /* no effect if the source has already reported an error */
    for (uint32_t i = 0; hy_unpack_good(in) && i < subgraph->operand_count; i++)
        check_location(in, model, i, &operands[i]);
}

/* The main subgraph and the referenced ones, in one array. */
static void unpack_subgraphs(struct hy_unpack *in, struct hy_model *model)
{
    const uint64_t count = (uint64_t)model->referenced_count + 1;
    struct hy_subgraph *subgraphs =
        hy_unpack_reserve(in, count, sizeof *subgraphs, sizeof(struct hy_subgraph_record));
    const struct hy_subgraph **referenced = hy_unpack_reserve(
        in, model->referenced_count, sizeof *referenced, sizeof(struct hy_subgraph_record));

    for (uint64_t i = 0; i < count && hy_unpack_good(in); i++) {
        unpack_subgraph(in, model, &subgraphs[i]);
        if (i > 0)
            referenced[i - 1] = &subgraphs[i];
    }
    model->main = subgraphs;
    model->referenced = referenced;
}

static void check_nesting(struct hy_unpack *in, const struct hy_model *model)
{
    struct hy_error why;

    if (!hy_unpack_good(in))
        return;
    enum hy_code code = hy_body_order_check(model, in->arena, &why);
    if (code == HY_OUT_OF_MEMORY)
        fail_of_memory(in, &why);
    else if (code != HY_OK)
        hy_unpack_fail(in, "bodies of control flow nest deeper than %u", HY_CONTROL_FLOW_DEPTH);
}

/* ---- Unpacking: the whole -------------------------------------------------------------------- */

void hy_model_unpack(struct hy_unpack *in, struct hy_model *model, struct hy_pool **pools)
{
    const struct record *record = hy_unpack_records(in, 1, sizeof *record);
    struct hy_pool *read_pools = NULL;
    if (!record)
        return;
    if (record->relaxed_float > 1)
        hy_unpack_fail(in, "relaxed_float is %u, needs 0 or 1", record->relaxed_float);

    struct hy_model read = {
        .struct_size = sizeof read,
#define MODEL(member) .member = record->member,
#include "common/model/model_fields.def"
    };
    read.values = hy_unpack_records(in, record->values_size, 1);
    hy_model_pools_unpack(in, record->pool_count, &read_pools);
    read.pools = read_pools;
    read.extensions = hy_prefixes_unpack(in, record->extension_count);
    unpack_subgraphs(in, &read);
    check_nesting(in, &read);
    if (!hy_unpack_good(in))
        return;
    *model = read;
    *pools = read_pools;
}
