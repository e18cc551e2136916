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

/* The locks of the process in the order in which they are taken: a lock that is taken while another
 * is held stands below it. */
enum hy_fork_lock {
    HY_FORK_DEVICES,
    HY_FORK_LATER,
    HY_FORK_MEMORY,
    HY_FORK_EXTENSIONS,
    HY_FORK_FENCE_WATCH,
    HY_FORK_FENCES,
    HY_FORK_WORKER_POOL,
    HY_FORK_DIAGNOSTICS,
    HY_FORK_WORK,
    HY_FORK_CACHE_SESSIONS,
    HY_FORK_RECORDS,
    HY_FORK_FILE_LOCKS,
    HY_FORK_LOCK_COUNT
};

/* Has `call` called in each phase of each fork(). Each lock has one owner, which registers it when
 * the library is loaded. */
void hy_fork_guard_set(enum hy_fork_lock lock, void (*call)(enum hy_fork_phase phase));

/* Registers the function of a file, without a semicolon, once in the file. */
#define HY_AT_FORK(lock, call) \
    __attribute__((constructor)) static void register_at_fork_guard(void) \
    { \
        hy_fork_guard_set(lock, call); \
    }

/* How many fork()s lie between the first process and this one. */
unsigned hy_fork_generation(void);

#endif
