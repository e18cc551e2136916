#include "plugins/service/wire/buffers.h"

#include "plugins/service/wire/fields.h"

void hy_buffer_desc_pack(struct hy_pack *out, const struct hy_buffer_desc *desc,
                         const uint64_t *ids)
{
    const struct hy_named_buffer_desc named = {.desc = *desc, .ids = ids};

    hy_fields_pack(out, hy_named_buffer_desc_fields, &named);
}

static void check_roles(struct hy_unpack *in, const struct hy_buffer_desc *desc)
{
    for (uint32_t i = 0; i < desc->role_count && hy_unpack_good(in); i++) {
        const struct hy_buffer_role *role = &desc->roles[i];
        if (role->prepared >= desc->prepared_count || role->is_output > 1)
            hy_unpack_fail(in, "role %u is of prepared model %u of %u, is_output %u", i,
                           role->prepared, desc->prepared_count, role->is_output);
    }
}

void hy_buffer_desc_unpack(struct hy_unpack *in, struct hy_buffer_desc *desc, const uint64_t **ids,
                           void ***prepared)
{
    struct hy_named_buffer_desc read = {0};

    hy_fields_unpack(in, hy_named_buffer_desc_fields, &read);
    check_roles(in, &read.desc);
    if (!hy_unpack_good(in))
        return;
    read.desc.prepared = read.prepared;
    *desc = read.desc;
    *ids = read.ids;
    *prepared = read.prepared;
}
