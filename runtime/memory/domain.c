#include "domain.h"

#include "runtime/model/model.h"

#include <stdlib.h>
#include <string.h>

void hy_domain_destroy(struct hy_domain *domain)
{
    if (!domain)
        return;
    hy_app_model_release(domain->model);
    free(domain->roles);
    free(domain);
}

bool hy_memory_role_is_listed(const struct hy_memory_role *roles, uint32_t count,
                              const struct hy_memory_role *role)
{
    for (uint32_t i = 0; i < count; i++) {
        if (roles[i].compilation == role->compilation && roles[i].index == role->index &&
            roles[i].is_output == role->is_output)
            return true;
    }
    return false;
}

enum hy_code hy_domain_check_use(const struct hy_domain *domain, const struct hy_memory_role *role,
                                 uint64_t offset, uint64_t length, struct hy_shape *shape,
                                 struct hy_error *err)
{
    char text[2][HY_SHAPE_TEXT_SIZE];

    if (offset != 0 || length != 0)
        return hy_fail(err, HY_BAD_DATA,
                       "memory from a descriptor is used with offset and length 0, not %llu and "
                       "%llu",
                       (unsigned long long)offset, (unsigned long long)length);
    if (!hy_memory_role_is_listed(domain->roles, domain->role_count, role))
        return hy_fail(err, HY_BAD_DATA, "the memory was not made for this role");
    if (!hy_shape_combine(shape, &domain->shape, shape))
        return hy_fail(err, HY_BAD_DATA, "shape %s, the memory was made for %s",
                       hy_shape_text(shape, text[0]), hy_shape_text(&domain->shape, text[1]));
    return HY_OK;
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

bool hy_operand_is_alike(const struct hy_operand *a, const struct hy_operand *b)
{
    return a->type == b->type && same_bytes(&a->scale, &b->scale, sizeof a->scale) &&
           a->zero_point == b->zero_point && a->channel_dim == b->channel_dim &&
           a->channel_count == b->channel_count &&
           same_bytes(a->channel_scales, b->channel_scales,
                      a->channel_count * sizeof *a->channel_scales) &&
           a->extension_length == b->extension_length &&
           same_bytes(a->extension_data, b->extension_data, a->extension_length);
}
