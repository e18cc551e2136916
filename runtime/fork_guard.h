#ifndef HY_RUNTIME_FORK_GUARD_H
#define HY_RUNTIME_FORK_GUARD_H

/*
 * fork() copies the memory of a process and one of its threads. So that the child can go on with
 * the API, whoever calls fork() takes every lock of the process first, and gives it back on both
 * sides; in the child, what counted on threads starts anew, and makes its threads when it needs
 * them. Locks of single objects are not taken: what another thread was doing with an object at that
 * moment stays undone in the child, and events say so (event.h).
 */
enum hy_fork_phase {
    HY_FORK_BEFORE, /* take the lock */
    HY_FORK_PARENT, /* give it back */
    HY_FORK_CHILD,  /* the same, and forget the threads */
};

/* How many fork()s lie between the first process and this one. */
unsigned hy_fork_generation(void);

#endif
