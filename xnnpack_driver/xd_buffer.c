#include "xd_buffer.h"

#include "xd_prepared.h"

#include <string.h>

static bool argument(const void *prepared, bool is_output, uint32_t index,
                     struct hy_buffer_tensor *tensor)
{
    const struct xd_tensor *known = xd_prepared_argument(prepared, is_output, index);
    if (!known)
        return false;
    *tensor = (struct hy_buffer_tensor){.type = known->type,
                                        .scale = known->quant.scale,
                                        .zero_point = known->quant.zero,
                                        .rank = known->rank,
                                        .bytes = known->bytes};
    memcpy(tensor->dims, known->dims, sizeof known->dims);
    return true;
}

/* XNNPACK reads beyond the end. */
static uint64_t stored_bytes(const struct hy_buffer_tensor *tensor)
{
    return tensor->bytes + XNN_EXTRA_BYTES;
}

const struct hy_buffer_functions xd_buffer_functions = {argument, stored_bytes, NULL};
