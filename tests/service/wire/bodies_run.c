#include "body_parts.h"

#include "plugins/service/wire/answer.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/result.h"

/* Executions. */

/* What those who ask know beforehand about the answer. */
enum { OUTPUTS = 3 };

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

MAKE(deadline)
{
    hy_deadline_pack(out, hy_wire_below(samples, 2) ? HY_NO_DEADLINE : 12345);
}

ECHO(deadline)
{
    int64_t deadline;

    hy_deadline_unpack(in, &deadline);
    END(in);
    hy_deadline_pack(out, deadline);
    return out->code;
}

MAKE(insufficient)
{
    const struct hy_result result = hy_wire_result(samples, OUTPUTS);

    hy_pack_text(out, hy_wire_text(samples));
    hy_result_pack(out, &result);
}

ECHO(insufficient)
{
    const char *text = hy_answer_text(in);
    struct hy_output_shape shapes[OUTPUTS];
    struct hy_result result = {.output_count = OUTPUTS, .outputs = shapes};

    hy_result_unpack(in, &result);
    END(in);
    hy_pack_text(out, text);
    hy_result_pack(out, &result);
    return out->code;
}

MAKE(execute)
{
    const struct hy_request request = hy_wire_request(samples);
    const struct hy_run_options options = hy_wire_run_options(samples);

    hy_request_pack(out, &request);
    hy_run_options_pack(out, &options);
}

ECHO(execute)
{
    struct hy_run_options options;
    struct hy_request request;
    struct hy_pool *pools;

    hy_request_unpack(in, &request, &pools);
    hy_run_options_unpack(in, &options);
    END(in);
    hy_wire_demand_request(&request);
    hy_request_pack(out, &request);
    hy_run_options_pack(out, &options);
    return out->code;
}

MAKE(fenced)
{
    const struct hy_fences fences = hy_wire_fences(samples);

    make_execute(samples, out);
    hy_fences_pack(out, &fences);
}

ECHO(fenced)
{
    struct hy_run_options options;
    struct hy_request request;
    struct hy_fences fences;
    struct hy_pool *pools;

    hy_request_unpack(in, &request, &pools);
    hy_run_options_unpack(in, &options);
    hy_fences_unpack(in, &fences);
    END(in);
    hy_wire_demand_request(&request);
    hy_request_pack(out, &request);
    hy_run_options_pack(out, &options);
    hy_fences_pack(out, &fences);
    return out->code;
}

MAKE(result)
{
    const struct hy_result result = hy_wire_result(samples, OUTPUTS);

    hy_result_pack(out, &result);
}

ECHO(result)
{
    struct hy_output_shape shapes[OUTPUTS];
    struct hy_result result = {.output_count = OUTPUTS, .outputs = shapes};

    hy_result_unpack(in, &result);
    END(in);
    hy_result_pack(out, &result);
    return out->code;
}

MAKE(fenced_result)
{
    const struct hy_fenced_result result = hy_wire_fenced_result(samples);

    hy_fenced_result_pack(out, &result);
}

ECHO(fenced_result)
{
    struct hy_fenced_result result;

    hy_fenced_result_unpack(in, &result);
    END(in);
    hy_fenced_result_pack(out, &result);
    return out->code;
}

static const struct hy_wire_body bodies[] = {
    BODY(EXECUTE, "execute", execute, execute),
    ANSWER(EXECUTE, "result", result, result),
    ANSWER(EXECUTE, "insufficient size", insufficient, insufficient),
    BODY(EXECUTE_FENCED, "execute fenced", fenced, fenced),
    ANSWER(EXECUTE_FENCED, "fenced", nothing, nothing),
    BODY(FENCED_RESULT, "ask for a fenced result", nothing, nothing),
    ANSWER(FENCED_RESULT, "fenced result", fenced_result, fenced_result),
    BODY(FENCED_DESTROY, "fenced destroy", nothing, nothing),
    ANSWER(FENCED_DESTROY, "fenced destroyed", nothing, nothing),
    BODY(REUSABLE_CREATE, "reusable create", execute, execute),
    ANSWER(REUSABLE_CREATE, "reusable created", nothing, nothing),
    BODY(REUSABLE_EXECUTE, "reusable execute", deadline, deadline),
    ANSWER(REUSABLE_EXECUTE, "reusable result", result, result),
    BODY(REUSABLE_DESTROY, "reusable destroy", nothing, nothing),
    ANSWER(REUSABLE_DESTROY, "reusable destroyed", nothing, nothing),
};
const struct hy_wire_family hy_wire_run_bodies = FAMILY(bodies);
