#ifndef HY_RUNTIME_PLAN_COST_NEAREST_TYPE_H
#define HY_RUNTIME_PLAN_COST_NEAREST_TYPE_H

#include "runtime/extension/type_info.h"

/*
 * Returns the NNAPI operand type most similar to an extension type, because drivers declare figures
 * only for NNAPI types. A type of org.halyard.operations maps to the NNAPI type with the same kind
 * of numbers. For other extensions the kind of numbers is unknown: 1 byte maps to 8 bits, 2 bytes
 * to float16, all other sizes to float32.
 */
int32_t hy_nearest_type(int32_t type, const struct hy_type_info *info);

#endif
