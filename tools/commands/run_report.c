#include "tools/commands/run_report.h"

#include <stdio.h>
#include <string.h>

#include "common/printable.h"
#include "common/texts.h"
#include "tools/shape_option.h"
#include "tools/values.h"

/* Class 17 as "17 cat", where numbers have names. */
static void print_value(const struct halyard_tensor_info *info, double value)
{
    printf(" %g", value);
    if (value >= 0 && value < info->value_label_count && value == (uint32_t)value)
        printf(" %s,", hy_text_line(info->value_labels[(uint32_t)value]).text);
}

/* A line for each. */
static void print_texts(const struct hy_session_tensor *output)
{
    char line[HY_LINE_SIZE];
    struct hy_texts texts;
    struct hy_text text;

    if (!hy_texts_open(output->bytes, output->length, &texts))
        texts.count = 0;
    printf("  %u texts\n", texts.count);
    for (uint32_t i = 0; i < texts.count && i < HY_RUN_REPORT_VALUES; i++) {
        if (!hy_texts_at(&texts, i, &text))
            break;
        const size_t shown = text.length < sizeof line ? text.length : sizeof line - 1;
        memcpy(line, text.bytes, shown);
        line[shown] = '\0';
        printf("  %s\n", hy_text_line(line).text);
    }
    if (texts.count > HY_RUN_REPORT_VALUES)
        printf("  ...\n");
}

static enum hy_code print_output(const struct hy_session *session, uint32_t index,
                                 struct hy_error *err)
{
    const struct hy_session_tensor output = hy_session_output(session, index);
    struct hy_values values;
    const enum hy_code code = hy_values_read(session, index, &values, err);
    if (code != HY_OK)
        return code;
    char shape[96];
    hy_shape_text(&output.info, shape, sizeof shape);
    printf("output %u  %s  %s", index, hy_text_line(output.info.name).text, shape);
    if (output.info.type == HALYARD_TYPE_STRING) {
        print_texts(&output);
        return HY_OK;
    }
    printf("  min %g  max %g\n ", values.min, values.max);
    for (uint64_t i = 0; i < values.count && i < HY_RUN_REPORT_VALUES; i++)
        print_value(&output.info, values.at[i]);
    printf("%s\n", values.count > HY_RUN_REPORT_VALUES ? " ..." : "");
    hy_values_finish(&values);
    return HY_OK;
}

enum hy_code hy_run_report_print(const struct hy_run_report *report, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (report->has_ranking && report->ranking.is_labelled) {
        hy_ranking_print(&report->ranking);
        return HY_OK;
    }
    for (uint32_t i = 0; code == HY_OK && i < hy_session_output_count(report->session); i++)
        code = print_output(report->session, i, err);
    if (code == HY_OK && report->has_ranking)
        hy_ranking_print(&report->ranking);
    return code;
}
