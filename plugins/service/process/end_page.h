#ifndef HY_SERVICE_PROCESS_END_PAGE_H
#define HY_SERVICE_PROCESS_END_PAGE_H

#include "common/error.h"
#include "plugins/service/process/end.h"

#include <stdatomic.h>
#include <stdint.h>

/*
 * Where the parent of a process tells how that has ended, for whoever holds the descriptor, on any
 * kernel, as any user and in any namespace: one word in a memfd, which only the parent can write.
 * docs/service-protocol.md has its layout.
 */
struct hy_end_page {
    int fd; /* -1: there is none */
    _Atomic uint32_t *word;
};

/* Before the process is made: it inherits the descriptor, and not the memory. Errors: EXHAUSTED,
 * OUT_OF_MEMORY, FAILED. */
HY_MUST_CHECK enum hy_code hy_end_page_make(struct hy_end_page *ret, struct hy_error *err);

/* Once, with the status of waitpid; without a page it does nothing. */
void hy_end_page_tell(const struct hy_end_page *page, int wait_status);

/* Whether that is the descriptor of such a page, as far as can be seen. */
bool hy_end_page_is_one(int fd);

/* Waits so many milliseconds for the word. False: nobody has told an end; so it is without a page,
 * fd < 0, at once. */
bool hy_end_page_await(int fd, int milliseconds, struct hy_process_end *ret);

#endif
