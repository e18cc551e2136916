#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/vectors/report.h"
#include "tools/xml.h"

static void put_result(FILE *file, const struct hy_test_result *result)
{
    fputs("  <testcase", file);
    hy_xml_put_attribute(file, "classname", result->spec);
    hy_xml_put_attribute(file, "name", result->name);
    fprintf(file, " time=\"%.6f\"", result->seconds);
    if (result->outcome == HY_PASSED) {
        fputs("/>\n", file);
        return;
    }
    fputs(result->outcome == HY_SKIPPED ? "><skipped message=\"" : "><failure message=\"", file);
    if (result->outcome == HY_SKIPPED)
        hy_xml_put_text(file, hy_skip_reason(result->rule));
    if (result->outcome == HY_SKIPPED && *result->detail)
        hy_xml_put_text(file, ": ");
    hy_xml_put_text(file, result->detail);
    fputs("\"/></testcase>\n", file);
}

static void put_report(FILE *file, const struct hy_conformance_report *report)
{
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"halyard conformance\" tests=\"%u\" failures=\"%u\" errors=\"0\" "
            "skipped=\"%u\">\n",
            report->count, report->failed, report->skipped);
    for (uint32_t i = 0; i < report->count; i++)
        put_result(file, &report->results[i]);
    fputs("</testsuite>\n", file);
}

enum hy_code hy_report_write_junit(const struct hy_conformance_report *report, const char *path,
                                   struct hy_error *err)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return hy_fail(err, HY_FAILED, "cannot write %s: %s", path, strerror(errno));
    put_report(file, report);
    const int failed = ferror(file);
    if (fclose(file) != 0 || failed)
        return hy_fail(err, HY_FAILED, "cannot write %s: %s", path, strerror(errno));
    return HY_OK;
}
