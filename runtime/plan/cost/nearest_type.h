#ifndef HY_RUNTIME_PLAN_COST_NEAREST_TYPE_H
#define HY_RUNTIME_PLAN_COST_NEAREST_TYPE_H

#include "runtime/extension/type_facts.h"

/*
 * The operand type of NNAPI that is the most like a type of an extension: drivers declare figures
 * for NNAPI's types alone. Of org.halyard.operations it has the same kind of numbers; what numbers
 * other extensions have is not known, so that one byte counts as 8 bits, two bytes as float16, and
 * any other size as float32.
 */
int32_t hy_nearest_type(int32_t type, const struct hy_type_facts *facts);

#endif
