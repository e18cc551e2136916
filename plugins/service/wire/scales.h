#ifndef HY_SERVICE_WIRE_SCALES_H
#define HY_SERVICE_WIRE_SCALES_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Checks the scales and zero points of a client's operations. The runtime never assigns operations
 * with wrong scales (runtime/plan/support/wrong_scales.h). With the check, drivers receive no
 * operation with wrong scales from any other client either. All other faults are for the driver to
 * refuse. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_model_check_scales(const struct hy_model *model,
                                                 struct hy_error *err);

#endif
