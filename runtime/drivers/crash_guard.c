#include "runtime/drivers/crash_guard.h"

#include "runtime/drivers/crash_dir.h"
#include "runtime/drivers/crash_evidence.h"
#include "runtime/drivers/hung_calls.h"
#include "runtime/log.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Crashes of other processes that this process has observed. */
static struct hy_crash_file_list seen;

/* The round of openings. `files` protects state that an exit of the process may interrupt. */
static struct {
    pthread_mutex_t files;
    int dir;  /* below 0: no directory */
    int file; /* record of this process; below 0: none */

    bool has_begun; /* the members below are initialized */
    struct hy_process_identity own;
    struct hy_crash_file_list left; /* records of other processes in the directory */

    bool is_guarded; /* an opening is recorded */
    struct hy_crash_record record;
} openings = {.files = PTHREAD_MUTEX_INITIALIZER, .dir = -1, .file = -1};

static struct hy_crash_page *page;
static _Thread_local bool is_opener; /* this thread runs the current opening */

/* ---- The files of a round -------------------------------------------------------------------- */

/* Call with `files` held. No more records are written in this round. */
static void close_files(void)
{
    if (openings.file >= 0) {
        (void)hy_crash_dir_remove_own(openings.dir, &openings.record);
        close(openings.file);
    }
    if (openings.dir >= 0)
        close(openings.dir);
    openings.file = openings.dir = -1;
}

static void end_files(void)
{
    pthread_mutex_lock(&openings.files);
    close_files();
    pthread_mutex_unlock(&openings.files);
}

/* The drivers are opened without a guard. */
static void do_without_files(const struct hy_error *why)
{
    hy_log(HY_LOG_DEBUG, "device", "drivers are opened without a record in the state directory: %s",
           why->text);
    end_files();
}

/* The app exits while another of its threads opens a driver, which is no fault of the driver. If
 * the driver itself exits, the record stays. If a child forked in the meantime exits, the record of
 * its parent stays. */
__attribute__((destructor)) static void discard_at_exit(void)
{
    if (is_opener || openings.own.process != getpid() ||
        pthread_mutex_trylock(&openings.files) != 0)
        return;
    close_files();
    pthread_mutex_unlock(&openings.files);
}

/* The first driver call of the round creates the file. */
static void write_record(void)
{
    struct hy_error err;
    enum hy_code code = HY_OK;

    pthread_mutex_lock(&openings.files);
    if (openings.file >= 0)
        code = hy_crash_file_write(openings.file, &openings.record, &err);
    else if (openings.dir >= 0)
        code = hy_crash_dir_add(openings.dir, &openings.record, &openings.file, &err);
    pthread_mutex_unlock(&openings.files);
    if (code != HY_OK)
        do_without_files(&err);
}

/* ---- The beginning of a round ---------------------------------------------------------------- */

static enum hy_code open_dir(bool makes, int *ret, struct hy_error *err)
{
    return hy_process_identity_read(&openings.own)
               ? hy_crash_dir_open(makes, ret, err)
               : hy_fail(err, HY_FAILED, "/proc has no information about this process");
}

static void prune(void)
{
    for (uint32_t i = 0; i < openings.left.count;) {
        if (!hy_crash_evidence_is_over(&openings.left, i)) {
            i++;
            continue;
        }
        (void)hy_crash_dir_remove(openings.dir, openings.left.items[i].name);
        hy_crash_file_list_remove(&openings.left, i);
    }
}

static enum hy_code look_around(struct hy_error *err)
{
    if (openings.has_begun)
        return HY_OK;

    enum hy_code code = open_dir(true, &openings.dir, err);
    if (code == HY_OK)
        code = hy_crash_dir_read(openings.dir, &openings.own, &openings.left, err);
    if (code == HY_OUT_OF_MEMORY)
        return code;
    if (code != HY_OK)
        do_without_files(err);
    else
        prune();
    openings.has_begun = true;
    return HY_OK;
}

/* ---- An opening ------------------------------------------------------------------------------ */

static enum hy_code begin(void *context, const char *driver, const char *library,
                          struct hy_error *err)
{
    struct hy_driver_build build;

    (void)context;
    hy_hung_calls_watch(); /* watch for hung calls before asking the next process */
    enum hy_code code = look_around(err);
    if (code != HY_OK)
        return code;
    if (!hy_driver_build_read(driver, library, &build))
        return HY_OK;
    code = hy_crash_evidence_check(&seen, &build, err);
    if (code == HY_OK)
        code = hy_crash_evidence_check(&openings.left, &build, err);
    if (code != HY_OK)
        return code;
    hy_crash_record_init(&openings.record, &openings.own, &build);
    openings.is_guarded = true;
    is_opener = true;
    return HY_OK;
}

static void show(void)
{
    if (!page)
        return;
    page->record = openings.record;
    atomic_fetch_add(&page->call_count, 1);
}

static void note_call(const char *call)
{
    memset(openings.record.call, 0, sizeof openings.record.call);
    snprintf(openings.record.call, sizeof openings.record.call, "%s", call);
    write_record();
    show();
}

static void enter(void *context, const char *call)
{
    (void)context;
    if (openings.is_guarded)
        note_call(call);
}

static void end(void *context)
{
    (void)context;
    if (!openings.is_guarded)
        return;
    note_call("");
    openings.is_guarded = false;
    is_opener = false;
}

/* ---- A round --------------------------------------------------------------------------------- */

const struct hy_opening_guard *hy_crash_guard_begin(void)
{
    static const struct hy_opening_guard guard = {.begin = begin, .enter = enter, .end = end};
    return &guard;
}

void hy_crash_guard_end(void)
{
    end_files();
    hy_crash_file_list_finish(&openings.left);
    openings.has_begun = false;
}

/* ---- Crashes of other processes -------------------------------------------------------------- */

void hy_crash_guard_show_on(struct hy_crash_page *to)
{
    page = to;
}

/* Replaces the record of the ended process. */
static enum hy_code store_record(int dir, const struct hy_crash_record *record,
                                 struct hy_error *err)
{
    int file;

    if (!hy_crash_record_is_fault(record)) {
        (void)hy_crash_dir_remove_own(dir, record);
        return HY_OK;
    }
    enum hy_code code = hy_crash_dir_add(dir, record, &file, err);
    if (code == HY_OK)
        close(file);
    return code;
}

enum hy_code hy_crash_guard_condemn(const struct hy_crash_record *record, struct hy_error *err)
{
    struct hy_error why;
    int dir;

    enum hy_code code = hy_crash_file_list_add(&seen, "", record, err);
    if (code != HY_OK)
        return code;
    code = open_dir(hy_crash_record_is_fault(record), &dir, &why);
    if (code == HY_OK) {
        code = store_record(dir, record, &why);
        close(dir);
    }
    if (code == HY_OUT_OF_MEMORY)
        return hy_fail(err, code, "%s", why.text);
    if (code != HY_OK)
        hy_log(HY_LOG_DEBUG, "device",
               "the record of driver %s cannot be saved for other processes: %s",
               record->build.driver, why.text);
    return HY_OK;
}

/* Removes the records of a driver from the list, and the files if `folder` is open. */
static enum hy_code clear_in(struct hy_crash_file_list *list, int dir, const char *driver,
                             uint32_t *found, struct hy_error *err)
{
    for (uint32_t i = 0; i < list->count;) {
        if (strcmp(list->items[i].record.build.driver, driver) != 0) {
            i++;
            continue;
        }
        if (dir >= 0 && !hy_crash_dir_remove(dir, list->items[i].name))
            return hy_fail(err, HY_FAILED, "the record %s of driver %s cannot be removed",
                           list->items[i].name, driver);
        hy_crash_file_list_remove(list, i);
        ++*found;
    }
    return HY_OK;
}

static enum hy_code clear_files(int dir, const char *driver, uint32_t *found, struct hy_error *err)
{
    struct hy_crash_file_list list = {0};

    enum hy_code code = hy_crash_dir_read(dir, &openings.own, &list, err);
    if (code == HY_OK)
        code = clear_in(&list, dir, driver, found, err);
    hy_crash_file_list_finish(&list);
    return code;
}

enum hy_code hy_crash_guard_clear(const char *driver, struct hy_error *err)
{
    uint32_t found = 0;
    int dir;

    enum hy_code code = clear_in(&seen, -1, driver, &found, err);
    if (code == HY_OK)
        code = open_dir(false, &dir, err);
    if (code == HY_OK) {
        code = clear_files(dir, driver, &found, err);
        close(dir);
    } else if (code == HY_FAILED) {
        code = HY_OK; /* no directory means no records */
    }
    if (code == HY_OK && found == 0)
        code = hy_fail(err, HY_BAD_DATA, "no record of a driver %s exists", driver);
    return code;
}
