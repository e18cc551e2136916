#include "xd_request.h"

#include "xd_operands.h"

#include <string.h>

/* No memory is protected in smaller pieces, on any machine. */
#define PAGE UINT64_C(4096)

/* Kernels read up to XNN_EXTRA_BYTES beyond an input. What lies in the same pool, or else in the
 * same page, can be read. */
static bool can_stay(const struct hy_bound_argument *bound, const struct xd_tensor *tensor)
{
    const uintptr_t start = (uintptr_t)bound->address, end = start + tensor->bytes;
    const bool has_padding = bound->trailing >= XNN_EXTRA_BYTES ||
                             (end - 1) / PAGE == (end + XNN_EXTRA_BYTES - 1) / PAGE;
    return has_padding && start % hy_tensor_element_size(tensor->type) == 0;
}

int32_t xd_request_bind(const struct hy_request_target *target, const struct hy_request *request,
                        const struct xd_program *program, struct xd_instance *instance,
                        const struct hy_message *message)
{
    struct hy_bound_argument *bound = xd_instance_bound(instance);
    const uint8_t **arguments = xd_instance_arguments(instance);
    const int32_t status = hy_request_bind(target, request, bound, message);
    if (status != HY_STATUS_OK)
        return status;
    for (uint32_t i = 0; i < program->input_count + program->output_count; i++) {
        const struct xd_tensor *tensor = &program->tensors[program->arguments[i]];
        arguments[i] = bound[i].address;
        if (i < program->input_count && bound[i].address && !bound[i].buffer &&
            !can_stay(&bound[i], tensor))
            arguments[i] =
                memcpy(xd_instance_input_buffer(instance, i), bound[i].address, tensor->bytes);
    }
    return HY_STATUS_OK;
}
