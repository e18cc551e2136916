#ifndef HY_SERVICE_PROCESS_END_H
#define HY_SERVICE_PROCESS_END_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How a process has ended, as far as it is known. */
enum hy_end_kind {
    HY_END_UNKNOWN, /* it has ended, and nobody tells how */
    HY_END_SIGNAL,
    HY_END_EXIT,
};

struct hy_process_end {
    enum hy_end_kind kind;
    int number; /* of the signal, or the exit status */
};

/* By the status of waitpid. */
struct hy_process_end hy_process_end_of(int wait_status);

/*
 * Waits so many milliseconds for the end of the process, of which this one need not be the parent.
 * `pid` is its number here, 0 where that is not known. False: it has not ended. pidfd < 0: nobody
 * knows, which is false, too.
 */
bool hy_process_end_await(int pidfd, pid_t pid, int milliseconds, struct hy_process_end *ret);

/* "was ended by SIGSEGV", "exited with status 3", "has ended". */
void hy_process_end_describe(const struct hy_process_end *end, char *text, size_t size);

#endif
