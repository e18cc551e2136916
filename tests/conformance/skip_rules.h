#ifndef HY_TESTS_CONFORMANCE_SKIP_RULES_H
#define HY_TESTS_CONFORMANCE_SKIP_RULES_H

#include <jansson.h>

/*
 * How many tests below a folder the format leaves out of each mode: an array of {reason: count}, by
 * counting in the files themselves. The answer is the caller's; what cannot be read is a recorded
 * failure.
 */
json_t *hy_expected_skips(const char *folder, const char *const *modes, size_t count);

#endif
