#ifndef HY_TESTS_CONFORMANCE_SKIP_RULES_H
#define HY_TESTS_CONFORMANCE_SKIP_RULES_H

#include <jansson.h>
#include <stdbool.h>

/* What a pass makes of the tests. */
struct hy_skip_pass {
    const char *mode;
    bool is_signed;
};

/*
 * How many tests below a folder the format leaves out of each pass: an array of {reason: count}, by
 * counting in the files themselves. The answer is the caller's; what cannot be read is a recorded
 * failure.
 */
json_t *hy_expected_skips(const char *folder, const struct hy_skip_pass *passes, size_t count);

#endif
