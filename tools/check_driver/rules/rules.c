#include "tools/check_driver/rules/rules.h"

static const struct {
    const char *name;
    const char *text;
} rules[] = {
#define RULE(name, text) {#name, text},
#include "tools/check_driver/rules/rules.def"
#undef RULE
};

const char *hy_rule_name(enum hy_rule rule)
{
    return rules[rule].name;
}

const char *hy_rule_text(enum hy_rule rule)
{
    return rules[rule].text;
}
