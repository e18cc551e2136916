#ifndef HY_SERVICE_FORK_H
#define HY_SERVICE_FORK_H

/* Phases of fork() as in runtime/fork_guard.h, for a layer that does not include the runtime. */
enum hy_service_fork_phase {
    HY_SERVICE_FORK_BEFORE, /* acquire the locks */
    HY_SERVICE_FORK_PARENT, /* release the locks */
    HY_SERVICE_FORK_CHILD,  /* release the locks; drop the processes and the thread */
};

/*
 * Fork handler for host processes and the life watch. In the child, all host processes of the
 * parent are closed and no longer watched. No callback is made, hy_host_process_is_here returns
 * false, and the destructors of both only free memory.
 */
void hy_processes_fork(enum hy_service_fork_phase phase);

/* The two parts of hy_processes_fork, in lock order. */
void hy_host_processes_fork(enum hy_service_fork_phase phase);
void hy_life_watch_fork(enum hy_service_fork_phase phase);

#endif
