#include "tools/run_report.h"

#include <stdio.h>

#include "common/printable.h"
#include "tools/shape_option.h"
#include "tools/values.h"

static void print_output(uint32_t index, const struct hy_session_tensor *output)
{
    char shape[96];
    hy_shape_text(&output->info, shape, sizeof shape);

    const struct hy_values_range range = hy_values_range(output);
    printf("output %u  %s  %s  min %g  max %g\n ", index, hy_text_line(output->info.name).text,
           shape, range.min, range.max);
    const uint64_t count = hy_values_count(output);
    for (uint64_t i = 0; i < count && i < HY_RUN_REPORT_VALUES; i++)
        printf(" %g", hy_values_get(output, i));
    printf("%s\n", count > HY_RUN_REPORT_VALUES ? " ..." : "");
}

void hy_run_report_print(const struct hy_run_report *report)
{
    if (report->has_ranking) {
        hy_ranking_print(&report->ranking);
        return;
    }
    for (uint32_t i = 0; i < hy_session_output_count(report->session); i++) {
        const struct hy_session_tensor output = hy_session_output(report->session, i);
        print_output(i, &output);
    }
}
