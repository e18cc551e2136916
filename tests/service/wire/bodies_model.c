#include "body_parts.h"

#include "plugins/service/wire/answer.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"

/* Memory, models and their preparation. */

/* What those who ask know beforehand about the answer. */
enum { OPERATIONS = 11 };

MAKE(farewell)
{
    hy_farewell_pack(out, hy_wire_text(samples));
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

ECHO(failure)
{
    const char *text = hy_answer_text(in);

    END(in);
    hy_pack_text(out, text);
    return out->code;
}

MAKE(unknown_memory)
{
    const uint64_t ids[] = {hy_chance_next(&samples->chance), 7, 1};

    hy_pack_text(out, hy_wire_text(samples));
    hy_unknown_memory_pack(out, ids, 1 + hy_wire_below(samples, 3));
}

ECHO(unknown_memory)
{
    const char *text = hy_answer_text(in);
    const uint64_t *ids;
    uint32_t count;

    hy_unknown_memory_unpack(in, &ids, &count);
    END(in);
    hy_pack_text(out, text);
    hy_unknown_memory_pack(out, ids, count);
    return out->code;
}

MAKE(memory)
{
    const struct hy_pool pool = hy_wire_memory(samples);

    hy_memory_pack(out, &pool);
}

ECHO(memory)
{
    struct hy_pool pool;

    hy_memory_unpack(in, &pool);
    END(in);
    hy_memory_pack(out, &pool);
    return out->code;
}

MAKE(model)
{
    hy_model_pack(out, hy_wire_model(samples));
}

ECHO(model)
{
    struct hy_model model;
    struct hy_pool *pools;

    hy_model_unpack(in, &model, &pools);
    END(in);
    hy_wire_demand_model(&model);
    hy_model_pack(out, &model);
    return out->code;
}

MAKE(verdict)
{
    const struct hy_verdict verdict = hy_wire_verdict(samples, OPERATIONS);

    hy_verdict_pack(out, &verdict);
}

ECHO(verdict)
{
    struct hy_verdict verdict;

    hy_verdict_unpack(in, OPERATIONS, &verdict);
    END(in);
    hy_verdict_pack(out, &verdict);
    return out->code;
}

MAKE(prepare)
{
    const struct hy_prepare_options options = hy_wire_prepare_options(samples);

    make_model(samples, out);
    hy_prepare_options_pack(out, &options);
}

ECHO(prepare)
{
    struct hy_prepare_options options;
    struct hy_model model;
    struct hy_pool *pools;

    hy_model_unpack(in, &model, &pools);
    hy_prepare_options_unpack(in, &options);
    END(in);
    hy_wire_demand_model(&model);
    hy_model_pack(out, &model);
    hy_prepare_options_pack(out, &options);
    return out->code;
}

MAKE(from_cache)
{
    const struct hy_prepare_options options = hy_wire_prepare_options(samples);

    hy_prepare_options_pack(out, &options);
}

ECHO(from_cache)
{
    struct hy_prepare_options options;

    hy_prepare_options_unpack(in, &options);
    END(in);
    hy_prepare_options_pack(out, &options);
    return out->code;
}

static const struct hy_wire_body bodies[] = {
    BODY(MEMORY_ADD, "memory add", memory, memory),
    ANSWER(MEMORY_ADD, "memory added", nothing, nothing),
    BODY(SUPPORTED, "supported", model, model),
    ANSWER(SUPPORTED, "verdict", verdict, verdict),
    BODY(PREPARE, "prepare", prepare, prepare),
    ANSWER(PREPARE, "prepared", nothing, nothing),
    ANSWER(PREPARE, "failure", farewell, failure),
    ANSWER(PREPARE, "unknown memory", unknown_memory, unknown_memory),
    BODY(PREPARE_FROM_CACHE, "prepare from cache", from_cache, from_cache),
    ANSWER(PREPARE_FROM_CACHE, "prepared from cache", nothing, nothing),
    BODY(PREPARED_DESTROY, "prepared destroy", nothing, nothing),
    ANSWER(PREPARED_DESTROY, "prepared destroyed", nothing, nothing),
};
const struct hy_wire_family hy_wire_model_bodies = FAMILY(bodies);
