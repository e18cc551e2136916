#include "common/clock.h"
#include "common/status.h"
#include "halyard/halyard.h"
#include "runtime/cache/flow_parts.h"
#include "runtime/cache/use.h"
#include "runtime/driver_status.h"

#include <stdlib.h>
#include <string.h>

/* ---- Beginning ------------------------------------------------------------------------------- */

static enum hy_code check_counts(const struct hy_cache_flow *flow, struct hy_error *err)
{
    const struct hy_caching *caching = flow->caching;
    const struct hy_file_counts counts = hy_flow_counts(flow);

    if (!hy_flow_has_app_files(flow) ||
        (caching->model_file_count == counts.model && caching->data_file_count == counts.data))
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "%u model and %u data cache files were given, it needs %u and %u",
                   caching->model_file_count, caching->data_file_count, counts.model, counts.data);
}

static void fill_use(struct hy_cache_use *use, const struct hy_cache_flow *flow,
                     const struct hy_cache_subject *subject)
{
    const struct hy_device_info *info = flow->info;

    use->counts = hy_flow_counts(flow);
    use->facts = (struct hy_entry_facts){
        .device = info->name,
        .version = info->version,
        .build_id = info->build_id ? info->build_id : "",
        .operations = subject->model->main->operation_count,
        .preference = subject->preference,
        .priority = subject->priority,
    };
}

static enum hy_code make_use(struct hy_cache_flow *flow, const struct hy_cache_subject *subject,
                             struct hy_error *err)
{
    const struct hy_caching *caching = flow->caching;
    struct hy_cache_use *use = calloc(1, sizeof *use);
    if (!use)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory");

    fill_use(use, flow, subject);
    enum hy_code code = hy_cache_identify(caching, subject, use->token, err);
    if (code == HY_OK && !hy_flow_has_app_files(flow))
        code = hy_stores_take(caching->folder, caching->is_automatic, caching->limit, &use->store,
                              err);
    if (code != HY_OK) {
        free(use);
        return code;
    }
    hy_cache_use_enlist(use);
    flow->outcome->use = use;
    return HY_OK;
}

/* A device of ours asks the host for all bytes and leaves the descriptors alone. One without
 * prepare_from_cache may rewrite all that it gets; one in another process maps for itself. */
static struct hy_entry_access access_for(const struct hy_runtime_device *device)
{
    const bool can_restore = device->table->prepare_from_cache;
    const bool is_lent = device->kind != HALYARD_DEVICE_BUILT_IN;

    return (struct hy_entry_access){
        .is_lent = is_lent,
        .is_restored_here = !device->service,
        .map_from = !can_restore ? UINT64_MAX
                    : is_lent    ? HY_ENTRY_LEND_FROM
                                 : HY_ENTRY_MAP_FROM,
    };
}

bool hy_cache_flow_begin(struct hy_cache_flow *flow, const struct hy_caching *caching,
                         const struct hy_cache_subject *subject, int64_t deadline,
                         struct hy_cache_outcome *outcome)
{
    const struct hy_device_info *info = &subject->device->info;
    struct hy_error why;

    *flow = (struct hy_cache_flow){.caching = caching,
                                   .info = info,
                                   .outcome = outcome,
                                   .deadline = deadline,
                                   .start = hy_clock_now(),
                                   .can_restore = subject->device->table->prepare_from_cache,
                                   .access = access_for(subject->device),
                                   .may_offer = true};
    if (info->model_cache_files == 0 && info->data_cache_files == 0) {
        outcome->kind = HY_CACHE_UNUSED;
        hy_flow_explain(flow, "the device does not cache");
        return false;
    }
    outcome->kind = HY_CACHE_NOT_STORED;
    enum hy_code code = check_counts(flow, &why);
    if (code == HY_OK)
        code = make_use(flow, subject, &why);
    if (code == HY_OK)
        return true;
    hy_flow_explain(flow, "%s", why.text);
    hy_flow_tell(flow);
    return false;
}

/* ---- Finding --------------------------------------------------------------------------------- */

static bool find_entry(struct hy_cache_flow *flow)
{
    struct hy_cache_use *use = flow->outcome->use;
    struct hy_entry *entry = NULL;
    struct hy_error why;

    enum hy_code code =
        hy_entry_open(use->store->store, use->token, use->counts, &flow->access, &entry, &why);
    if (code != HY_OK) {
        flow->is_damaged = code == HY_BAD_DATA;
        hy_flow_explain(flow, "%s", why.text);
        return false;
    }
    struct hy_found_entry *found = hy_found_entry_create(entry);
    if (!found) {
        hy_flow_explain(flow, "no memory");
        return false;
    }
    for (uint32_t i = 0; i < use->counts.model; i++)
        flow->files[i] = entry->model[i].fd;
    for (uint32_t i = 0; i < use->counts.data; i++)
        flow->files[use->counts.model + i] = entry->data[i].fd;
    if (flow->can_restore)
        hy_cache_use_set_found(use, found);
    else
        flow->lent = found;
    return flow->can_restore;
}

static bool find_in_app_files(struct hy_cache_flow *flow)
{
    const struct hy_file_counts counts = hy_flow_counts(flow);

    memcpy(flow->files, flow->caching->files,
           ((size_t)counts.model + counts.data) * sizeof *flow->files);
    const bool is_empty = hy_flow_measure(flow) == 0;
    if (is_empty)
        hy_flow_explain(flow, "the files are empty");
    return !is_empty && flow->can_restore;
}

static void note_find_time(struct hy_cache_flow *flow)
{
    flow->outcome->find_ns = hy_clock_now() - flow->start;
}

bool hy_cache_flow_find(struct hy_cache_flow *flow, struct hy_prepare_options *options)
{
    if (hy_clock_is_past(flow->deadline)) {
        flow->may_offer = false;
        hy_flow_explain(flow, "no time left");
        return false;
    }
    const bool is_found = hy_flow_has_app_files(flow) ? find_in_app_files(flow) : find_entry(flow);
    note_find_time(flow);
    if (is_found)
        hy_flow_set_files(flow, options);
    return is_found;
}

/* Whether a failure says something of the files: a device that is busy may take them tomorrow. A
 * device that died over them would die of them tomorrow, too. */
static bool blames_files(int32_t status)
{
    switch (status) {
    case HY_STATUS_DEVICE_UNAVAILABLE:
    case HY_STATUS_MISSED_DEADLINE_TRANSIENT:
    case HY_STATUS_MISSED_DEADLINE_PERSISTENT:
    case HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT:
    case HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT:
        return false;
    default:
        return true;
    }
}

static void refuse(struct hy_cache_flow *flow, int32_t status, const char *words)
{
    struct hy_cache_use *use = flow->outcome->use;

    if (status == HY_STATUS_OK)
        words = "it succeeded without a prepared model";
    hy_flow_explain(flow, "prepare_from_cache: %s",
                    *words ? words : hy_code_name(hy_code_of(status)));
    hy_cache_use_drop_found(use);
    if (!blames_files(status)) {
        flow->may_offer = false;
        return;
    }
    flow->is_damaged = true;
    if (use->store)
        hy_entry_remove(use->store->store, use->token);
}

bool hy_cache_flow_restored(struct hy_cache_flow *flow, int32_t status, const void *prepared,
                            const char *words)
{
    struct hy_cache_outcome *outcome = flow->outcome;

    note_find_time(flow);
    if (status != HY_STATUS_OK || !prepared) {
        refuse(flow, status, words);
        return false;
    }
    outcome->kind = HY_CACHE_HIT;
    outcome->bytes = hy_flow_measure(flow);
    hy_flow_explain(flow, "prepared from files");
    if (hy_cache_use_keep_guarded(outcome->use))
        outcome->is_torn = &outcome->use->guarded->entry->is_torn;
    hy_cache_use_drop_found(outcome->use);
    hy_flow_tell(flow);
    return true;
}

/* ---- The end ------------------------------------------------------------------------------- */

void hy_cache_outcome_finish(struct hy_cache_outcome *outcome)
{
    struct hy_cache_use *use = outcome->use;

    if (!use)
        return;
    outcome->use = NULL;
    outcome->is_torn = NULL;
    hy_cache_use_delist(use);
    hy_found_entry_release(use->found);
    hy_found_entry_release(use->guarded);
    hy_entry_writer_discard(use->writer);
    hy_stores_give_back(use->store);
    free(use);
}
