#include "session_launch.h"

#include "plugins/service/process/host_process.h"
#include "plugins/service/process/launch.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum hy_code __wrap_hy_launch(const struct hy_host_launch *what, int control, pid_t *pid,
                              int *pidfd, struct hy_error *err);
void __wrap_hy_host_process_kill(const struct hy_host_process *process);

/* What polls readable when the process has ended. */
enum hy_code __wrap_hy_launch(const struct hy_host_launch *what, int control, pid_t *pid,
                              int *pidfd, struct hy_error *err)
{
    *pid = 1;
    *pidfd = eventfd(0, EFD_CLOEXEC);
    const int end = fcntl(control, F_DUPFD_CLOEXEC, 0);
    if (*pidfd < 0 || end < 0)
        return hy_fail(err, HY_FAILED, "starting %s", what->program);
    session_launched(end);
    return HY_OK;
}

void __wrap_hy_host_process_kill(const struct hy_host_process *process)
{
    const uint64_t one = 1;

    session_killed();
    (void)!write(hy_host_process_pidfd(process), &one, sizeof one);
}
