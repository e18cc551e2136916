#include "tools/check_driver/rules/rules.h"

static const struct {
    const char *name;
    const char *words;
} rules[] = {
#define RULE(name, words) {#name, words},
#include "tools/check_driver/rules/rules.def"
#undef RULE
};

const char *hy_rule_name(enum hy_rule rule)
{
    return rules[rule].name;
}

const char *hy_rule_text(enum hy_rule rule)
{
    return rules[rule].words;
}
