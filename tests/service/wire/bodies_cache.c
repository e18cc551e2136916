#include "body_parts.h"

/* What the host asks for its driver. */

/* One descriptor and nothing else: CHANNEL, BURST_OPEN, CACHE_REOPEN. */
MAKE(descriptor)
{
    hy_channel_pack(out, hy_wire_fd(samples));
}

ECHO(file)
{
    int32_t fd;

    hy_cache_file_unpack(in, &fd);
    END(in);
    hy_cache_file_pack(out, fd);
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

MAKE(token)
{
    uint8_t token[HY_TOKEN_SIZE];

    for (uint32_t i = 0; i < sizeof token; i++)
        token[i] = (uint8_t)hy_wire_below(samples, 256);
    hy_cache_token_pack(out, token);
}

ECHO(token)
{
    const uint8_t *token;

    hy_cache_token_unpack(in, &token);
    END(in);
    hy_cache_token_pack(out, token);
    return out->code;
}

MAKE(update)
{
    const struct hy_cache_update update = hy_wire_update(samples);

    hy_cache_update_pack(out, &update);
}

ECHO(update)
{
    struct hy_cache_update update;

    hy_cache_update_unpack(in, &update);
    END(in);
    hy_cache_update_pack(out, &update);
    return out->code;
}

MAKE(commit)
{
    hy_cache_commit_pack(out, hy_chance_next(&samples->chance), hy_wire_below(samples, 2));
}

ECHO(commit)
{
    uint64_t update;
    uint32_t keep;

    hy_cache_commit_unpack(in, &update, &keep);
    END(in);
    hy_cache_commit_pack(out, update, keep);
    return out->code;
}

static const struct hy_wire_body bodies[] = {
    BODY(CACHE_BEGIN, "cache begin", token, token),
    ANSWER(CACHE_BEGIN, "cache begun", update, update),
    BODY(CACHE_COMMIT, "cache commit", commit, commit),
    ANSWER(CACHE_COMMIT, "cache committed", nothing, nothing),
    BODY(CACHE_KEEP_OPEN, "cache keep open", token, token),
    ANSWER(CACHE_KEEP_OPEN, "cache kept open", nothing, nothing),
    BODY(CACHE_REOPEN, "cache reopen", descriptor, file),
    ANSWER(CACHE_REOPEN, "cache reopened", descriptor, file),
};
const struct hy_wire_family hy_wire_cache_bodies = FAMILY(bodies);
