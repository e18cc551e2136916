#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/check_driver/outcome.h"
#include "tools/xml.h"

static void put_rule(FILE *file, const struct hy_group *group, enum hy_rule rule)
{
    const struct hy_rule_outcome *outcome = &group->rules[rule];
    char name[160];
    snprintf(name, sizeof name, "%s %s", hy_rule_name(rule), hy_rule_text(rule));
    fputs("  <testcase", file);
    hy_xml_put_attribute(file, "classname", group->device[0] ? group->device : "library");
    hy_xml_put_attribute(file, "name", name);
    if (outcome->state == HY_RULE_PASSED) {
        fputs("/>\n", file);
        return;
    }
    fputs(outcome->state == HY_RULE_BROKEN ? "><failure" : "><skipped", file);
    hy_xml_put_attribute(file, "message", outcome->detail ? outcome->detail : "");
    fputs("/></testcase>\n", file);
}

static void put_outcome(FILE *file, const struct hy_outcome *outcome)
{
    const uint32_t broken = hy_outcome_count(outcome, HY_RULE_BROKEN);
    const uint32_t skipped = hy_outcome_count(outcome, HY_RULE_SKIPPED);
    const uint32_t passed = hy_outcome_count(outcome, HY_RULE_PASSED);
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"halyard check-driver\" tests=\"%u\" failures=\"%u\" errors=\"0\" "
            "skipped=\"%u\">\n",
            passed + broken + skipped, broken, skipped);
    for (uint32_t g = 0; g < outcome->group_count; g++)
        for (uint32_t i = 0; i < HY_RULE_COUNT; i++)
            if (outcome->groups[g].has[i])
                put_rule(file, &outcome->groups[g], i);
    fputs("</testsuite>\n", file);
}

enum hy_code hy_outcome_write_junit(const struct hy_outcome *outcome, const char *path,
                                    struct hy_error *err)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return hy_fail(err, HY_FAILED, "cannot write %s: %s", path, strerror(errno));
    put_outcome(file, outcome);
    const int failed = ferror(file);
    if (fclose(file) != 0 || failed)
        return hy_fail(err, HY_FAILED, "cannot write %s: %s", path, strerror(errno));
    return HY_OK;
}
