#ifndef HY_CACHE_STORE_MODEL_IDENTITY_H
#define HY_CACHE_STORE_MODEL_IDENTITY_H

#include "common/model/model_view.h"
#include "common/operations/operand_type.h"

#include <assert.h>

/*
 * The fields of operands and operations for the token and the architecture hash, as an array of
 * words indexed by common/model/model_fields.def.
 */
union hy_word {
    int32_t i32;
    uint32_t u32;
    float f32;
};
static_assert(sizeof(union hy_word) == 4, "numbers are hashed as an array");

/* Returns the code without an extension prefix, because prefixes differ between processes. */
static inline int32_t hy_code_identity(int32_t code)
{
    return hy_type_is_extension(code) ? code & 0xffff : code;
}

/* Returns the operand with the identity of its code, and the same lifetime for both kinds of
 * constants. */
static inline struct hy_operand hy_operand_identity(const struct hy_operand *operand)
{
    struct hy_operand identity = *operand;

    identity.type = hy_code_identity(operand->type);
    if (hy_lifetime_is_constant(operand->lifetime))
        identity.lifetime = HY_LIFETIME_CONSTANT_COPY;
    return identity;
}

/* Returns the extension name of a code. NULL: the code belongs to no extension of the model. */
static inline const char *hy_code_extension(const struct hy_model *model, int32_t code)
{
    return hy_type_is_extension(code)
               ? hy_prefix_name(model->extensions, model->extension_count, (uint32_t)code >> 16)
               : NULL;
}

#endif
