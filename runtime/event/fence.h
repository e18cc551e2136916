#ifndef HY_RUNTIME_FENCE_H
#define HY_RUNTIME_FENCE_H

#include "common/error.h"

#include <stdbool.h>

/*
 * A sync fence is any file descriptor that polls readable after a signal, and in error after a
 * failure: an eventfd, a pipe, or a fence of Halyard. A sync_file polls readable in both cases, and
 * an ioctl returns its error.
 */

/* Blocks until the fence is signalled. HY_FAILED: the fence is in error, or can never be
 * signalled. */
HY_MUST_CHECK enum hy_code hy_fence_wait(int fd, struct hy_error *err);

/* Returns the result of a fence that has ended. `events` are the events from poll or epoll.
 * HY_FAILED: the fence is in error. */
HY_MUST_CHECK enum hy_code hy_fence_result(int fd, uint32_t events, struct hy_error *err);

/* True if hy_fence_wait would return at once, with the result in *code and *err. Never blocks. */
bool hy_fence_is_over(int fd, enum hy_code *code, struct hy_error *err);

/* `error` is zeroed for HY_OK. */
typedef void hy_fence_over(void *context, enum hy_code code, const struct hy_error *error);

/*
 * Calls `over` once, on a separate thread, when the fence has ended. The fd must stay open until
 * the call. HY_FAILED: the fence cannot be watched, and `over` is never called. A child of fork()
 * does not watch the fences of its parent.
 */
HY_MUST_CHECK enum hy_code hy_fence_watch(int fd, hy_fence_over *over, void *context,
                                          struct hy_error *err);

/*
 * A fence made by Halyard. Waiters use `fd`; `signal` signals or fails the fence once. The struct
 * must not move in memory. In a child of fork() `signal` is closed: the parent ends the fence.
 */
struct hy_fence {
    int fd;
    int signal;                  /* -1 after the end */
    struct hy_fence *next, **at; /* list of fences that have not ended */
};

HY_MUST_CHECK enum hy_code hy_fence_create(struct hy_fence *fence, struct hy_error *err);
void hy_fence_end(struct hy_fence *fence, bool success);
void hy_fence_close(struct hy_fence *fence); /* duplicates of `fd` stay valid */

#endif
