#include "cache_store/records/records_dir.h"

#include "cache_store/records/records_session.h"
#include "common/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MILLISECONDS = 1000 };

/* The open file of a process. */
struct session {
    struct hy_records_dir dir;
    struct hy_sql_file file;
    bool is_usable; /* the file was opened without an error */
    dev_t device;   /* of the file, to detect a replacement */
    ino_t inode;
};

struct hy_records {
    char *path;
    pid_t process; /* the process that opened the session */
    struct session session;
    bool is_open;
    struct hy_digest_memory memory;
};

/* One lock for all objects, so that fork() can hold it: no thread is inside the database then. */
static struct {
    pthread_mutex_t lock; /* protects the members below; held during fork() */
    pthread_cond_t is_given_back;
    bool is_used;
} turn_state = {.lock = PTHREAD_MUTEX_INITIALIZER, .is_given_back = PTHREAD_COND_INITIALIZER};

static void before_fork(void)
{
    (void)pthread_mutex_lock(&turn_state.lock);
    while (turn_state.is_used)
        (void)pthread_cond_wait(&turn_state.is_given_back, &turn_state.lock);
}

static void after_fork(void)
{
    (void)pthread_mutex_unlock(&turn_state.lock);
}

/* Threads that waited for their turn do not exist in the child. */
static void after_fork_in_child(void)
{
    (void)pthread_cond_init(&turn_state.is_given_back, NULL);
    after_fork();
}

/* Early: fork handlers run in reverse order, and a thread with another lock may wait for this
 * one. */
__attribute__((constructor(200))) static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

static enum hy_code acquire_turn(struct hy_error *err)
{
    const struct timespec until = hy_clock_wait_end(WAIT_MILLISECONDS * HY_MILLISECOND);
    int waited = 0;

    (void)pthread_mutex_lock(&turn_state.lock);
    while (turn_state.is_used && waited == 0)
        waited = pthread_cond_clockwait(&turn_state.is_given_back, &turn_state.lock,
                                        CLOCK_MONOTONIC, &until);
    const bool is_ours = !turn_state.is_used;
    turn_state.is_used = true;
    (void)pthread_mutex_unlock(&turn_state.lock);
    return is_ours ? HY_OK : hy_fail(err, HY_FAILED, "records: other threads keep the store busy");
}

static void acquire_turn_untimed(void)
{
    (void)pthread_mutex_lock(&turn_state.lock);
    while (turn_state.is_used)
        (void)pthread_cond_wait(&turn_state.is_given_back, &turn_state.lock);
    turn_state.is_used = true;
    (void)pthread_mutex_unlock(&turn_state.lock);
}

static void release_turn(void)
{
    (void)pthread_mutex_lock(&turn_state.lock);
    turn_state.is_used = false;
    (void)pthread_cond_broadcast(&turn_state.is_given_back);
    (void)pthread_mutex_unlock(&turn_state.lock);
}

static void end_session(struct hy_records *records)
{
    if (!records->is_open)
        return;
    hy_sql_close(&records->session.file);
    hy_records_dir_close(&records->session.dir);
    records->is_open = false;
}

/* In a child only the lock's descriptor may be closed: the database must not be used after fork(),
 * so a fork costs memory and one descriptor. */
static void leave_to_parent(struct hy_records *records)
{
    if (!records->is_open || records->process == getpid())
        return;
    hy_records_dir_close(&records->session.dir);
    records->session = (struct session){.dir.lock_fd = -1};
    records->is_open = false;
}

static enum hy_code open_file(struct session *session, struct hy_error *err)
{
    struct stat info;

    enum hy_code code = hy_records_dir_make_file(&session->dir, &info, err);
    if (code == HY_OK) {
        session->device = info.st_dev;
        session->inode = info.st_ino;
        code = hy_sql_open(session->dir.file, &session->file, err);
        session->is_usable = code == HY_OK;
    }
    return code;
}

/* Under the lock. The damaged file stays for diagnosis and is not read again. */
static enum hy_code begin_anew(struct session *session, struct hy_error *err)
{
    hy_sql_close(&session->file);
    session->is_usable = false;
    enum hy_code code = hy_records_dir_move_damaged(&session->dir, err);
    return code == HY_OK ? open_file(session, err) : code;
}

/* First directory and lock, then the file under the lock, which stays held. */
static enum hy_code begin_session(struct hy_records *records, int64_t deadline,
                                  struct hy_error *err)
{
    struct session session = {.dir.lock_fd = -1};

    enum hy_code code = hy_records_dir_open(records->path, &session.dir, err);
    if (code != HY_OK)
        return code;
    code = hy_records_dir_lock(&session.dir, deadline, err);
    if (code == HY_OK) {
        code = open_file(&session, err);
        if (code != HY_OK && session.file.is_damaged)
            code = begin_anew(&session, err);
        if (code != HY_OK)
            hy_records_dir_unlock(&session.dir);
    }
    if (code != HY_OK) {
        hy_sql_close(&session.file);
        hy_records_dir_close(&session.dir);
        return code;
    }
    records->session = session;
    records->process = getpid();
    records->is_open = true;
    return HY_OK;
}

/* Another process may have removed the directory or moved the file aside. */
static bool is_current(const struct session *session)
{
    struct stat info;
    return hy_records_dir_is_current(&session->dir) && lstat(session->dir.file, &info) == 0 &&
           info.st_dev == session->device && info.st_ino == session->inode;
}

/* Ends with an open session and the lock held. */
static enum hy_code enter(struct hy_records *records, int64_t deadline, struct hy_error *err)
{
    leave_to_parent(records);
    if (records->is_open) {
        enum hy_code code = hy_records_dir_lock(&records->session.dir, deadline, err);
        if (code != HY_OK)
            return code;
        if (is_current(&records->session))
            return HY_OK;
        end_session(records);
    }
    return begin_session(records, deadline, err);
}

static enum hy_code look(struct hy_sql_file *file, hy_records_work_fn work, void *context,
                         struct hy_error *err)
{
    enum hy_code code = work(file, context, err);

    hy_sql_leave_rows(file);
    return code;
}

static enum hy_code transact(struct hy_sql_file *file, enum hy_records_access access,
                             hy_records_work_fn work, void *context, struct hy_error *err)
{
    const enum hy_sql begin = access == HY_RECORDS_WRITE ? HY_SQL_BEGIN_WRITING : HY_SQL_BEGIN;

    if (access == HY_RECORDS_LOOK)
        return look(file, work, context, err);
    enum hy_code code = hy_sql_run(file, begin, NULL, 0, NULL, err);
    if (code == HY_OK)
        code = work(file, context, err);
    hy_sql_leave_rows(file);
    if (code == HY_OK)
        code = hy_sql_run(file, HY_SQL_COMMIT, NULL, 0, NULL, err);
    hy_sql_end(file);
    return code;
}

/* In an open session with the lock held. If the file seems damaged twice, the file is not the
 * cause. */
static enum hy_code transact_or_begin_anew(struct session *session, enum hy_records_access access,
                                           hy_records_work_fn work, void *context,
                                           struct hy_error *err)
{
    enum hy_code code = transact(&session->file, access, work, context, err);
    if (!session->file.is_damaged)
        return code;
    code = begin_anew(session, err);
    return code == HY_OK ? transact(&session->file, access, work, context, err) : code;
}

enum hy_code hy_records_run(struct hy_records *records, enum hy_records_access access,
                            hy_records_work_fn work, void *context, struct hy_error *err)
{
    const int64_t deadline = hy_clock_read(CLOCK_MONOTONIC) + WAIT_MILLISECONDS * INT64_C(1000000);

    enum hy_code code = acquire_turn(err);
    if (code != HY_OK)
        return code;

    code = enter(records, deadline, err);
    if (code == HY_OK) {
        struct session *session = &records->session;
        code = transact_or_begin_anew(session, access, work, context, err);
        if (!session->is_usable || session->file.is_damaged)
            end_session(records);
        else
            hy_records_dir_unlock(&session->dir);
    }
    release_turn();
    return code;
}

struct hy_digest_memory *hy_records_memory(struct hy_records *records)
{
    return &records->memory;
}

static enum hy_code do_nothing(struct hy_sql_file *file, void *context, struct hy_error *err)
{
    (void)file;
    (void)context;
    (void)err;
    return HY_OK;
}

enum hy_code hy_records_open(const char *dir, struct hy_records **ret, struct hy_error *err)
{
    struct hy_records *records = calloc(1, sizeof *records);
    if (!records || !(records->path = strdup(dir))) {
        free(records);
        return hy_fail(err, HY_OUT_OF_MEMORY, "records in %s", dir);
    }

    enum hy_code code = hy_records_run(records, HY_RECORDS_READ, do_nothing, NULL, err);
    if (code != HY_OK) {
        hy_records_close(records);
        return code;
    }
    *ret = records;
    return HY_OK;
}

void hy_records_close(struct hy_records *records)
{
    if (!records)
        return;
    acquire_turn_untimed();
    leave_to_parent(records);
    /* Under the lock, as for every access to the file. */
    if (records->is_open) {
        const int64_t deadline =
            hy_clock_read(CLOCK_MONOTONIC) + WAIT_MILLISECONDS * INT64_C(1000000);
        (void)!hy_records_dir_lock(&records->session.dir, deadline, NULL);
        end_session(records);
    }
    release_turn();
    free(records->path);
    free(records);
}
