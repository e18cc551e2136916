#ifndef HY_RUNTIME_FORK_GUARD_H
#define HY_RUNTIME_FORK_GUARD_H

/*
 * Keeps the library usable in a child of fork(). fork() copies the memory and one thread of a
 * process. The guard acquires every lock of the process before fork() and releases the locks in
 * parent and child. In the child, state that depends on threads is reset, and threads start again
 * on demand. Locks of single objects are not acquired: a call of another thread on an object never
 * completes in the child, and events report this (event.h).
 */
enum hy_fork_phase {
    HY_FORK_BEFORE, /* acquire the lock */
    HY_FORK_PARENT, /* release the lock */
    HY_FORK_CHILD,  /* release the lock and drop all threads */
};

/* The locks of the process in the order of acquisition. A lock acquired while another lock is held
 * must come later in this list. */
enum hy_fork_lock {
    HY_FORK_DEVICES,
    HY_FORK_BACKGROUND,
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

/* Registers `call` for each phase of each fork(). Each lock has one owner, and the owner registers
 * `call` when the library is loaded. */
void hy_fork_guard_set(enum hy_fork_lock lock, void (*call)(enum hy_fork_phase phase));

/* Registers a function when the library is loaded. Use once per file, without a semicolon. */
#define HY_AT_FORK(lock, call) \
    __attribute__((constructor)) static void register_at_fork_guard(void) \
    { \
        hy_fork_guard_set(lock, call); \
    }

/* Returns the number of fork() calls between the first process and this process. */
unsigned hy_fork_generation(void);

#endif
