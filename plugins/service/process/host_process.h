#ifndef HY_SERVICE_HOST_PROCESS_H
#define HY_SERVICE_HOST_PROCESS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A process of ours beside the app's, in which a driver lives: halyard-driverd. It never shows in
 * the app's wait() and raises no SIGCHLD there, except where the app is what orphans are given to
 * (process 1 of a container, or a subreaper), and then it is reaped when the watch sees its end. It
 * outlives the thread that started it, and ends by itself when the last copy of our end of the
 * control socket is closed, however this process ends.
 */
struct hy_host_process;

struct hy_host_launch {
    const char *program; /* absolute path of halyard-driverd */
    const char *driver;  /* what it hosts: a word for the list of processes */
    bool keeps_stderr;   /* else it goes where stdin and stdout go: /dev/null */
};

/*
 * Runs `program --private DRIVER APP`, which is this program's name, with a part of the environment
 * (launch_environment.h), every signal unblocked and at its default but SIGTTOU, which is ignored,
 * in a process group of its own in this session, in "/", and with no descriptor but 0 to 2 and the
 * control socket, which is 3. Any thread may call it, also several at once. Returns when the
 * program has been loaded. Errors, with the step, the path and the reason: FAILED, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_host_process_start(const struct hy_host_launch *launch,
                                                 struct hy_host_process **out,
                                                 struct hy_error *err);

/*
 * The process of a shared service that listens at `path`: see connect.h. It is not ours: its pid is
 * not known here, there is no pidfd, killing it hangs up and does no more. Errors: FAILED,
 * UNAVAILABLE, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_host_process_connect(const char *path, const char *user,
                                                   int64_t deadline, struct hy_host_process **out,
                                                   struct hy_error *err);

/* Closes the control socket, upon which the process ends. NULL is fine. */
void hy_host_process_destroy(struct hy_host_process *process);

/* False in a child of fork(), where all below is -1 and a kill does nothing. */
bool hy_host_process_is_here(const struct hy_host_process *process);

pid_t hy_host_process_pid(const struct hy_host_process *process);
int hy_host_process_pidfd(const struct hy_host_process *process);   /* stays the process's */
int hy_host_process_control(const struct hy_host_process *process); /* stays the process's */

/* Whether it serves others, too. */
bool hy_host_process_is_shared(const struct hy_host_process *process);

/* SIGKILL. It may be dead already. Where it is shared: hangs up, also for other threads. */
void hy_host_process_kill(const struct hy_host_process *process);

/*
 * Where orphans are given to the app, a process that has ended is its child by now, and stays as a
 * zombie until this is called; in all other cases it does nothing. The watch and the destructor
 * call it. False: it is the app's to reap, and has not ended yet.
 */
bool hy_host_process_reap(int pidfd);

#endif
