#include "plugins/service/wire/result.h"

#include "plugins/service/wire/records.h"

#include <string.h>

void hy_result_pack(struct hy_pack *out, const struct hy_result *result)
{
    struct hy_result_record record = {.output_count = result->output_count,
                                      .time_on_device = result->time_on_device,
                                      .time_in_driver = result->time_in_driver};

    for (uint32_t i = 0; i < result->output_count; i++) {
        if (result->outputs[i].rank > HY_MAX_RANK) {
            hy_pack_fail(out, HY_BAD_DATA, "the result has rank %u for output %u",
                         result->outputs[i].rank, i);
            return;
        }
        record.dim_count += result->outputs[i].rank;
    }
    hy_pack_copy(out, &record, 1, sizeof record);
    struct hy_output_shape_record *shapes =
        hy_pack_records(out, record.output_count, sizeof *shapes);
    for (uint32_t i = 0; i < record.output_count && shapes; i++) {
        shapes[i].rank = result->outputs[i].rank;
        shapes[i].sufficient = result->outputs[i].sufficient;
    }
    uint32_t *dims = hy_pack_records(out, record.dim_count, sizeof *dims);
    for (uint32_t i = 0; i < record.output_count && dims; i++) {
        memcpy(dims, result->outputs[i].dims, result->outputs[i].rank * sizeof *dims);
        dims += result->outputs[i].rank;
    }
}

static void unpack_shapes(struct hy_unpack *in, const struct hy_result_record *record,
                          struct hy_output_shape *outputs)
{
    const struct hy_output_shape_record *shapes =
        hy_unpack_records(in, record->output_count, sizeof *shapes);
    const uint32_t *dims = hy_unpack_records(in, record->dim_count, sizeof *dims);
    uint32_t left = record->dim_count;

    for (uint32_t i = 0; i < record->output_count && hy_unpack_good(in); i++) {
        const uint32_t rank = shapes[i].rank;
        if (rank > HY_MAX_RANK || rank > left || shapes[i].sufficient > 1) {
            hy_unpack_fail(in, "output %u has rank %u, sufficient %u, %u extents are left", i, rank,
                           shapes[i].sufficient, left);
            return;
        }
        outputs[i] = (struct hy_output_shape){.rank = rank, .sufficient = shapes[i].sufficient};
        if (rank > 0)
            memcpy(outputs[i].dims, dims + (record->dim_count - left), rank * sizeof *dims);
        left -= rank;
    }
    if (left > 0)
        hy_unpack_fail(in, "%u extents too many", left);
}

void hy_result_unpack(struct hy_unpack *in, struct hy_result *result)
{
    const struct hy_result_record *record = hy_unpack_records(in, 1, sizeof *record);
    if (!record)
        return;

    if (record->output_count != result->output_count)
        hy_unpack_fail(in, "%u outputs, needs %u", record->output_count, result->output_count);
    unpack_shapes(in, record, result->outputs);
    if (!hy_unpack_good(in))
        return;
    result->time_on_device = record->time_on_device;
    result->time_in_driver = record->time_in_driver;
}
