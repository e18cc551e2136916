#ifndef HY_SERVICE_FORK_H
#define HY_SERVICE_FORK_H

/* fork() as in runtime/fork_guard.h, for a room that does not see the runtime. */
enum hy_service_fork_phase {
    HY_SERVICE_FORK_BEFORE, /* take the locks */
    HY_SERVICE_FORK_PARENT, /* give them back */
    HY_SERVICE_FORK_CHILD,  /* the same, and forget the processes and the thread */
};

/*
 * For whoever guards fork(): host processes and the watch over them. In the child every host
 * process of the parent is closed and none is watched any more: what it calls back with will not be
 * called, hy_host_process_is_here says no, and the destructors of both free the memory alone.
 */
void hy_processes_fork(enum hy_service_fork_phase phase);

/* The two that it consists of, in the order in which their locks are taken. */
void hy_host_processes_fork(enum hy_service_fork_phase phase);
void hy_life_watch_fork(enum hy_service_fork_phase phase);

#endif
