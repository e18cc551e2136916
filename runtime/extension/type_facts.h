#ifndef HY_RUNTIME_TYPE_FACTS_H
#define HY_RUNTIME_TYPE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* What models and executions have to know of an operand type, be it listed or of an extension. */
struct hy_type_facts {
    bool is_scalar;
    uint32_t element_bytes; /* 0: the type alone does not tell (MODEL, OEM_SCALAR) */
    uint32_t feature_level; /* 1..8 */
};

/* False, with all zero facts, for a type that neither the API nor a device knows. */
bool hy_type_facts_find(int32_t type, struct hy_type_facts *ret);

#endif
