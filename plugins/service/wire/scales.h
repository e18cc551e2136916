#ifndef HY_SERVICE_WIRE_SCALES_H
#define HY_SERVICE_WIRE_SCALES_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Whether the operations that a client has sent have the scales and zero points that they demand.
 * The runtime leaves those out that have not (runtime/plan/support/wrong_scales.h): no driver meets
 * one, whoever its client is. What is wrong in another way is for the driver to refuse. Errors:
 * BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_model_check_scales(const struct hy_model *model,
                                                 struct hy_error *err);

#endif
