#ifndef HY_LIBHALYARD_TFLITE_TFLITE_FOREIGN_H
#define HY_LIBHALYARD_TFLITE_TFLITE_FOREIGN_H

#include "libhalyard/tflite/tflite_options.h"

/* The reason for the lack of a definition of a file's operator, with a remedy: for operators
 * without any lowering. `custom_name`: the name of a CUSTOM operator, else NULL. NULL: the operator
 * has a definition. Static. */
const char *hy_tflite_foreign_reason(enum hy_tflite_op op, const char *custom_name);

#endif
