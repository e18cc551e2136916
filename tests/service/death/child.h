#ifndef HY_TESTS_DEATH_CHILD_H
#define HY_TESTS_DEATH_CHILD_H

#include <stdbool.h>

/*
 * Does something in a child of fork(): an app of its own, whose drivers have died of nothing yet.
 * What goes wrong in it is told with child_fail. False: something did, or it did not come to its
 * end in time; `words` then.
 */
bool child_does(bool (*act)(void *context), void *context, const char **words);

/* In the child: notes what is wrong, printf-style, the first time it is called; gives false. */
bool child_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
