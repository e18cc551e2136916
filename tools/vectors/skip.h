#ifndef HY_TOOLS_VECTORS_SKIP_H
#define HY_TOOLS_VECTORS_SKIP_H

/* All rules for skipping a test. The first matching rule counts. */
enum hy_skip_rule {
    HY_SKIP_NONE, /* the test runs */
    HY_SKIP_DYNAMIC_FAILURE,
    HY_SKIP_DYNAMIC_OPERATION,
    HY_SKIP_SIGNED_FAILURE,
    HY_SKIP_SIGNED_SUBGRAPHS,
    HY_SKIP_SIGNED_OPERATIONS,
    HY_SKIP_SIGNED_OPERATION,
    HY_SKIP_SIGNED_NO_OPERAND,
    HY_SKIP_FENCED_EMPTY,
    HY_SKIP_DOMAIN_EMPTY,
    HY_SKIP_CACHED_NO_FILES,
    HY_SKIP_UNSUPPORTED,
    HY_SKIP_NO_OPERATION,
    HY_SKIP_RULE_COUNT
};

/* The text of the rule: a key of the JSON. Not for HY_SKIP_NONE. */
const char *hy_skip_reason(enum hy_skip_rule rule);

#endif
