#include "domain.h"

#include "runtime/extension/type_info.h"
#include "runtime/memory/device_memory.h"

#include <stdlib.h>
#include <string.h>

/* NULL: out of memory. An empty copy is not NULL. */
static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size + 1);

    if (copy && size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

/* Copies type and quantization; extents and location depend on the model. False: out of memory. */
static bool copy_operand(struct hy_operand *to, const struct hy_operand *from)
{
    *to = (struct hy_operand){
        .type = from->type,
        .scale = from->scale,
        .zero_point = from->zero_point,
        .channel_dim = from->channel_dim,
        .channel_count = from->channel_count,
        .channel_scales =
            copy_of(from->channel_scales, from->channel_count * sizeof *from->channel_scales),
        .extension_length = from->extension_length,
        .extension_data = copy_of(from->extension_data, from->extension_length),
    };
    return to->channel_scales && to->extension_data;
}

struct hy_domain *hy_domain_create(const struct hy_memory_role *roles, uint32_t count,
                                   const struct hy_operand *operand, const struct hy_shape *shape)
{
    struct hy_domain *domain = calloc(1, sizeof *domain);
    struct hy_type_info type;
    if (!domain)
        return NULL;

    domain->roles = copy_of(roles, count * sizeof *roles);
    if (!copy_operand(&domain->operand, operand) || !domain->roles) {
        hy_domain_destroy(domain);
        return NULL;
    }
    (void)hy_type_info_find(operand->type, &type); /* checked when the model was built */
    domain->role_count = count;
    domain->shape = *shape;
    domain->is_open = !type.is_scalar && !hy_shape_is_complete(shape);
    domain->element_bytes = type.element_bytes;
    return domain;
}

void hy_domain_destroy(struct hy_domain *domain)
{
    if (!domain)
        return;
    hy_device_memory_destroy(domain->device);
    free((void *)(uintptr_t)domain->operand.channel_scales);
    free((void *)(uintptr_t)domain->operand.extension_data);
    free(domain->roles);
    free(domain);
}

bool hy_domain_measure(const struct hy_domain *domain, const struct hy_shape *shape, uint64_t *ret)
{
    return domain->element_bytes > 0 && hy_shape_bytes(shape, domain->element_bytes, ret);
}

/* ---- State ----------------------------------------------------------------------------------- */

void hy_domain_look(struct hy_domain *domain, struct hy_domain_state *ret)
{
    uintptr_t mark = 0;

    *ret = (struct hy_domain_state){.shape = domain->shape};
    if (!domain->is_open)
        mark = atomic_load_explicit(&domain->held.mark, memory_order_acquire);
    else if (!hy_shape_cell_look(&domain->held, &ret->shape, &mark))
        ret->shape = (struct hy_shape){0}; /* written too often to read a consistent shape */
    ret->is_initialised = mark != 0;
    ret->is_known = !domain->is_open || ret->shape.rank > 0;
}

void hy_domain_note(struct hy_domain *domain, bool success, const struct hy_shape *shape)
{
    if (domain->is_open)
        hy_shape_cell_set(&domain->held, success ? shape : NULL, success);
    else
        atomic_store_explicit(&domain->held.mark, success, memory_order_release);
}

enum hy_code hy_domain_check_readable(struct hy_domain *domain, const struct hy_shape *shape,
                                      struct hy_error *err)
{
    char text[2][HY_SHAPE_TEXT_SIZE];
    struct hy_domain_state state;

    hy_domain_look(domain, &state);
    if (!state.is_initialised)
        return hy_fail(err, HY_FAILED, "the memory has no contents");
    if (domain->is_open && !hy_shape_equal(&state.shape, shape))
        return hy_fail(err, HY_FAILED, "the memory holds shape %s, the request says %s",
                       hy_shape_text(&state.shape, text[0]), hy_shape_text(shape, text[1]));
    return HY_OK;
}

/* ---- Use ------------------------------------------------------------------------------------- */

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
                       "memory from a descriptor needs offset 0 and length 0, not %llu and %llu",
                       (unsigned long long)offset, (unsigned long long)length);
    if (!hy_memory_role_is_listed(domain->roles, domain->role_count, role))
        return hy_fail(err, HY_BAD_DATA, "the memory was not made for this role");
    if (!hy_shape_combine(shape, &domain->shape, shape))
        return hy_fail(err, HY_BAD_DATA, "the shape is %s, the memory was made for %s",
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
