#include "common/clock.h"
#include "runtime/cache/flow_parts.h"
#include "runtime/cache/lend.h"
#include "runtime/cache/use.h"
#include "runtime/cache/write_mark.h"

#include <string.h>

static void release_lent(struct hy_cache_flow *flow)
{
    hy_found_entry_release(flow->lent);
    flow->lent = NULL;
}

static bool make_draft(struct hy_cache_flow *flow)
{
    struct hy_cache_use *use = flow->outcome->use;
    struct hy_draft *draft = NULL;
    struct hy_error why;

    if (hy_draft_create(use->store->store, use->token, use->counts, &draft, &why) != HY_OK) {
        hy_flow_explain(flow, "not kept: %s", why.text);
        return false;
    }
    memcpy(flow->files, draft->model, use->counts.model * sizeof *flow->files);
    memcpy(flow->files + use->counts.model, draft->data, use->counts.data * sizeof *flow->files);
    hy_cache_use_set_draft(use, draft);
    return true;
}

/* Marks the copies that the device is lent, to see what it writes. Without marks it gets a draft.
 */
static void mark_lent(struct hy_cache_flow *flow)
{
    if (hy_write_mark_set(flow->files, hy_flow_file_count(flow)))
        return;
    hy_flow_explain(flow, "not lent: the file system keeps no times of changes");
    release_lent(flow);
}

void hy_cache_flow_offer(struct hy_cache_flow *flow, struct hy_prepare_options *options)
{
    hy_flow_clear_files(options);
    flow->start = hy_clock_now();
    if (flow->lent)
        mark_lent(flow);
    if (flow->may_offer && !flow->lent && !hy_flow_has_app_files(flow))
        flow->may_offer = make_draft(flow);
    if (flow->may_offer)
        hy_flow_set_files(flow, options);
    flow->outcome->keep_ns = hy_clock_now() - flow->start;
}

static enum hy_code publish(struct hy_cache_flow *flow, struct hy_draft *draft,
                            struct hy_error *err)
{
    const struct hy_cache_use *use = flow->outcome->use;

    if (!hy_clock_is_past(flow->deadline))
        return hy_draft_publish(draft, &use->facts, use->is_kept_open, err);
    hy_draft_drop(draft);
    return hy_fail(err, HY_MISSED_DEADLINE, "no time left");
}

/* A device that has compiled again may have written the same bytes: that is no hit. */
static bool is_taken_as_it_was(const struct hy_cache_flow *flow)
{
    return flow->lent && hy_write_mark_is_whole(flow->files, hy_flow_file_count(flow)) &&
           hy_lend_is_unchanged(flow->lent->entry);
}

/* What there was has been opened, so there is no draft yet. */
static enum hy_code take_back_lent(struct hy_cache_flow *flow, struct hy_draft **ret,
                                   struct hy_error *err)
{
    struct hy_cache_use *use = flow->outcome->use;
    struct hy_draft *draft = NULL;

    enum hy_code code = hy_draft_create(use->store->store, use->token, use->counts, &draft, err);
    if (code != HY_OK)
        return code;
    code = hy_lend_take_back(flow->lent->entry, draft, err);
    if (code != HY_OK) {
        hy_draft_drop(draft);
        return code;
    }
    *ret = draft;
    return HY_OK;
}

static enum hy_code keep_files(struct hy_cache_flow *flow, struct hy_error *err)
{
    struct hy_cache_outcome *outcome = flow->outcome;
    struct hy_draft *draft = outcome->use->draft;
    enum hy_code code = HY_OK;

    hy_cache_use_set_draft(outcome->use, NULL);
    if (flow->lent)
        code = take_back_lent(flow, &draft, err);
    if (code == HY_OK && draft)
        return publish(flow, draft, err);
    if (code == HY_OK && outcome->bytes == 0)
        return hy_fail(err, HY_BAD_DATA, "nothing was written");
    return code;
}

static void keep(struct hy_cache_flow *flow)
{
    struct hy_cache_outcome *outcome = flow->outcome;
    struct hy_error why;

    outcome->bytes = hy_flow_measure(flow);
    if (is_taken_as_it_was(flow)) {
        outcome->kind = HY_CACHE_HIT;
        hy_flow_explain(flow, "the device has taken a copy of the files");
        return;
    }
    if (keep_files(flow, &why) == HY_OK) {
        outcome->kind = HY_CACHE_STORED;
        if (flow->lent)
            hy_flow_explain(flow, "the device has written the files anew");
        if (outcome->use->is_kept_open)
            hy_flow_explain(flow, "the device goes on writing to them");
        return;
    }
    outcome->bytes = 0;
    hy_flow_explain(flow, "not kept: %s", why.text);
}

static void drop_draft(struct hy_cache_flow *flow, struct hy_prepare_options *options)
{
    struct hy_draft *draft = flow->outcome->use->draft;

    hy_cache_use_set_draft(flow->outcome->use, NULL);
    hy_draft_drop(draft);
    hy_flow_clear_files(options);
}

/* The device failed over a copy of the entry, or died of it: the entry goes, and the device gets
 * empty files. */
static bool offer_anew(struct hy_cache_flow *flow, struct hy_prepare_options *options,
                       enum hy_code code)
{
    const struct hy_cache_use *use = flow->outcome->use;

    drop_draft(flow, options);
    hy_entry_remove(use->store->store, use->token);
    flow->is_damaged = true;
    hy_flow_explain(flow, "prepare with the entry: %s", hy_code_name(code));
    hy_cache_flow_offer(flow, options);
    return true;
}

/* What a driver says of files may be wrong, but is no reason to fail: HY_FAILED and HY_BAD_DATA are
 * what is left when it was not the device, the time or the memory. */
static bool take_back(struct hy_cache_flow *flow, struct hy_prepare_options *options,
                      enum hy_code code)
{
    const bool had_files = options->token != NULL;

    drop_draft(flow, options);
    flow->may_offer = false;
    if (!had_files || (code != HY_FAILED && code != HY_BAD_DATA))
        return false;
    flow->is_damaged = true;
    hy_flow_explain(flow, "prepare with files: %s", hy_code_name(code));
    return true;
}

bool hy_cache_flow_end(struct hy_cache_flow *flow, struct hy_prepare_options *options,
                       enum hy_code code)
{
    const uint64_t start = hy_clock_now();

    if (code != HY_OK) {
        const bool blames_entry =
            flow->lent && (code == HY_FAILED || code == HY_BAD_DATA || code == HY_DEAD);
        release_lent(flow);
        return blames_entry ? offer_anew(flow, options, code) : take_back(flow, options, code);
    }
    if (flow->may_offer)
        keep(flow);
    release_lent(flow);
    flow->outcome->keep_ns += hy_clock_now() - start;
    hy_flow_tell(flow);
    return false;
}
