#ifndef HY_RUNTIME_FENCE_H
#define HY_RUNTIME_FENCE_H

#include "common/error.h"

#include <stdbool.h>

/*
 * A sync fence is any file descriptor that polls readable once it is signalled, and in error when
 * it failed: a sync_file, an eventfd, a pipe, or one of ours.
 */

/* Blocks until the fence is signalled. HY_FAILED: it is in error, or can never be signalled. */
HY_MUST_CHECK enum hy_code hy_fence_wait(int fd, struct hy_error *err);

/* Looks without blocking: true when hy_fence_wait would return at once, with *code. */
bool hy_fence_is_over(int fd, enum hy_code *code);

/*
 * Calls `over(context, code)` once, on a thread of its own, when the fence is over. The fd must
 * stay open until then. HY_FAILED: the fence cannot be watched, and nothing will be called.
 */
HY_MUST_CHECK enum hy_code hy_fence_watch(int fd, void (*over)(void *context, enum hy_code code),
                                          void *context, struct hy_error *err);

/* A fence of our own: `fd` for whoever waits, signalled or failed once through `signal`. */
struct hy_fence {
    int fd;
    int signal; /* -1 once it is over */
};

HY_MUST_CHECK enum hy_code hy_fence_create(struct hy_fence *fence, struct hy_error *err);
void hy_fence_end(struct hy_fence *fence, bool success);
void hy_fence_close(struct hy_fence *fence); /* duplicates of `fd` stay as they are */

#endif
