#include "type_info.h"

#include "common/operations/operand_type.h"
#include "extension.h"

#define EXTENSION_LEVEL 3u /* feature level of the first extensions */

bool hy_type_info_find(int32_t type, struct hy_type_info *ret)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(type);
    struct hy_extension_operand_type extension;

    if (info)
        *ret = (struct hy_type_info){info->is_scalar, info->element_bytes, info->feature_level};
    else if (hy_extension_operand_type(type, &extension))
        *ret = (struct hy_type_info){!extension.is_tensor, extension.byte_size, EXTENSION_LEVEL};
    else {
        *ret = (struct hy_type_info){0};
        return false;
    }
    return true;
}
