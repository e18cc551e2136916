#include "tools/commands/cached_steps.h"
#include "tools/print_json.h"
#include "tools/token_text.h"

void hy_cached_steps_add_json(struct hy_cached_steps *steps, const struct halyard_plan_step *step)
{
    static const char *const outcomes[] = {
        [HALYARD_CACHE_OFF] = "off",
        [HALYARD_CACHE_UNUSED] = "unused",
        [HALYARD_CACHE_HIT] = "hit",
        [HALYARD_CACHE_STORED] = "stored",
        [HALYARD_CACHE_NOT_STORED] = "not stored",
    };
    char token[HY_TOKEN_TEXT_SIZE];

    hy_token_text(step->token, token);
    if (!steps->json)
        steps->json = json_array();
    json_array_append_new(steps->json, json_pack("{s:o, s:I, s:s, s:o, s:I, s:s}", "device",
                                                 hy_json_text(hy_device_name(step->device)),
                                                 "operations", (json_int_t)step->operation_count,
                                                 "outcome", outcomes[step->cache], "reason",
                                                 hy_json_text(step->cache_reason), "bytes",
                                                 (json_int_t)step->cache_bytes, "token", token));
}

void hy_cached_steps_finish(struct hy_cached_steps *steps)
{
    json_decref(steps->json);
    *steps = (struct hy_cached_steps){0};
}

enum hy_code hy_cached_steps_print_json(struct hy_cached_steps *steps, const char *model,
                                        const char *dir, const char *outcome,
                                        const struct hy_error *why, struct hy_error *err)
{
    json_t *object = json_pack("{s:o, s:o, s:o, s:b, s:o}", "model", hy_json_text(model),
                               "directory", dir ? hy_json_text(dir) : json_null(), "steps",
                               steps->json ? steps->json : json_array(), outcome, why == NULL,
                               "reason", why ? hy_json_text(why->text) : json_null());

    steps->json = NULL;
    return hy_json_print(object, err);
}
