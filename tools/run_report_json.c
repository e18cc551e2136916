#include "tools/print_json.h"
#include "tools/run_report.h"
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

static json_t *first_values(const struct hy_session_tensor *output)
{
    json_t *values = json_array();
    for (uint64_t i = 0; i < hy_values_count(output) && i < HY_RUN_REPORT_VALUES; i++)
        json_array_append_new(values, number(hy_values_get(output, i)));
    return values;
}

static json_t *output_object(const struct hy_session_tensor *output)
{
    const struct halyard_tensor_info *info = &output->info;
    const struct hy_values_range range = hy_values_range(output);
    json_t *object =
        json_pack("{s:o, s:s, s:o, s:I, s:o, s:o, s:o}", "name", hy_json_text(info->name), "type",
                  halyard_network_type_name(info->type), "shape", shape_array(info), "bytes",
                  (json_int_t)output->length, "min", number(range.min), "max", number(range.max),
                  "first", first_values(output));
    if (object && info->scale_count) {
        json_object_set_new(object, "scale", json_real((double)info->scales[0]));
        json_object_set_new(object, "zero_point", json_integer(info->zero_points[0]));
    }
    return object;
}

static json_t *label_array(const struct hy_ranking *ranking)
{
    json_t *labels = json_array();
    for (uint32_t i = 0; i < ranking->count; i++) {
        const struct hy_rank *rank = &ranking->ranks[i];
        json_array_append_new(
            labels, json_pack("{s:o, s:i, s:o}", "label", hy_json_text(rank->label), "index",
                              (int)rank->index, "percent", number(rank->percent)));
    }
    return labels;
}

enum hy_code hy_run_report_print_json(const struct hy_run_report *report, struct hy_error *err)
{
    json_t *outputs = json_array();
    for (uint32_t i = 0; i < hy_session_output_count(report->session); i++) {
        const struct hy_session_tensor output = hy_session_output(report->session, i);
        json_array_append_new(outputs, output_object(&output));
    }

    json_t *object = json_pack("{s:o}", "outputs", outputs);
    if (object && report->has_ranking)
        json_object_set_new(object, "labels", label_array(&report->ranking));
    return hy_json_print(object, err);
}
