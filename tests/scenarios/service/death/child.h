#ifndef HY_TESTS_DEATH_CHILD_H
#define HY_TESTS_DEATH_CHILD_H

#include <stdbool.h>

/*
 * Runs `act` in a forked child, as a new app without earlier driver deaths. The child reports
 * failures with child_fail. Returns false with a text in `message` if the child fails or does not
 * end in time.
 */
bool child_does(bool (*act)(void *context), void *context, const char **message);

/* In the child: records the first failure, printf-style, and returns false. */
bool child_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
