#ifndef HY_RUNTIME_PLAN_COST_NEAREST_TYPE_H
#define HY_RUNTIME_PLAN_COST_NEAREST_TYPE_H

#include "runtime/extension/type_facts.h"

/*
 * The operand type of NNAPI that is the most like a type of an extension: drivers declare figures
 * for NNAPI's types alone. `name` is what hy_operand_type_text gives: the names of
 * org.halyard.operations tell integers from floats. Other names do not; a type of one byte then
 * counts as 8 bits, of two bytes as float16, and any other as float32.
 */
int32_t hy_nearest_type(const char *name, const struct hy_type_facts *facts);

#endif
