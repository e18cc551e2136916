#ifndef HY_SERVICE_HOST_PROCESS_H
#define HY_SERVICE_HOST_PROCESS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A host process: halyard-driverd, which runs a driver outside the app's process. A host process is
 * invisible to the app's wait() and raises no SIGCHLD in the app. An exception is an app that
 * inherits orphans (process 1 of a container, or a subreaper): the life watch reaps the host
 * process at its end. A host process outlives the thread that started it. It ends when the last
 * copy of the app's end of the control socket is closed, no matter how the app ends.
 */
struct hy_host_process;

struct hy_host_launch {
    const char *program;  /* absolute path of halyard-driverd */
    const char *driver;   /* name of the driver, for the list of processes */
    bool inherits_stderr; /* inherit stderr; false: /dev/null, as for stdin and stdout */
};

/*
 * Starts `program --private DRIVER APP`, with the name of this program for APP. The new process
 * has:
 * - part of the environment (launch_environment.h)
 * - no blocked signals, and default signal actions, but SIGTTOU is ignored
 * - a process group of its own in this session, and the working directory "/"
 * - no descriptors but 0 to 2 and the control socket, which is 3
 * Thread-safe. Returns when the program has been loaded. Errors, with the step, the path and the
 * reason: FAILED, EXHAUSTED (no descriptors), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_host_process_start(const struct hy_host_launch *launch,
                                                 struct hy_host_process **out,
                                                 struct hy_error *err);

/*
 * Connects to the shared service at `path`, see connect.h. The service process is no child: pid and
 * pidfd are -1, and hy_host_process_kill only disconnects. Errors: FAILED, UNAVAILABLE, EXHAUSTED,
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_host_process_connect(const char *path, const char *user,
                                                   int64_t deadline, struct hy_host_process **out,
                                                   struct hy_error *err);

/* Closes the control socket, which ends the process. Accepts NULL. */
void hy_host_process_destroy(struct hy_host_process *process);

/* Returns false in a child of fork(). In the child, pid, pidfd and control are -1, and
 * hy_host_process_kill does nothing. */
bool hy_host_process_is_here(const struct hy_host_process *process);

pid_t hy_host_process_pid(const struct hy_host_process *process);
int hy_host_process_pidfd(const struct hy_host_process *process);   /* owned by `process` */
int hy_host_process_control(const struct hy_host_process *process); /* owned by `process` */

/* Returns whether the process is a shared service with other clients. */
bool hy_host_process_is_shared(const struct hy_host_process *process);

/* Sends SIGKILL; the process may have ended already. A shared service is not killed: the client
 * disconnects, for all threads. */
void hy_host_process_kill(const struct hy_host_process *process);

/*
 * Reaps a process that has ended and became a child of the app, as an app that inherits orphans
 * must; otherwise the process stays a zombie. For any other process the function does nothing. The
 * life watch and the destructor call the function. False: the process is a child of the app and has
 * not ended yet.
 */
bool hy_host_process_reap(int pidfd);

#endif
