#include "body_parts.h"

#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/pools.h"

/* Memory of drivers, and bursts. */

/* One descriptor and nothing else: CHANNEL, BURST_OPEN, CACHE_REOPEN. */
MAKE(descriptor)
{
    hy_channel_pack(out, hy_wire_fd(samples));
}

ECHO(rings)
{
    int fd;

    hy_burst_rings_unpack(in, &fd);
    END(in);
    hy_burst_rings_pack(out, fd);
    return out->code;
}

MAKE(nothing)
{
    (void)samples;
    (void)out;
}

ECHO(nothing)
{
    (void)out;
    return hy_unpack_end(in);
}

MAKE(buffer_desc)
{
    const uint64_t *ids;
    const struct hy_buffer_desc desc = hy_wire_buffer_desc(samples, &ids);

    hy_buffer_desc_pack(out, &desc, ids);
}

ECHO(buffer_desc)
{
    struct hy_buffer_desc desc;
    const uint64_t *ids;
    void **prepared;

    hy_buffer_desc_unpack(in, &desc, &ids, &prepared);
    END(in);
    for (uint32_t i = 0; i < desc.prepared_count; i++)
        prepared[i] = &desc;
    hy_buffer_desc_pack(out, &desc, ids);
    return out->code;
}

MAKE(buffer_token)
{
    hy_buffer_token_pack(out, 1 + hy_wire_below(samples, 100));
}

ECHO(buffer_token)
{
    uint32_t token;

    hy_buffer_token_unpack(in, &token);
    END(in);
    hy_buffer_token_pack(out, token);
    return out->code;
}

MAKE(buffer_copy)
{
    const struct hy_pool pool = hy_wire_pool(samples);
    const uint32_t dims[] = {1, 2, 3, 4};

    hy_buffer_copy_pack(out, &pool, dims, hy_wire_below(samples, 5));
}

ECHO(buffer_copy)
{
    struct hy_buffer_copy copy;

    hy_buffer_copy_unpack(in, &copy);
    END(in);
    hy_buffer_copy_pack(out, &copy.pool, copy.dims, copy.rank);
    return out->code;
}

MAKE(burst_slot)
{
    const struct hy_pool pool = hy_wire_pool(samples);

    hy_burst_slot_pack(out, (int32_t)hy_wire_below(samples, 64), &pool);
}

ECHO(burst_slot)
{
    struct hy_pool pool;
    int32_t slot;

    hy_burst_slot_unpack(in, &slot, &pool);
    END(in);
    hy_burst_slot_pack(out, slot, &pool);
    return out->code;
}

static const struct hy_wire_body bodies[] = {
    BODY(BUFFER_CREATE, "buffer create", buffer_desc, buffer_desc),
    ANSWER(BUFFER_CREATE, "buffer created", buffer_token, buffer_token),
    BODY(BUFFER_COPY_FROM, "buffer copy from", buffer_copy, buffer_copy),
    ANSWER(BUFFER_COPY_FROM, "buffer copied from", nothing, nothing),
    BODY(BUFFER_COPY_TO, "buffer copy to", buffer_copy, buffer_copy),
    ANSWER(BUFFER_COPY_TO, "buffer copied to", nothing, nothing),
    BODY(BUFFER_DESTROY, "buffer destroy", nothing, nothing),
    ANSWER(BUFFER_DESTROY, "buffer destroyed", nothing, nothing),
    BODY(BURST_OPEN, "burst open", descriptor, rings),
    ANSWER(BURST_OPEN, "burst opened", nothing, nothing),
    BODY(BURST_ANNOUNCE, "burst announce", burst_slot, burst_slot),
    BODY(BURST_FREE, "burst free", nothing, nothing),
    BODY(BURST_CLOSE, "burst close", nothing, nothing),
    ANSWER(BURST_CLOSE, "burst closed", nothing, nothing),
};
const struct hy_wire_family hy_wire_buffer_bodies = FAMILY(bodies);
