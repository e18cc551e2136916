#ifndef HY_TOOLS_CHECK_DRIVER_RULES_RULES_H
#define HY_TOOLS_CHECK_DRIVER_RULES_RULES_H

/* The rules for drivers by their numbers. */
enum hy_rule {
#define RULE(name, text) HY_RULE_##name,
#include "tools/check_driver/rules/rules.def"
#undef RULE
    HY_RULE_COUNT
};

/* "B4". */
const char *hy_rule_name(enum hy_rule rule);

/* The text of the rule: a statement that holds for a correct driver. */
const char *hy_rule_text(enum hy_rule rule);

#endif
