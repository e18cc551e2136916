/* The kinds of memory, and the positions of tensors in it: B13, B14, B26. */
#include "tools/check_driver/rules/check.h"

static const struct {
    uint32_t kind;
    const char *name;
} kinds[] = {
    {HY_POOL_ASHMEM, "ASHMEM"},
    {HY_POOL_MMAP_FD, "MMAP_FD at an offset"},
    {HY_POOL_HARDWARE_BUFFER_BLOB, "HARDWARE_BUFFER_BLOB"},
    {HY_POOL_HOST, "HOST"},
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

/* HOST is optional: a device declares it in pool_kinds, or by a pool_kinds of 0. */
static bool is_due(const struct hy_check *check, size_t which)
{
    const uint32_t reported = check->info.pool_kinds;
    return kinds[which].kind != HY_POOL_HOST || reported == 0 || (reported >> HY_POOL_HOST & 1);
}

static void check_arguments(struct hy_check *check, const struct hy_vector *vector, size_t which)
{
    const struct hy_request_case_form form = {.kind = kinds[which].kind};
    struct hy_sample sample;
    struct hy_error reason;
    if (hy_sample_make(check, HY_RULE_B13, vector, &form, &sample)) {
        hy_result_page_step(check->page, HY_RULE_B13, "executing %s over %s", vector->name,
                            kinds[which].name);
        const int32_t status = hy_call_execute(check, sample.prepared, &sample.test_case);
        const bool may_refuse = !is_due(check, which) && status == HY_STATUS_GENERAL_FAILURE;
        if (!may_refuse &&
            hy_request_case_check(&sample.test_case, status, &reason) != HY_REQUEST_CASE_OK)
            hy_result_page_report(check->page, HY_RULE_B13, "%s over %s: %s", vector->name,
                                  kinds[which].name, reason.text);
    }
    hy_sample_finish(check, &sample);
}

/* A model with constants in a pool: a driver may refuse constants that it cannot decode in
 * supported_operations or in prepare. False if the model has no suitable constant. */
static bool check_constants(struct hy_check *check, const struct hy_vector *vector, size_t which)
{
    struct hy_sample sample = {.vector = vector};
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    hy_result_page_step(check->page, HY_RULE_B26, "preparing %s with constants in %s", vector->name,
                        kinds[which].name);
    const bool has_constants =
        hy_model_view_make(vector, kinds[which].kind, &sample.model_view, NULL) == HY_OK &&
        sample.model_view.model.pool_count > 0;
    if (has_constants && hy_request_case_make(vector, &form, &sample.test_case, NULL) == HY_OK) {
        int32_t status = HY_STATUS_GENERAL_FAILURE;
        if (hy_call_supports(check, &sample.model_view.model))
            status =
                hy_call_prepare(check, &sample.model_view.model, HY_NO_DEADLINE, &sample.prepared);
        if (status == HY_STATUS_OK)
            hy_sample_run(check, HY_RULE_B26, &sample);
        else if (is_due(check, which) || status != HY_STATUS_GENERAL_FAILURE)
            hy_result_page_report(check->page, HY_RULE_B26,
                                  "%s with constants in %s: refused, or %s", vector->name,
                                  kinds[which].name, hy_status_text(status));
    }
    hy_sample_finish(check, &sample);
    return has_constants;
}

/* Tries every supported model, because a model without a constant tests nothing. */
static void check_all_constants(struct hy_check *check)
{
    bool any = false;
    for (uint32_t i = 0; i < check->models->count; i++) {
        const struct hy_vector *vector = check->models->vectors[i];
        if (!check->page->is_claimed[i] || vector->multinomial_tolerance > 0)
            continue;
        for (size_t kind = 0; kind < KIND_COUNT; kind++)
            any |= check_constants(check, vector, kind);
    }
    if (any)
        hy_result_page_pass(check->page, HY_RULE_B26);
    else
        hy_result_page_skip(check->page, HY_RULE_B26, "no supported model has a constant tensor");
}

/* Every offset from an aligned address. */
static void check_addresses(struct hy_check *check, const struct hy_vector *vector)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD, .shift = 1};
    struct hy_sample sample;
    if (hy_sample_make(check, HY_RULE_B14, vector, &form, &sample)) {
        hy_result_page_step(check->page, HY_RULE_B14, "executing %s over tensors at odd addresses",
                            vector->name);
        hy_sample_run(check, HY_RULE_B14, &sample);
    }
    hy_sample_finish(check, &sample);
}

void hy_check_memory(struct hy_check *check)
{
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));)
        for (size_t i = 0; i < KIND_COUNT; i++)
            check_arguments(check, vector, i);
    hy_result_page_pass(check->page, HY_RULE_B13);
    check_all_constants(check);
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));)
        check_addresses(check, vector);
    hy_result_page_pass(check->page, HY_RULE_B14);
}
