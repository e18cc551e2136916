#include "tools/commands/run_report.h"
#include "tools/print_json.h"
#include "tools/values.h"

#include <math.h>

/* JSON has no word for what is not finite. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *shape_array(const struct halyard_tensor_info *info)
{
    json_t *shape = json_array();
    for (uint32_t i = 0; i < info->rank; i++)
        json_array_append_new(shape, json_integer(info->extents[i]));
    return shape;
}

static json_t *first_values(const struct hy_values *values)
{
    json_t *first = json_array();
    for (uint64_t i = 0; i < values->count && i < HY_RUN_REPORT_VALUES; i++)
        json_array_append_new(first, number(values->at[i]));
    return first;
}

static json_t *output_object(const struct hy_session_tensor *output, const struct hy_values *values)
{
    const struct halyard_tensor_info *info = &output->info;
    json_t *object =
        json_pack("{s:o, s:s, s:o, s:I, s:o, s:o, s:o}", "name", hy_json_text(info->name), "type",
                  halyard_network_type_name(info->type), "shape", shape_array(info), "bytes",
                  (json_int_t)output->length, "min", number(values->min), "max",
                  number(values->max), "first", first_values(values));
    if (object && info->scale_count) {
        json_object_set_new(object, "scale", json_real((double)info->scales[0]));
        json_object_set_new(object, "zero_point", json_integer(info->zero_points[0]));
    }
    if (object && *info->description)
        json_object_set_new(object, "description", hy_json_text(info->description));
    return object;
}

static json_t *label_array(const struct hy_ranking *ranking)
{
    json_t *labels = json_array();
    for (uint32_t i = 0; i < ranking->count; i++) {
        const struct halyard_rank *rank = &ranking->ranks[i];
        json_t *label =
            json_pack("{s:i, s:o}", "index", (int)rank->index, "value", number(rank->value));
        if (label && ranking->is_labelled)
            json_object_set_new(label, "label", hy_json_text(rank->label));
        if (label && ranking->is_fraction)
            json_object_set_new(label, "percent", number(100 * rank->value));
        json_array_append_new(labels, label);
    }
    return labels;
}

enum hy_code hy_run_report_print_json(const struct hy_run_report *report, struct hy_error *err)
{
    json_t *outputs = json_array();
    for (uint32_t i = 0; i < hy_session_output_count(report->session); i++) {
        const struct hy_session_tensor output = hy_session_output(report->session, i);
        struct hy_values values;
        const enum hy_code code = hy_values_read(report->session, i, &values, err);
        if (code != HY_OK) {
            json_decref(outputs);
            return code;
        }
        json_array_append_new(outputs, output_object(&output, &values));
        hy_values_finish(&values);
    }

    json_t *object = json_pack("{s:o}", "outputs", outputs);
    if (object && report->has_ranking)
        json_object_set_new(object, report->ranking.is_labelled ? "labels" : "top",
                            label_array(&report->ranking));
    return hy_json_print(object, err);
}
