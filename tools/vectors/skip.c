#include "tools/vectors/skip.h"

const char *hy_skip_reason(enum hy_skip_rule rule)
{
    static const char *const reasons[HY_SKIP_RULE_COUNT] = {
        [HY_SKIP_DYNAMIC_FAILURE] = "dynamic: the test expects a refusal",
        [HY_SKIP_DYNAMIC_OPERATION] = "dynamic: the test has an IF, WHILE or RANK",
        [HY_SKIP_SIGNED_FAILURE] = "signed: the test expects a refusal",
        [HY_SKIP_SIGNED_SUBGRAPHS] = "signed: the test has subgraphs",
        [HY_SKIP_SIGNED_OPERATIONS] = "signed: the test has more than one operation",
        [HY_SKIP_SIGNED_OPERATION] = "signed: the operation has no signed version",
        [HY_SKIP_SIGNED_NO_OPERAND] = "signed: no operand is TENSOR_QUANT8_ASYMM",
        [HY_SKIP_FENCED_EMPTY] = "fenced: an output is empty",
        [HY_SKIP_DOMAIN_EMPTY] = "domain: an output is empty",
        [HY_SKIP_CACHED_NO_FILES] = "cached: the device has no cache files",
        [HY_SKIP_UNSUPPORTED] = "the device does not support the test",
        [HY_SKIP_NO_OPERATION] = "operation not implemented",
    };
    return reasons[rule];
}
