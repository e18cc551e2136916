#include "runtime/drivers/driver_probe.h"

#include "common/clock.h"
#include "common/printable.h"
#include "halyard/driver.h"
#include "runtime/device/driver_call.h"
#include "runtime/drivers/crash_guard.h"
#include "runtime/log.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONG_NS UINT64_C(100000000) /* per step; a longer step was a pause of this process */

enum { MAX_PROBES = 64 };

/* ---- In the process that tries --------------------------------------------------------------- */

/* Forwards the text of a driver, which may be its last. The next process repeats the texts of the
 * runtime itself. */
static void forward_line(int32_t level, const char *text)
{
    if (level < HY_LOG_DEBUG)
        dprintf(STDERR_FILENO, "%s\n", text);
}

/* The child ends with its parent, dies by real signals, and leaves no core dump. */
static void prepare_child(pid_t parent, int output)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    const struct rlimit none = {0, 0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    hy_log_lead_to(forward_line);
}

static _Noreturn void live(void (*open)(void), pid_t parent, struct hy_crash_page *page, int output)
{
    prepare_child(parent, output);
    hy_driver_exits_are_seen = true;
    hy_crash_guard_show_on(page);
    open();
    atomic_store(&page->is_finished, 1);
    _exit(0);
}

/* ---- In the one that watches ----------------------------------------------------------------- */

enum fate { ENDED, ENDED_UNSEEN, TIMED_OUT };

/* LATE: the child stayed in one call for too long. Time in which the whole machine was suspended
 * does not count. */
static enum fate await(pid_t child, struct hy_crash_page *page, uint64_t hang_timeout, int *status)
{
    const struct timespec step = {.tv_nsec = HY_MILLISECOND};
    uint64_t last = hy_clock_now(), waited = 0;
    unsigned calls = atomic_load(&page->call_count);

    for (;;) {
        const pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child)
            return ENDED;
        if (ended < 0 && errno != EINTR)
            return ENDED_UNSEEN;
        const uint64_t now = hy_clock_now();
        waited += now - last < LONG_NS ? now - last : LONG_NS;
        last = now;
        if (atomic_load(&page->call_count) != calls) {
            calls = atomic_load(&page->call_count);
            waited = 0;
        }
        if (waited > hang_timeout)
            return TIMED_OUT;
        nanosleep(&step, NULL);
    }
}

/* Reads the last non-empty line of the child's output. */
static void read_last_line(int output, char *line, size_t size)
{
    char text[1024];
    const off_t end = lseek(output, 0, SEEK_END), most = sizeof text - 1;
    const ssize_t length = pread(output, text, sizeof text - 1, end > most ? end - most : 0);
    char *rest = text;

    text[length > 0 ? length : 0] = '\0';
    line[0] = '\0';
    for (const char *part; (part = strsep(&rest, "\n"));) {
        if (*part)
            snprintf(line, size, "%s", part);
    }
    hy_text_clean(line);
}

/* The driver may have overwritten the board, so all data are checked. `status` is of waitpid. */
static enum hy_code classify_exit(const struct hy_crash_page *page, enum fate fate, int status,
                                  uint64_t hang_timeout, int output, struct hy_error *err)
{
    const uint64_t milliseconds = hang_timeout / HY_MILLISECOND;
    struct hy_crash_record record;

    if (fate == ENDED_UNSEEN)
        return hy_fail(err, HY_FAILED,
                       "the exit status of the process that tried the drivers is lost: SIGCHLD is "
                       "ignored, or another thread waits");
    if (!hy_crash_record_parse(&page->record, sizeof page->record, &record) || !record.call[0])
        return hy_fail(
            err, HY_FAILED,
            "the process that tried the drivers ended with %s %d outside of driver calls",
            WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    if (fate == TIMED_OUT) {
        record.cause = HY_CRASH_HANG;
        record.number = milliseconds < INT32_MAX ? (int32_t)milliseconds : INT32_MAX;
    } else if (WIFSIGNALED(status)) {
        record.cause = HY_CRASH_SIGNAL;
        record.number = WTERMSIG(status);
    } else {
        record.cause = HY_CRASH_EXIT;
        record.number = WEXITSTATUS(status);
    }
    read_last_line(output, record.last_line, sizeof record.last_line);
    return hy_crash_guard_condemn(&record, err);
}

static enum hy_code watch(pid_t child, struct hy_crash_page *page, uint64_t hang_timeout,
                          int output, bool *is_finished, struct hy_error *err)
{
    int status = 0;
    const enum fate fate = await(child, page, hang_timeout, &status);

    if (fate == TIMED_OUT) {
        kill(child, SIGKILL);
        (void)waitpid(child, &status, 0);
    }
    *is_finished = atomic_load(&page->is_finished);
    return *is_finished ? HY_OK : classify_exit(page, fate, status, hang_timeout, output, err);
}

static enum hy_code try_once(void (*open)(void), uint64_t hang_timeout, struct hy_crash_page *page,
                             bool *is_finished, struct hy_error *err)
{
    const int output = memfd_create("halyard-driver-trial", MFD_CLOEXEC);
    if (output < 0)
        return hy_fail(err, HY_FAILED, "memory for the output of a driver: %s", strerror(errno));

    memset(page, 0, sizeof *page);
    fflush(NULL); /* or the child would write buffered output again */
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        live(open, parent, page, output);
    enum hy_code code =
        child > 0 ? watch(child, page, hang_timeout, output, is_finished, err)
                  : hy_fail(err, HY_FAILED, "a process to try the drivers cannot be started: %s",
                            strerror(errno));
    close(output);
    return code;
}

enum hy_code hy_driver_probe_run(void (*open)(void), uint64_t hang_timeout, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    bool is_finished = false;
    struct hy_crash_page *page =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return hy_fail(err, HY_OUT_OF_MEMORY, "result page of the process that tries drivers");

    for (int i = 0; code == HY_OK && !is_finished; i++) {
        code = i < MAX_PROBES
                   ? try_once(open, hang_timeout, page, &is_finished, err)
                   : hy_fail(err, HY_FAILED, "%d drivers ended the process that opened them",
                             MAX_PROBES);
    }
    munmap(page, sizeof *page);
    return code;
}
