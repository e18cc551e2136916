#include "runtime/plan/support/wrong_scales.h"

#include "common/operations/control_flow.h"
#include "common/operations/signature.h"
#include "runtime/extension/code_text.h"
#include "runtime/plan/alloc.h"

/* The list is allocated at the first wrong scale. */
struct search {
    const struct hy_model *model;
    struct hy_arena *arena;
    const char **reasons; /* [operation]; NULL without wrong scales */
};

/* OK, or the first wrong scale of all bodies. */
static enum hy_code check_bodies(const struct hy_model *model, struct hy_error *why)
{
    for (uint32_t i = 0; i < model->referenced_count; i++) {
        const struct hy_subgraph *body = model->referenced[i];
        for (uint32_t j = 0; j < body->operation_count; j++) {
            enum hy_code code =
                hy_signature_check_quantisation(body->operands, &body->operations[j], why);
            if (code != HY_OK)
                return hy_error_prefix(why, code, "body %u, operation %u", i, j);
        }
    }
    return HY_OK;
}

static enum hy_code note(struct search *search, uint32_t operation, const struct hy_error *why,
                         struct hy_error *err)
{
    const uint32_t count = search->model->main->operation_count;

    if (!search->reasons)
        search->reasons = hy_plan_alloc(search->arena, count, sizeof *search->reasons);
    if (search->reasons)
        search->reasons[operation] = hy_plan_strdup(search->arena, why->text);
    if (!search->reasons || !search->reasons[operation])
        return hy_fail(err, HY_OUT_OF_MEMORY, "reasons of %u operations", count);
    return HY_OK;
}

static enum hy_code find_own(struct search *search, bool *has_bodies, struct hy_error *err)
{
    const struct hy_subgraph *main = search->model->main;
    struct hy_error why;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < main->operation_count; i++) {
        *has_bodies |= hy_is_control_flow(main->operations[i].type);
        if (hy_signature_check_quantisation(main->operands, &main->operations[i], &why) != HY_OK)
            code = note(search, i, &why, err);
    }
    return code;
}

static enum hy_code find_in_bodies(struct search *search, struct hy_error *err)
{
    const struct hy_subgraph *main = search->model->main;
    struct hy_error body_why;
    enum hy_code code = HY_OK;

    if (check_bodies(search->model, &body_why) == HY_OK)
        return HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < main->operation_count; i++) {
        struct hy_error why = body_why;
        if (!hy_is_control_flow(main->operations[i].type))
            continue;
        hy_error_set_prefix(&why, why.code, "%s", hy_operation_text(main->operations[i].type));
        code = note(search, i, &why, err);
    }
    return code;
}

enum hy_code hy_plan_find_wrong_scales(const struct hy_model *model, struct hy_arena *arena,
                                       const char *const **ret, struct hy_error *err)
{
    struct search search = {.model = model, .arena = arena};
    bool has_bodies = false;

    enum hy_code code = find_own(&search, &has_bodies, err);
    if (code == HY_OK && has_bodies)
        code = find_in_bodies(&search, err);
    if (code == HY_OK)
        *ret = search.reasons;
    return code;
}
