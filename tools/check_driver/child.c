#include "tools/check_driver/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "tools/interrupt.h"

#define SIGNALS   65
#define STEP_NS   1000000L
#define LONG_NS   UINT64_C(100000000) /* a longer step has a cause outside the child */
#define SECOND_NS UINT64_C(1000000000)

/* ---- In the child ---------------------------------------------------------------------------- */

static void read_handlers(struct sigaction handlers[SIGNALS])
{
    memset(handlers, 0, SIGNALS * sizeof *handlers);
    for (int i = 1; i < SIGNALS; i++)
        (void)sigaction(i, NULL, &handlers[i]); /* the thread library's own cannot be read */
}

static void compare_handlers(struct hy_result_page *page, const struct sigaction before[SIGNALS])
{
    struct sigaction now[SIGNALS];
    read_handlers(now);
    for (int i = 1; i < SIGNALS; i++)
        if (now[i].sa_handler != before[i].sa_handler || now[i].sa_flags != before[i].sa_flags)
            hy_result_page_report(page, HY_RULE_R8,
                                  "the driver changed the handler of signal %d (%s)", i,
                                  strsignal(i));
}

/* A crash has to look like one, also where a debugging tool has put its own handlers. */
static void restore_handlers(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        signal(crashes[i], SIG_DFL);
}

/* Leaves no trace of a driver's end, and makes the child end with this process. */
static void prepare_child(int output)
{
    restore_handlers();
    const struct rlimit none = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &none);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
}

static _Noreturn void live(hy_child_work work, void *argument, struct hy_result_page *page,
                           int output, bool is_quiet)
{
    struct sigaction before[SIGNALS];
    prepare_child(output);
    read_handlers(before);
    work(argument);
    if (is_quiet)
        compare_handlers(page, before);
    fflush(NULL);
    atomic_store(&page->is_finished, 1);
    _exit(0);
}

/* ---- In the parent --------------------------------------------------------------------------- */

/* True if the child has ended by itself. Time without progress of this process counts as at most
 * one step: a stopped machine does not make a driver exceed its limit. */
static bool wait_for(pid_t child, const struct hy_result_page *page, unsigned hang_timeout,
                     int *status)
{
    const struct timespec step = {.tv_nsec = STEP_NS};
    uint64_t beat = atomic_load(&page->beat), last = hy_clock_now(), waited = 0;
    for (;;) {
        const pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return true;
        const uint64_t now = hy_clock_now();
        waited += now - last < LONG_NS ? now - last : LONG_NS;
        last = now;
        if (atomic_load(&page->beat) != beat) {
            beat = atomic_load(&page->beat);
            waited = 0;
        }
        if (waited > hang_timeout * SECOND_NS)
            return false;
        nanosleep(&step, NULL);
    }
}

static void read_output(int output, char *printed, size_t size)
{
    const ssize_t length = pread(output, printed, size - 1, 0);
    printed[length > 0 ? length : 0] = '\0';
}

/* The last informative line: sanitizers print separator lines at the end. */
static void read_last_line(int output, char *line, size_t size)
{
    char text[1024];
    const off_t end = lseek(output, 0, SEEK_END);
    const off_t start = end > (off_t)sizeof text - 1 ? end - ((off_t)sizeof text - 1) : 0;
    const ssize_t length = pread(output, text, sizeof text - 1, start);
    text[length > 0 ? length : 0] = '\0';
    line[0] = '\0';
    char *rest = text;
    for (const char *part; (part = strsep(&rest, "\n"));)
        if (*part && strncmp(part, "==", 2) != 0)
            snprintf(line, size, "%s", part);
}

static void classify_end(int status, const struct hy_result_page *page, struct hy_child_report *out)
{
    if (WIFSIGNALED(status)) {
        out->end = HY_CHILD_KILLED;
        out->number = WTERMSIG(status);
    } else if (!atomic_load(&page->is_finished)) {
        out->end = HY_CHILD_EXITED;
        out->number = WEXITSTATUS(status);
    }
}

static void watch(pid_t child, const struct hy_result_page *page, unsigned hang_timeout,
                  struct hy_child_report *out)
{
    int status = 0;
    if (wait_for(child, page, hang_timeout, &status)) {
        classify_end(status, page, out);
        return;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    out->end = HY_CHILD_HUNG;
}

enum hy_code hy_child_run(hy_child_work work, void *argument, struct hy_result_page *page,
                          unsigned hang_timeout, bool is_quiet, struct hy_child_report *out,
                          struct hy_error *err)
{
    *out = (struct hy_child_report){.end = HY_CHILD_FINISHED};
    hy_result_page_clear(page);
    const int output = memfd_create("halyard-check-output", MFD_CLOEXEC);
    if (output < 0)
        return hy_fail(err, HY_FAILED, "memory for the output of a driver: %s", strerror(errno));
    fflush(NULL); /* or the child would write it once more */
    const pid_t child = fork();
    if (child == 0)
        hy_interrupt_leave();
    if (child == 0)
        live(work, argument, page, output, is_quiet);
    if (child > 0) {
        watch(child, page, hang_timeout, out);
        if (is_quiet)
            read_output(output, out->printed, sizeof out->printed);
        if (out->end != HY_CHILD_FINISHED)
            read_last_line(output, out->last_line, sizeof out->last_line);
    }
    close(output);
    return child > 0 ? HY_OK
                     : hy_fail(err, HY_FAILED, "cannot start a process: %s", strerror(errno));
}
