#include "plugins/service/process/host_process.h"

#include "common/system_code.h"
#include "plugins/service/process/connect.h"
#include "plugins/service/process/fork.h"
#include "plugins/service/process/launch.h"
#include "plugins/service/process/life_watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

struct hy_host_process {
    pid_t pid;
    int pidfd;
    int control; /* client end of the socket */
    bool is_shared;
    struct hy_host_process **at, *next;
};

/* All processes with an open control socket. A copy of the socket in a child of fork() would keep
 * the host alive, so the child must close all of them. Unlisted sockets are open only under the
 * lock, which fork() acquires. */
static struct {
    pthread_mutex_t lock;
    struct hy_host_process *first;
} running = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void list_add(struct hy_host_process *process)
{
    process->at = &running.first;
    process->next = running.first;
    if (process->next)
        process->next->at = &process->next;
    running.first = process;
}

bool hy_host_process_reap(int pidfd)
{
    siginfo_t info = {0};
    return waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG | __WALL) != 0 ||
           info.si_pid != 0;
}

static void let_go(struct hy_host_process *process)
{
    close(process->control);
    if (process->pidfd >= 0) {
        if (hy_host_process_reap(process->pidfd))
            close(process->pidfd);
        else
            hy_life_watch_let_end(process->pidfd);
    }
    process->control = process->pidfd = -1;
    process->pid = -1;
    *process->at = process->next;
    if (process->next)
        process->next->at = process->at;
}

/* The caller holds the lock. */
static enum hy_code start(const struct hy_host_launch *launch, struct hy_host_process *process,
                          struct hy_error *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        const int reason = errno;
        return hy_fail(err, hy_system_code(reason, HY_FAILED), "starting %s: control socket: %s",
                       launch->program, strerror(reason));
    }
    enum hy_code code = hy_launch(launch, ends[1], &process->pid, &process->pidfd, err);
    close(ends[1]);
    if (code != HY_OK) {
        close(ends[0]);
        return code;
    }
    process->control = ends[0];
    list_add(process);
    return HY_OK;
}

enum hy_code hy_host_process_start(const struct hy_host_launch *launch,
                                   struct hy_host_process **out, struct hy_error *err)
{
    struct hy_host_process *process = calloc(1, sizeof *process);
    if (!process)
        return hy_fail(err, HY_OUT_OF_MEMORY, "starting %s", launch->program);

    pthread_mutex_lock(&running.lock);
    enum hy_code code = start(launch, process, err);
    pthread_mutex_unlock(&running.lock);
    if (code != HY_OK) {
        free(process);
        return code;
    }
    *out = process;
    return HY_OK;
}

/* The process is listed before connecting, so that a concurrent fork() finds it. */
enum hy_code hy_host_process_connect(const char *path, const char *user, int64_t deadline,
                                     struct hy_host_process **out, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    struct hy_host_process *process = calloc(1, sizeof *process);
    if (!process)
        return hy_fail(err, HY_OUT_OF_MEMORY, "connecting to %s", path);

    process->pid = process->pidfd = -1;
    process->is_shared = true;
    pthread_mutex_lock(&running.lock);
    process->control = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const int reason = errno;
    if (process->control < 0)
        code = hy_fail(err, hy_system_code(reason, HY_FAILED), "connecting to %s: %s", path,
                       strerror(reason));
    else
        list_add(process);
    pthread_mutex_unlock(&running.lock);
    if (code == HY_OK)
        code = hy_connect_to_service(process->control, path, user, deadline, err);
    if (code != HY_OK) {
        hy_host_process_destroy(process);
        return code;
    }
    *out = process;
    return HY_OK;
}

void hy_host_process_destroy(struct hy_host_process *process)
{
    if (!process)
        return;
    pthread_mutex_lock(&running.lock);
    if (process->control >= 0)
        let_go(process);
    pthread_mutex_unlock(&running.lock);
    free(process);
}

bool hy_host_process_is_here(const struct hy_host_process *process)
{
    return process->control >= 0;
}

pid_t hy_host_process_pid(const struct hy_host_process *process)
{
    return process->pid;
}

int hy_host_process_pidfd(const struct hy_host_process *process)
{
    return process->pidfd;
}

int hy_host_process_control(const struct hy_host_process *process)
{
    return process->control;
}

bool hy_host_process_is_shared(const struct hy_host_process *process)
{
    return process->is_shared;
}

void hy_host_process_kill(const struct hy_host_process *process)
{
    if (process->is_shared)
        (void)shutdown(process->control, SHUT_RDWR);
    if (process->pidfd >= 0)
        (void)syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0);
}

void hy_host_processes_fork(enum hy_service_fork_phase phase)
{
    if (phase == HY_SERVICE_FORK_BEFORE)
        pthread_mutex_lock(&running.lock);
    while (phase == HY_SERVICE_FORK_CHILD && running.first)
        let_go(running.first);
    if (phase != HY_SERVICE_FORK_BEFORE)
        pthread_mutex_unlock(&running.lock);
}

void hy_processes_fork(enum hy_service_fork_phase phase)
{
    if (phase == HY_SERVICE_FORK_BEFORE) {
        hy_host_processes_fork(phase);
        hy_life_watch_fork(phase);
    } else {
        hy_life_watch_fork(phase);
        hy_host_processes_fork(phase);
    }
}
