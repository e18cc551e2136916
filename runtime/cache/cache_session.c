#include "runtime/cache/cache_session.h"

#include "common/clock.h"
#include "common/distinct_texts.h"
#include "common/status.h"
#include "halyard/halyard.h"
#include "plugins/service/client/service.h"
#include "runtime/cache/entry_copies.h"
#include "runtime/cache/file_bytes.h"
#include "runtime/cache/records.h"
#include "runtime/cache/session_list.h"
#include "runtime/driver_status.h"
#include "runtime/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- The outcome ----------------------------------------------------------------------------- */

/* Appends to the reason: "there is no entry; not kept: the disk is full". */
__attribute__((format(printf, 2, 3))) static void explain(struct hy_cache_session *session,
                                                          const char *format, ...)
{
    char *reason = session->reason;
    size_t used = strlen(reason);
    va_list args;

    if (used > 0)
        used += (size_t)snprintf(reason + used, HY_CACHE_REASON_SIZE - used, "; ");
    if (used >= HY_CACHE_REASON_SIZE)
        return;
    va_start(args, format);
    vsnprintf(reason + used, HY_CACHE_REASON_SIZE - used, format, args);
    va_end(args);
}

/* Warns an app whose requested cache is not available, once for each directory. */
static void warn_of_unkept(const struct hy_cache_session *session, const char *why)
{
    static struct hy_distinct_texts reported;
    const char *dir = session->caching->dir;
    const char *position = dir ? dir : "the cache files of the app";

    if (hy_log_enabled(HY_LOG_WARNING, "cache") &&
        hy_distinct_texts_add(&reported, position) != HY_TEXT_KNOWN)
        hy_log(HY_LOG_WARNING, "cache", "nothing is cached in %s: %s", position, why);
}

/* Without records nothing is cached in any directory, so one line is enough. */
static void warn_of_missing_records(const struct hy_cache_session *session)
{
    static atomic_flag is_reported = ATOMIC_FLAG_INIT;
    struct hy_error why;

    if (session->kind == HY_CACHE_NOT_STORED && hy_process_records_are_missing(&why) &&
        !atomic_flag_test_and_set(&is_reported))
        warn_of_unkept(session, why.text);
}

/* Logs the final outcome. */
static void log_outcome(const struct hy_cache_session *session)
{
    static const char *const outcomes[] = {"off", "not used", "hit", "miss, stored",
                                           "miss, not stored"};
    const int32_t level = session->is_damaged ? HY_LOG_WARNING : HY_LOG_INFO;

    if (hy_log_enabled(level, "cache"))
        hy_log(level, "cache", "%s: %s: %s; %llu bytes, %llu us to find, %llu us to publish",
               session->entry_info.device, outcomes[session->kind], session->reason,
               (unsigned long long)session->bytes, (unsigned long long)session->find_ns / 1000,
               (unsigned long long)session->publish_ns / 1000);
    warn_of_missing_records(session);
}

struct hy_cache_outcome hy_cache_session_outcome(const struct hy_cache_session *session)
{
    struct hy_cache_outcome outcome = {.kind = session->kind,
                                       .reason = session->reason,
                                       .bytes = session->bytes,
                                       .find_ns = session->find_ns,
                                       .publish_ns = session->publish_ns};
    const uint64_t updated = atomic_load(&session->updated_bytes);

    if (outcome.kind == HY_CACHE_NOT_STORED && updated > 0) {
        outcome.kind = HY_CACHE_STORED;
        outcome.reason = "the device wrote the entry after it was compiled";
        outcome.bytes = updated;
    }
    return outcome;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool has_app_files(const struct hy_cache_session *session)
{
    return session->caching->files != NULL;
}

static uint32_t file_count(const struct hy_cache_session *session)
{
    return session->counts.model + session->counts.data;
}

/* 0 also if the sizes are unknown. */
static uint64_t measure(const struct hy_cache_session *session)
{
    return hy_file_bytes(session->files, file_count(session));
}

static void set_files(const struct hy_cache_session *session, struct hy_prepare_options *options)
{
    options->model_cache = session->files;
    options->data_cache = session->files + session->counts.model;
    options->model_cache_count = session->counts.model;
    options->data_cache_count = session->counts.data;
    options->token = session->token;
}

static void clear_files(struct hy_prepare_options *options)
{
    options->model_cache = options->data_cache = NULL;
    options->model_cache_count = options->data_cache_count = 0;
    options->token = NULL;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static enum hy_code check_counts(const struct hy_cache_session *session, struct hy_error *err)
{
    const struct hy_caching *caching = session->caching;
    const struct hy_file_counts counts = session->counts;

    if (!has_app_files(session) ||
        (caching->model_file_count == counts.model && caching->data_file_count == counts.data))
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "%u model and %u data cache files were given, the device needs %u and %u",
                   caching->model_file_count, caching->data_file_count, counts.model, counts.data);
}

/* A built-in device asks the host for all bytes and does not use the descriptors. A device without
 * prepare_from_cache may rewrite all files. A device in another process maps the files itself. */
static struct hy_entry_access access_for(const struct hy_runtime_device *device)
{
    const bool can_restore = device->table->prepare_from_cache;
    const bool passes_fds = device->kind != HALYARD_DEVICE_BUILT_IN;

    return (struct hy_entry_access){
        .passes_fds = passes_fds,
        .is_restored_here = !device->service,
        .map_from = !can_restore ? UINT64_MAX
                    : passes_fds ? HY_ENTRY_PASS_FD_FROM
                                 : HY_ENTRY_MAP_FROM,
    };
}

static void init(struct hy_cache_session *session, const struct hy_caching *caching,
                 const struct hy_cache_subject *subject, int64_t deadline)
{
    const struct hy_device_info *info = &subject->device->info;

    *session = (struct hy_cache_session){
        .counts = {.model = info->model_cache_files, .data = info->data_cache_files},
        .entry_info = {.device = info->name,
                       .version = info->version,
                       .build_id = info->build_id ? info->build_id : "",
                       .operations = subject->model->main->operation_count,
                       .preference = subject->preference,
                       .priority = subject->priority},
        .caching = caching,
        .deadline = deadline,
        .start = hy_clock_now(),
        .can_restore = subject->device->table->prepare_from_cache,
        .access = access_for(subject->device),
        .may_offer = true,
    };
}

/* Fails after an upgrade of the service: the token would name the build that was reported to the
 * app. */
static enum hy_code check_build(const struct hy_runtime_device *device, struct hy_error *why)
{
    return device->service && hy_service_is_upgraded(device->self, why) ? why->code : HY_OK;
}

bool hy_cache_session_begin(struct hy_cache_session *session, const struct hy_caching *caching,
                            const struct hy_cache_subject *subject, int64_t deadline)
{
    struct hy_error why;

    init(session, caching, subject, deadline);
    if (file_count(session) == 0) {
        session->kind = HY_CACHE_UNUSED;
        explain(session, "the device does not support caching");
        return false;
    }
    session->kind = HY_CACHE_NOT_STORED;
    enum hy_code code = check_build(subject->device, &why);
    if (code == HY_OK)
        code = check_counts(session, &why);
    if (code == HY_OK)
        code = hy_cache_identify(caching, subject, session->token, &why);
    if (code == HY_OK && !has_app_files(session)) {
        code = hy_store_open(caching->dir, caching->is_automatic, caching->limit, &session->store,
                             &why);
        if (code != HY_OK)
            warn_of_unkept(session, why.text);
    }
    if (code != HY_OK) {
        explain(session, "%s", why.text);
        log_outcome(session);
        return false;
    }
    hy_cache_sessions_add(session);
    return true;
}

void hy_cache_session_finish(struct hy_cache_session *session)
{
    if (!session->is_listed)
        return;
    hy_cache_sessions_remove(session);
    session->is_truncated = NULL;
    hy_entry_close(session->found);
    hy_entry_close(session->guarded);
    hy_entry_writer_discard(session->writer);
    hy_store_close(session->store);
}

/* ---- Finding --------------------------------------------------------------------------------- */

static bool find_entry(struct hy_cache_session *session)
{
    const struct hy_file_counts counts = session->counts;
    struct hy_entry *entry = NULL;
    struct hy_error why;

    enum hy_code code =
        hy_entry_open(session->store, session->token, counts, &session->access, &entry, &why);
    if (code != HY_OK) {
        session->is_damaged = code == HY_BAD_DATA;
        explain(session, "%s", why.text);
        return false;
    }
    for (uint32_t i = 0; i < counts.model; i++)
        session->files[i] = entry->model[i].fd;
    for (uint32_t i = 0; i < counts.data; i++)
        session->files[counts.model + i] = entry->data[i].fd;
    if (session->can_restore)
        hy_cache_session_set_found(session, entry);
    else
        session->passed_entry = entry;
    return session->can_restore;
}

static bool find_in_app_files(struct hy_cache_session *session)
{
    memcpy(session->files, session->caching->files, file_count(session) * sizeof *session->files);
    const bool is_empty = measure(session) == 0;
    if (is_empty)
        explain(session, "the cache files are empty");
    return !is_empty && session->can_restore;
}

static void note_find_time(struct hy_cache_session *session)
{
    session->find_ns = hy_clock_now() - session->start;
}

bool hy_cache_session_find(struct hy_cache_session *session, struct hy_prepare_options *options)
{
    if (hy_clock_is_past(session->deadline)) {
        session->may_offer = false;
        explain(session, "the deadline has passed");
        return false;
    }
    const bool is_found = has_app_files(session) ? find_in_app_files(session) : find_entry(session);
    note_find_time(session);
    if (is_found)
        set_files(session, options);
    return is_found;
}

/* True: the failure may be caused by the files. A busy device may accept the files later. A device
 * that died while reading the files would probably die again. */
static bool is_file_fault(int32_t status)
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

static void refuse(struct hy_cache_session *session, int32_t status, const char *reason)
{
    if (status == HY_STATUS_OK)
        reason = "OK without a prepared model";
    explain(session, "prepare_from_cache failed: %s",
            *reason ? reason : hy_code_name(hy_code_of(status)));
    hy_cache_session_drop_found(session);
    if (!is_file_fault(status)) {
        session->may_offer = false;
        return;
    }
    session->is_damaged = true;
    if (session->store)
        hy_entry_remove(session->store, session->token);
}

bool hy_cache_session_restored(struct hy_cache_session *session, int32_t status,
                               const void *prepared, const char *reason)
{
    note_find_time(session);
    if (status != HY_STATUS_OK || !prepared) {
        refuse(session, status, reason);
        return false;
    }
    session->kind = HY_CACHE_HIT;
    session->bytes = measure(session);
    explain(session, "prepared from files");
    if (hy_cache_session_hold_guarded(session))
        session->is_truncated = &session->guarded->is_truncated;
    hy_cache_session_drop_found(session);
    log_outcome(session);
    return true;
}

/* ---- Offering -------------------------------------------------------------------------------- */

static void release_passed_entry(struct hy_cache_session *session)
{
    hy_entry_close(session->passed_entry);
    session->passed_entry = NULL;
}

static bool make_writer(struct hy_cache_session *session)
{
    const struct hy_file_counts counts = session->counts;
    struct hy_entry_writer *writer = NULL;
    struct hy_error why;

    if (hy_entry_writer_create(session->store, session->token, counts, &writer, &why) != HY_OK) {
        explain(session, "not stored: %s", why.text);
        warn_of_unkept(session, why.text);
        return false;
    }
    memcpy(session->files, writer->model, counts.model * sizeof *session->files);
    memcpy(session->files + counts.model, writer->data, counts.data * sizeof *session->files);
    hy_cache_session_set_writer(session, writer);
    return true;
}

void hy_cache_session_offer(struct hy_cache_session *session, struct hy_prepare_options *options)
{
    clear_files(options);
    session->start = hy_clock_now();
    if (session->passed_entry && !hy_entry_copies_mark(session->passed_entry)) {
        explain(session, "no private copy of the entry: the file system has no change times");
        release_passed_entry(session);
    }
    if (session->may_offer && !session->passed_entry && !has_app_files(session))
        session->may_offer = make_writer(session);
    if (session->may_offer)
        set_files(session, options);
    session->publish_ns = hy_clock_now() - session->start;
}

/* ---- Publishing ------------------------------------------------------------------------------ */

static enum hy_code publish(struct hy_cache_session *session, struct hy_entry_writer *writer,
                            struct hy_error *err)
{
    if (!hy_clock_is_past(session->deadline))
        return hy_entry_writer_publish(writer, &session->entry_info, session->is_kept_open, err);
    hy_entry_writer_discard(writer);
    return hy_fail(err, HY_MISSED_DEADLINE, "the deadline has passed");
}

/* The existing entry was opened, so no writer exists yet. */
static enum hy_code copy_passed_entry(struct hy_cache_session *session,
                                      struct hy_entry_writer **ret, struct hy_error *err)
{
    struct hy_entry_writer *writer = NULL;

    enum hy_code code =
        hy_entry_writer_create(session->store, session->token, session->counts, &writer, err);
    if (code != HY_OK)
        return code;
    code = hy_entry_copies_copy(session->passed_entry, writer, err);
    if (code != HY_OK) {
        hy_entry_writer_discard(writer);
        return code;
    }
    *ret = writer;
    return HY_OK;
}

static enum hy_code publish_files(struct hy_cache_session *session, struct hy_error *err)
{
    struct hy_entry_writer *writer = session->writer;
    enum hy_code code = HY_OK;

    hy_cache_session_set_writer(session, NULL);
    if (session->passed_entry)
        code = copy_passed_entry(session, &writer, err);
    if (code == HY_OK && writer)
        return publish(session, writer, err);
    if (code == HY_OK && session->bytes == 0)
        return hy_fail(err, HY_BAD_DATA, "the driver wrote nothing");
    return code;
}

static void save(struct hy_cache_session *session)
{
    struct hy_error why;

    session->bytes = measure(session);
    if (session->passed_entry && hy_entry_copies_are_unchanged(session->passed_entry)) {
        session->kind = HY_CACHE_HIT;
        explain(session, "the device copied the files");
        return;
    }
    if (publish_files(session, &why) == HY_OK) {
        session->kind = HY_CACHE_STORED;
        if (session->passed_entry)
            explain(session, "the device rewrote the files");
        if (session->is_kept_open)
            explain(session, "the device keeps the files open for writing");
        return;
    }
    session->bytes = 0;
    explain(session, "not stored: %s", why.text);
}

static void discard_writer(struct hy_cache_session *session, struct hy_prepare_options *options)
{
    struct hy_entry_writer *writer = session->writer;

    hy_cache_session_set_writer(session, NULL);
    hy_entry_writer_discard(writer);
    clear_files(options);
}

/* The device failed or died with a copy of the entry: removes the entry and offers empty files. */
static bool offer_anew(struct hy_cache_session *session, struct hy_prepare_options *options,
                       enum hy_code code)
{
    discard_writer(session, options);
    hy_entry_remove(session->store, session->token);
    session->is_damaged = true;
    explain(session, "prepare with a private copy of the entry failed: %s", hy_code_name(code));
    hy_cache_session_offer(session, options);
    return true;
}

/* A driver's failure with files must not fail the compilation. HY_FAILED and HY_BAD_DATA are the
 * codes not caused by the device, the deadline or a lack of memory. */
static bool retry_without_files(struct hy_cache_session *session,
                                struct hy_prepare_options *options, enum hy_code code)
{
    const bool had_files = options->token != NULL;

    discard_writer(session, options);
    session->may_offer = false;
    if (!had_files || (code != HY_FAILED && code != HY_BAD_DATA))
        return false;
    session->is_damaged = true;
    explain(session, "prepare with cache files failed: %s", hy_code_name(code));
    return true;
}

bool hy_cache_session_publish(struct hy_cache_session *session, struct hy_prepare_options *options,
                              enum hy_code code)
{
    const uint64_t start = hy_clock_now();

    if (code != HY_OK) {
        const bool is_entry_fault =
            session->passed_entry && (code == HY_FAILED || code == HY_BAD_DATA || code == HY_DEAD);
        release_passed_entry(session);
        return is_entry_fault ? offer_anew(session, options, code)
                              : retry_without_files(session, options, code);
    }
    if (session->may_offer)
        save(session);
    release_passed_entry(session);
    session->publish_ns += hy_clock_now() - start;
    log_outcome(session);
    return false;
}
