#ifndef HY_SERVICE_PROCESS_END_PAGE_H
#define HY_SERVICE_PROCESS_END_PAGE_H

#include "common/error.h"
#include "plugins/service/process/end.h"

#include <stdatomic.h>
#include <stdint.h>

/*
 * An end page: one word in a memfd, on which the parent of a process reports how the process ended.
 * Only the parent can write the word. Every holder of the descriptor can read the word, on any
 * kernel, as any user and in any namespace. docs/service-protocol.md has the layout.
 */
struct hy_end_page {
    int fd; /* -1: no page */
    _Atomic uint32_t *word;
};

/* Creates a page, to be called before the process is created. The process inherits the descriptor,
 * but not the mapping. Errors: EXHAUSTED, OUT_OF_MEMORY, FAILED. */
HY_MUST_CHECK enum hy_code hy_end_page_make(struct hy_end_page *ret, struct hy_error *err);

/* Reports a wait status of waitpid. Called at most once per page. Does nothing without a page. */
void hy_end_page_report(const struct hy_end_page *page, int wait_status);

/* Returns whether `fd` looks like the descriptor of an end page, by its seals and size. */
bool hy_end_page_is_one(int fd);

/* Waits up to `milliseconds` for the report. False: no report yet. Without a page (fd < 0) the
 * function returns false at once. */
bool hy_end_page_await(int fd, int milliseconds, struct hy_process_end *ret);

#endif
