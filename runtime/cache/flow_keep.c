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

static bool make_writer(struct hy_cache_flow *flow)
{
    struct hy_cache_use *use = flow->outcome->use;
    struct hy_entry_writer *writer = NULL;
    struct hy_error why;

    if (hy_entry_writer_create(use->store->store, use->token, use->counts, &writer, &why) !=
        HY_OK) {
        hy_flow_explain(flow, "not kept: %s", why.text);
        return false;
    }
    memcpy(flow->files, writer->model, use->counts.model * sizeof *flow->files);
    memcpy(flow->files + use->counts.model, writer->data, use->counts.data * sizeof *flow->files);
    hy_cache_use_set_writer(use, writer);
    return true;
}

/* Marks the copies that the device is lent, to see what it writes. Without marks it gets empty
 * files.
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
        flow->may_offer = make_writer(flow);
    if (flow->may_offer)
        hy_flow_set_files(flow, options);
    flow->outcome->keep_ns = hy_clock_now() - flow->start;
}

static enum hy_code publish(struct hy_cache_flow *flow, struct hy_entry_writer *writer,
                            struct hy_error *err)
{
    const struct hy_cache_use *use = flow->outcome->use;

    if (!hy_clock_is_past(flow->deadline))
        return hy_entry_writer_publish(writer, &use->facts, use->is_kept_open, err);
    hy_entry_writer_discard(writer);
    return hy_fail(err, HY_MISSED_DEADLINE, "no time left");
}

/* A device that has compiled again may have written the same bytes: that is no hit. */
static bool is_taken_as_it_was(const struct hy_cache_flow *flow)
{
    return flow->lent && hy_write_mark_is_whole(flow->files, hy_flow_file_count(flow)) &&
           hy_lend_is_unchanged(flow->lent->entry);
}

/* What there was has been opened, so there is no writer yet. */
static enum hy_code take_back_lent(struct hy_cache_flow *flow, struct hy_entry_writer **ret,
                                   struct hy_error *err)
{
    struct hy_cache_use *use = flow->outcome->use;
    struct hy_entry_writer *writer = NULL;

    enum hy_code code =
        hy_entry_writer_create(use->store->store, use->token, use->counts, &writer, err);
    if (code != HY_OK)
        return code;
    code = hy_lend_take_back(flow->lent->entry, writer, err);
    if (code != HY_OK) {
        hy_entry_writer_discard(writer);
        return code;
    }
    *ret = writer;
    return HY_OK;
}

static enum hy_code keep_files(struct hy_cache_flow *flow, struct hy_error *err)
{
    struct hy_cache_outcome *outcome = flow->outcome;
    struct hy_entry_writer *writer = outcome->use->writer;
    enum hy_code code = HY_OK;

    hy_cache_use_set_writer(outcome->use, NULL);
    if (flow->lent)
        code = take_back_lent(flow, &writer, err);
    if (code == HY_OK && writer)
        return publish(flow, writer, err);
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

static void discard_writer(struct hy_cache_flow *flow, struct hy_prepare_options *options)
{
    struct hy_entry_writer *writer = flow->outcome->use->writer;

    hy_cache_use_set_writer(flow->outcome->use, NULL);
    hy_entry_writer_discard(writer);
    hy_flow_clear_files(options);
}

/* The device failed over a copy of the entry, or died of it: the entry goes, and the device gets
 * empty files. */
static bool offer_anew(struct hy_cache_flow *flow, struct hy_prepare_options *options,
                       enum hy_code code)
{
    const struct hy_cache_use *use = flow->outcome->use;

    discard_writer(flow, options);
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

    discard_writer(flow, options);
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
