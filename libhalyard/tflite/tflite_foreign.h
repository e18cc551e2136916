#ifndef HY_LIBHALYARD_TFLITE_TFLITE_FOREIGN_H
#define HY_LIBHALYARD_TFLITE_TFLITE_FOREIGN_H

#include "libhalyard/tflite/tflite_options.h"

/* Why an operator of a file has no meaning here, and what would help: for operators that are not
 * lowered at all. `custom_name`: of a CUSTOM operator, else NULL. NULL: the operator has a meaning.
 * Static. */
const char *hy_tflite_foreign_reason(enum hy_tflite_op op, const char *custom_name);

#endif
