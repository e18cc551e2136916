#include "sample_buffer.h"

#include "sample_prepared.h"

#include <string.h>

static bool argument(const void *prepared, bool is_output, uint32_t index,
                     struct hy_buffer_tensor *tensor)
{
    const struct sample_tensor *known = sample_prepared_argument(prepared, is_output, index);
    if (!known)
        return false;
    *tensor = (struct hy_buffer_tensor){.type = known->type,
                                        .scale = known->scale,
                                        .zero_point = known->zero_point,
                                        .rank = known->rank,
                                        .bytes = known->bytes,
                                        .layout = known->layout,
                                        .is_read = known->readers > 0,
                                        .is_optional = !known->is_needed};
    memcpy(tensor->dims, known->dims, sizeof known->dims);
    return true;
}

static uint64_t stored_bytes(const struct hy_buffer_tensor *tensor)
{
    return tensor->bytes;
}

static void convert(const struct hy_buffer_tensor *tensor, uint32_t from_layout,
                    const uint8_t *from, uint32_t to_layout, uint8_t *to)
{
    (void)from_layout; /* there are two layouts */
    if (to_layout == SAMPLE_COLUMNS)
        sample_transpose(tensor->dims[0], tensor->dims[1], from, to);
    else
        sample_transpose(tensor->dims[1], tensor->dims[0], from, to);
}

const struct hy_buffer_functions sample_buffer_functions = {argument, stored_bytes, convert};
