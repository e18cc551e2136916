#ifndef HY_RUNTIME_TYPE_INFO_H
#define HY_RUNTIME_TYPE_INFO_H

#include <stdbool.h>
#include <stdint.h>

/* Properties of an operand type, standard or of an extension. */
struct hy_type_info {
    bool is_scalar;
    uint32_t element_bytes; /* 0: not defined by the type alone (MODEL, OEM_SCALAR) */
    uint32_t feature_level; /* 1..8 */
};

/* False, with zeroed properties, for an unknown type. */
bool hy_type_info_find(int32_t type, struct hy_type_info *ret);

#endif
