#include "runtime/drivers/crash_guard.h"

#include "common/array.h"
#include "common/printable.h"
#include "common/signal_name.h"
#include "runtime/drivers/crash_folder.h"
#include "runtime/drivers/hung_calls.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DAY  (24 * 60 * 60)
#define HOUR (60 * 60)

/* What this process has seen itself. */
struct verdict {
    struct hy_crash_record record;
    char words[96];
};

/* The round of openings. `files` is held over what the end of the process may meet half done. */
static struct {
    pthread_mutex_t files;
    bool has_begun; /* what follows has been looked for */
    bool has_identity;
    struct hy_process_identity own;
    int folder;                      /* below 0: none */
    struct hy_crash_file_list known; /* in the folder, when the round began */
    int file;                        /* of the opening that is under way; below 0: none */
    bool is_guarded;                 /* the record below is that of an opening */
    struct hy_crash_record record;
} openings = {.files = PTHREAD_MUTEX_INITIALIZER, .folder = -1, .file = -1};

static struct verdict *verdicts;
static uint32_t verdict_count;
static struct hy_crash_board *board;
static _Thread_local bool is_opener; /* of the opening that is under way */

/* ---- What counts ----------------------------------------------------------------------------- */

/* An opening that cannot be seen from here may take an hour. */
static bool is_left_behind(const struct hy_crash_record *record)
{
    const int64_t age = (int64_t)time(NULL) - record->time;

    switch (hy_process_identity_state(&record->process, &openings.own)) {
    case HY_PROCESS_LIVES:
        return false;
    case HY_PROCESS_IS_ELSEWHERE:
        return age < 0 || age > HOUR;
    case HY_PROCESS_HAS_ENDED:
        break;
    }
    return true;
}

static bool are_within_a_day(const struct hy_crash_record *a, const struct hy_crash_record *b)
{
    const int64_t apart = a->time > b->time ? a->time - b->time : b->time - a->time;
    return apart <= DAY;
}

/* Somebody killed it between two drivers: the call tells. */
static bool is_suspicious(const struct hy_crash_record *record)
{
    return record->cause == HY_CRASH_UNKNOWN && record->call[0] && is_left_behind(record);
}

/* The other record with which this one counts; NULL: alone it does not. */
static const struct hy_crash_record *partner_of(const struct hy_crash_file_list *list,
                                                uint32_t index)
{
    const struct hy_crash_record *record = &list->items[index].record;

    for (uint32_t i = 0; i < list->count; i++) {
        const struct hy_crash_record *other = &list->items[i].record;
        if (i != index && hy_driver_build_is_same(&record->build, &other->build) &&
            are_within_a_day(record, other) && is_suspicious(other))
            return other;
    }
    return NULL;
}

/* "another build lets it in again", in the words that every reason ends with. */
#define UNTIL "; it is left out until its library changes, or 'halyard devices --retry %s'"

static enum hy_code refuse_seen(const struct hy_crash_record *record, struct hy_error *err)
{
    const char *driver = record->build.driver, *call = record->call;
    const int process = record->process.process;

    if (record->cause == HY_CRASH_EXIT)
        return hy_fail(err, HY_FAILED,
                       "its %s has ended a process (%d) by exit, with status %d" UNTIL, call,
                       process, record->number, driver);
    return hy_fail(err, HY_FAILED, "its %s has ended a process (%d) by %s" UNTIL, call, process,
                   hy_signal_name(record->number), driver);
}

static enum hy_code check_files(const struct hy_driver_build *build, struct hy_error *err)
{
    for (uint32_t i = 0; i < openings.known.count; i++) {
        const struct hy_crash_record *record = &openings.known.items[i].record;
        if (!hy_driver_build_is_same(&record->build, build))
            continue;
        if (record->cause == HY_CRASH_SIGNAL || record->cause == HY_CRASH_EXIT)
            return refuse_seen(record, err);
        const struct hy_crash_record *partner =
            is_suspicious(record) ? partner_of(&openings.known, i) : NULL;
        if (!partner)
            continue;
        const struct hy_crash_record *last = record->time > partner->time ? record : partner;
        return hy_fail(err, HY_FAILED,
                       "two processes (%d and %d) have ended within a day while it was opened, the "
                       "last in its %s" UNTIL,
                       (int)record->process.process, (int)partner->process.process, last->call,
                       build->driver);
    }
    return HY_OK;
}

static enum hy_code refuse_tried(const struct verdict *verdict, struct hy_error *err)
{
    const struct hy_crash_record *record = &verdict->record;
    const char *words = verdict->words, *before = *words ? ", whose last words were: " : "";

    switch (record->cause) {
    case HY_CRASH_HANG:
        return hy_fail(err, HY_FAILED,
                       "its %s did not come back for %d s in the process that tried it%s%s",
                       record->call, record->number, before, words);
    case HY_CRASH_EXIT:
        return hy_fail(err, HY_FAILED,
                       "its %s has ended the process that tried it by exit, with status %d%s%s",
                       record->call, record->number, before, words);
    default:
        return hy_fail(err, HY_FAILED, "its %s has ended the process that tried it by %s (%d)%s%s",
                       record->call, hy_signal_name(record->number), record->number, before, words);
    }
}

static enum hy_code check_verdicts(const struct hy_driver_build *build, struct hy_error *err)
{
    for (uint32_t i = 0; i < verdict_count; i++) {
        if (hy_driver_build_is_same(&verdicts[i].record.build, build))
            return refuse_tried(&verdicts[i], err);
    }
    return HY_OK;
}

/* ---- What no longer counts ------------------------------------------------------------------- */

/* A build that has been replaced, a record that stayed alone for a day, or one of no call. */
static bool is_over(uint32_t index, const struct hy_driver_build *build)
{
    const struct hy_crash_record *record = &openings.known.items[index].record;
    const int64_t age = (int64_t)time(NULL) - record->time;
    const bool is_replaced = strcmp(record->build.driver, build->driver) == 0 &&
                             strcmp(record->build.library, build->library) == 0 &&
                             !hy_driver_build_is_same(&record->build, build);

    if (!is_replaced && record->cause != HY_CRASH_UNKNOWN)
        return false;
    if (!is_left_behind(record))
        return false;
    return is_replaced || !record->call[0] ||
           ((age < 0 || age > DAY) && !partner_of(&openings.known, index));
}

static void prune(const struct hy_driver_build *build)
{
    for (uint32_t i = 0; i < openings.known.count; i++) {
        if (is_over(i, build))
            (void)hy_crash_folder_remove(openings.folder, openings.known.items[i].name);
    }
}

/* ---- An opening ------------------------------------------------------------------------------ */

static enum hy_code look_around(struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (openings.has_begun)
        return HY_OK;
    openings.has_identity = hy_process_identity_read(&openings.own);
    openings.folder = -1;
    if (openings.has_identity)
        code = hy_crash_folder_open(true, &openings.folder, err);
    if (code == HY_OK && openings.folder >= 0)
        code = hy_crash_folder_read(openings.folder, &openings.known, err);
    openings.has_begun = true; /* hy_crash_guard_end gives back what there is */
    return code;
}

static enum hy_code begin(void *context, const char *driver, const char *library,
                          struct hy_error *err)
{
    struct hy_driver_build build;

    (void)context;
    hy_hung_calls_watch(); /* what does not come back is told of before the next process is asked */
    enum hy_code code = look_around(err);
    if (code != HY_OK)
        return code;
    openings.is_guarded = openings.has_identity && hy_driver_build_read(driver, library, &build);
    if (!openings.is_guarded)
        return HY_OK;
    code = check_verdicts(&build, err);
    if (code == HY_OK)
        code = check_files(&build, err);
    if (code != HY_OK)
        return code;
    prune(&build);
    hy_crash_record_init(&openings.record, &openings.own, &build);
    is_opener = true;
    return HY_OK;
}

/* The file comes with the first call, so that one write less is needed. */
static void write_call(void)
{
    if (openings.file < 0 && openings.folder >= 0) {
        openings.file = hy_crash_folder_add(openings.folder, &openings.record);
        if (openings.file < 0) {
            close(openings.folder); /* nothing more in this round */
            openings.folder = -1;
        }
    } else if (openings.file >= 0) {
        (void)hy_crash_file_set_call(openings.file, &openings.record);
    }
}

static void show(void)
{
    if (!board)
        return;
    board->record = openings.record;
    atomic_fetch_add(&board->call_count, 1);
}

static void enter(void *context, const char *call)
{
    (void)context;
    if (!openings.is_guarded)
        return;
    memset(openings.record.call, 0, sizeof openings.record.call);
    snprintf(openings.record.call, sizeof openings.record.call, "%s", call);
    pthread_mutex_lock(&openings.files);
    write_call();
    pthread_mutex_unlock(&openings.files);
    show();
}

static void remove_file(void)
{
    char name[HY_CRASH_FILE_NAME_SIZE];
    if (openings.file < 0)
        return;
    hy_crash_file_name(&openings.record, name);
    (void)hy_crash_folder_remove(openings.folder, name);
    close(openings.file);
    openings.file = -1;
}

static void end(void *context)
{
    (void)context;
    if (!openings.is_guarded)
        return;
    pthread_mutex_lock(&openings.files);
    remove_file();
    pthread_mutex_unlock(&openings.files);
    openings.is_guarded = false;
    is_opener = false;
    memset(openings.record.call, 0, sizeof openings.record.call);
    show();
}

const struct hy_opening_guard *hy_crash_guard_begin(void)
{
    static const struct hy_opening_guard guard = {.begin = begin, .enter = enter, .end = end};
    return &guard;
}

void hy_crash_guard_end(void)
{
    pthread_mutex_lock(&openings.files);
    if (openings.folder >= 0)
        close(openings.folder);
    openings.folder = -1;
    pthread_mutex_unlock(&openings.files);
    hy_crash_file_list_finish(&openings.known);
    openings.has_begun = false;
}

/* The app ends by its own will while another of its threads opens a driver: no fault of the
 * driver's. Where the driver itself exits the record stays. */
__attribute__((destructor)) static void forget_at_exit(void)
{
    if (is_opener || pthread_mutex_trylock(&openings.files) != 0)
        return;
    remove_file();
    pthread_mutex_unlock(&openings.files);
}

/* ---- What another process has come to -------------------------------------------------------- */

void hy_crash_guard_show_on(struct hy_crash_board *to)
{
    board = to;
}

/* In the place of what the process has left. */
static enum hy_code keep_verdict(const struct hy_crash_record *record, struct hy_error *err)
{
    const bool counts = record->cause == HY_CRASH_EXIT || (record->cause == HY_CRASH_SIGNAL &&
                                                           hy_crash_signal_counts(record->number));
    char name[HY_CRASH_FILE_NAME_SIZE];
    int folder;
    enum hy_code code = hy_crash_folder_open(counts, &folder, err);
    if (folder < 0)
        return code;

    hy_crash_file_name(record, name);
    if (hy_crash_folder_remove(folder, name) && counts) {
        const int file = hy_crash_folder_add(folder, record);
        if (file >= 0)
            close(file);
    }
    close(folder);
    return HY_OK;
}

enum hy_code hy_crash_guard_condemn(const struct hy_crash_record *record, const char *words,
                                    struct hy_error *err)
{
    struct verdict *grown = hy_array_grow(verdicts, verdict_count, sizeof *verdicts);
    if (!grown)
        return hy_fail(err, HY_OUT_OF_MEMORY, "the end of %s", record->build.driver);

    verdicts = grown;
    struct verdict *verdict = &verdicts[verdict_count++];
    verdict->record = *record;
    snprintf(verdict->words, sizeof verdict->words, "%s", words);
    hy_text_clean(verdict->words);
    return keep_verdict(record, err);
}

static uint32_t forget_verdicts(const char *driver)
{
    uint32_t kept = 0;
    const uint32_t before = verdict_count;

    for (uint32_t i = 0; i < verdict_count; i++) {
        if (strcmp(verdicts[i].record.build.driver, driver) != 0)
            verdicts[kept++] = verdicts[i];
    }
    if (kept == 0) { /* the array grows from nothing, or by its count */
        free(verdicts);
        verdicts = NULL;
    }
    verdict_count = kept;
    return before - kept;
}

static enum hy_code forget_files(int folder, const char *driver, uint32_t *found,
                                 struct hy_error *err)
{
    struct hy_crash_file_list list;
    enum hy_code code = HY_OK;

    code = hy_crash_folder_read(folder, &list, err);
    for (uint32_t i = 0; i < list.count && code == HY_OK; i++) {
        if (strcmp(list.items[i].record.build.driver, driver) != 0)
            continue;
        ++*found;
        if (!hy_crash_folder_remove(folder, list.items[i].name))
            code = hy_fail(err, HY_FAILED, "the record %s of driver %s cannot be removed",
                           list.items[i].name, driver);
    }
    hy_crash_file_list_finish(&list);
    return code;
}

enum hy_code hy_crash_guard_forget(const char *driver, struct hy_error *err)
{
    uint32_t found = forget_verdicts(driver);
    int folder;
    enum hy_code code = hy_crash_folder_open(false, &folder, err);

    if (folder >= 0) {
        code = forget_files(folder, driver, &found, err);
        close(folder);
    }
    if (code == HY_OK && found == 0)
        code = hy_fail(err, HY_BAD_DATA, "nothing is recorded against a driver %s", driver);
    return code;
}
