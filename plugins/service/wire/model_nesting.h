#ifndef HY_SERVICE_WIRE_MODEL_NESTING_H
#define HY_SERVICE_WIRE_MODEL_NESTING_H

#include "halyard/driver.h"
#include "plugins/service/wire/pack.h"

/* Fails when bodies of control flow refer to one another in a circle, or nest deeper than
 * HY_CONTROL_FLOW_DEPTH. Operands refer only to bodies that there are. */
void hy_model_nesting_check(struct hy_unpack *in, const struct hy_model *model);

#endif
