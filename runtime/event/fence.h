#ifndef HY_RUNTIME_FENCE_H
#define HY_RUNTIME_FENCE_H

#include "common/error.h"

#include <stdbool.h>

/*
 * A sync fence is any file descriptor that polls readable once it is signalled, and in error when
 * it failed: an eventfd, a pipe, or one of ours. A sync_file polls readable in both cases, and
 * tells its error when it is asked.
 */

/* Blocks until the fence is signalled. HY_FAILED: it is in error, or can never be signalled. */
HY_MUST_CHECK enum hy_code hy_fence_wait(int fd, struct hy_error *err);

/* What a fence has come to that is over: `events` are poll's or epoll's word on it. HY_FAILED: it
 * is in error. */
HY_MUST_CHECK enum hy_code hy_fence_result(int fd, uint32_t events, struct hy_error *err);

/* Looks without blocking: true when hy_fence_wait would return at once, with *code and *err. */
bool hy_fence_is_over(int fd, enum hy_code *code, struct hy_error *err);

/* `error` is zeroed for HY_OK. */
typedef void hy_fence_over(void *context, enum hy_code code, const struct hy_error *error);

/*
 * Calls `over` once, on a thread of its own, when the fence is over. The fd must stay open until
 * then. HY_FAILED: the fence cannot be watched, and nothing will be called. A child of fork()
 * watches nothing that its parent does.
 */
HY_MUST_CHECK enum hy_code hy_fence_watch(int fd, hy_fence_over *over, void *context,
                                          struct hy_error *err);

/*
 * A fence of our own: `fd` for whoever waits, signalled or failed once through `signal`. It stays
 * where it was created. In a child of fork() `signal` is closed: the parent ends the fence.
 */
struct hy_fence {
    int fd;
    int signal;                  /* -1 once it is over */
    struct hy_fence *next, **at; /* among those that are not over */
};

HY_MUST_CHECK enum hy_code hy_fence_create(struct hy_fence *fence, struct hy_error *err);
void hy_fence_end(struct hy_fence *fence, bool success);
void hy_fence_close(struct hy_fence *fence); /* duplicates of `fd` stay as they are */

#endif
