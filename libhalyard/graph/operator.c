#include "libhalyard/graph/operator.h"

static const char *const names[HY_OPERATOR_COUNT] = {
#define OPERATOR(NAME, ...) [HY_OPERATOR_##NAME] = #NAME,
#include "libhalyard/graph/operators.def"
};

const char *hy_operator_name(enum hy_operator operator_)
{
    return names[operator_];
}
