#ifndef HY_TESTS_CONFORMANCE_SKIP_RULES_H
#define HY_TESTS_CONFORMANCE_SKIP_RULES_H

#include <jansson.h>

/*
 * For each mode, counts the tests below a directory with an exclusion by the vector format. The
 * counts come from the files themselves. Returns an array of {reason: count}, owned by the caller.
 * An unreadable file is recorded as a test failure.
 */
json_t *hy_expected_skips(const char *dir, const char *const *modes, size_t count);

#endif
