#ifndef HY_TOOLS_CONVERT_CONVERT_OPERATORS_H
#define HY_TOOLS_CONVERT_CONVERT_OPERATORS_H

#include "tools/convert/builder.h"

/* Adds what one operator of the file is in NNAPI. Errors: HY_BAD_DATA "no NNAPI form" where there
 * is none. */
HY_MUST_CHECK enum hy_code hy_convert_operator(struct hy_model_builder *builder,
                                               const struct hy_tflite_operator *operator_,
                                               struct hy_error *err);

#endif
