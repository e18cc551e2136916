#ifndef HY_TESTS_TOOLS_KIT_TFLITE_WALK_H
#define HY_TESTS_TOOLS_KIT_TFLITE_WALK_H

#include "libhalyard/tflite/tflite_model.h"

/*
 * Reads every byte a model gives access to, so that a sanitizer sees a bad pointer, and checks what
 * tflite_model.h promises. NULL: all is well; else what is not. Constants are read up to a total of
 * `most` bytes: many tensors may share one.
 */
const char *hy_tflite_walk(const struct hy_tflite_model *model, uint64_t most);

#endif
