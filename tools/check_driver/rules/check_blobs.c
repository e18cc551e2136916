/* What a device keeps by itself, with the host's cache engine: B41. */
#include "tools/check_driver/cache_entry.h"
#include "tools/check_driver/host_blobs.h"
#include "tools/check_driver/host_cache.h"

/* What may have become of the blobs when a model is prepared once more. */
static const struct {
    enum hy_host_blobs blobs;
    const char *description;
} states[] = {
    {HY_BLOBS_STORED, "with the stored blobs"},
    {HY_BLOBS_LOST, "after the loss of its blobs"},
    {HY_BLOBS_STORED, "with the blobs stored again"},
    {HY_BLOBS_GOING, "while its blobs are being removed"},
    {HY_BLOBS_REFUSED, "with a host that refuses all blobs"},
};
#define STATE_COUNT (sizeof states / sizeof *states)

static void prepare_once_more(struct hy_check *check, struct hy_sample *sample, unsigned state)
{
    void *prepared = NULL;

    hy_host_blobs_set(states[state].blobs);
    hy_result_page_step(check->page, HY_RULE_B41, "%s, prepared %s", sample->vector->name,
                        states[state].description);
    const int32_t status =
        hy_call_prepare(check, &sample->model_view.model, HY_NO_DEADLINE, &prepared);
    if (status != HY_STATUS_OK || !prepared) {
        hy_result_page_report(check->page, HY_RULE_B41, "%s: prepare returned %s",
                              check->page->doing, hy_status_text(status));
        return;
    }
    hy_cache_run(check, HY_RULE_B41, sample, prepared);
    check->table.prepared_destroy(prepared);
    hy_host_cache_end_tasks();
}

static void check_model(struct hy_check *check, const struct hy_vector *vector)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct hy_sample sample;

    hy_host_blobs_set(HY_BLOBS_STORED);
    if (hy_sample_make(check, HY_RULE_B41, vector, &form, &sample) &&
        hy_sample_run(check, HY_RULE_B41, &sample)) {
        hy_host_cache_end_tasks();
        for (unsigned i = 0; hy_host_blobs_stored() > 0 && i < STATE_COUNT; i++)
            prepare_once_more(check, &sample, i);
    }
    hy_host_blobs_set(HY_BLOBS_STORED);
    hy_sample_finish(check, &sample);
}

void hy_check_blobs(struct hy_check *check)
{
    const struct hy_vector *vector;

    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));)
        check_model(check, vector);
    if (hy_host_blobs_stored() == 0)
        hy_result_page_skip(check->page, HY_RULE_B41, "the driver stores no blobs");
    hy_result_page_pass(check->page, HY_RULE_B41);
}
