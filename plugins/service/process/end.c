#include "plugins/service/process/end.h"

#include "common/signal_name.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* From the kernel interface, as system headers may be older than the running kernel. */
struct pidfd_exit_info {
    uint64_t mask; /* requested members, then members that were filled in */
    uint64_t control_group;
    uint32_t ids[11];
    int32_t exit_code; /* a wait status as of wait(2) */
};

#define PIDFD_GET_EXIT   _IOWR(0xff, 11, struct pidfd_exit_info)
#define PIDFD_EXIT_KNOWN (UINT64_C(1) << 3)

/* Time in ms for the parent to reap the process, before the end is reported without a cause. */
enum { REAP_MS = 10 };

struct hy_process_end hy_process_end_of(int wait_status)
{
    return WIFSIGNALED(wait_status)
               ? (struct hy_process_end){HY_END_SIGNAL, WTERMSIG(wait_status)}
               : (struct hy_process_end){HY_END_EXIT, WEXITSTATUS(wait_status)};
}

/* For a process that its parent has reaped; since Linux 6.15. */
static bool ask_pidfd(int pidfd, struct hy_process_end *ret)
{
    struct pidfd_exit_info info = {.mask = PIDFD_EXIT_KNOWN};

    if (ioctl(pidfd, PIDFD_GET_EXIT, &info) != 0 || !(info.mask & PIDFD_EXIT_KNOWN))
        return false;
    *ret = hy_process_end_of(info.exit_code);
    return true;
}

/* Reads the last of the 52 fields, after the name in parentheses. */
static bool read_stat(pid_t pid, int *wait_status)
{
    char path[64], line[2048];

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t length = read(fd, line, sizeof line - 1);
    close(fd);
    if (length <= 0)
        return false;
    line[length] = '\0';
    const char *after_name = strrchr(line, ')'), *last = strrchr(line, ' ');
    return after_name && strncmp(after_name, ") Z ", 4) == 0 && last &&
           sscanf(last, "%d", wait_status) == 1;
}

/* For a zombie. A process without permission reads 0. `pid` refers to the same process as the pidfd
 * as long as a signal can be sent. */
static bool ask_proc(int pidfd, pid_t pid, struct hy_process_end *ret)
{
    int wait_status = 0;

    if (pid <= 0 || !read_stat(pid, &wait_status) || wait_status == 0 ||
        syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) != 0)
        return false;
    *ret = hy_process_end_of(wait_status);
    return true;
}

bool hy_process_end_await(int pidfd, pid_t pid, int milliseconds, struct hy_process_end *ret)
{
    struct pollfd end = {.fd = pidfd, .events = POLLIN};

    if (pidfd < 0 || poll(&end, 1, milliseconds) != 1)
        return false;
    *ret = (struct hy_process_end){.kind = HY_END_UNKNOWN};
    if (ask_proc(pidfd, pid, ret) || ask_pidfd(pidfd, ret))
        return true;
    end.events = 0; /* POLLHUP is always reported, if the kernel supports it for pidfds */
    if (poll(&end, 1, REAP_MS) == 1)
        (void)ask_pidfd(pidfd, ret);
    return true;
}

void hy_process_end_describe(const struct hy_process_end *end, char *text, size_t size)
{
    switch (end->kind) {
    case HY_END_SIGNAL:
        snprintf(text, size, "was ended by %s (%d)", hy_signal_name(end->number), end->number);
        break;
    case HY_END_EXIT:
        snprintf(text, size, "exited with status %d", end->number);
        break;
    case HY_END_UNKNOWN:
        snprintf(text, size, "has ended");
        break;
    }
}
