#ifndef HY_SERVICE_PROCESS_END_H
#define HY_SERVICE_PROCESS_END_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How a process ended. */
enum hy_end_kind {
    HY_END_UNKNOWN, /* the process has ended, in an unknown way */
    HY_END_SIGNAL,
    HY_END_EXIT,
};

struct hy_process_end {
    enum hy_end_kind kind;
    int number; /* number of the signal, or exit status */
};

/* Converts a wait status of waitpid. */
struct hy_process_end hy_process_end_of(int wait_status);

/*
 * Waits up to `milliseconds` for the end of a process, which may be a child of another process.
 * `pid` is its number in the namespace of this process; 0: unknown. False: the process has not
 * ended, or `pidfd` is negative.
 */
bool hy_process_end_await(int pidfd, pid_t pid, int milliseconds, struct hy_process_end *ret);

/* Writes "was ended by SIGSEGV (11)", "exited with status 3" or "has ended". */
void hy_process_end_describe(const struct hy_process_end *end, char *text, size_t size);

#endif
