#ifndef HY_TESTS_UNIT_TOOLS_KIT_TFLITE_WALK_H
#define HY_TESTS_UNIT_TOOLS_KIT_TFLITE_WALK_H

#include "libhalyard/tflite/tflite_model.h"

/*
 * Reads every byte reachable from a model, so a sanitizer detects bad pointers. Also checks the
 * guarantees of tflite_model.h. Returns NULL on success, else a text. Reads constants up to a total
 * of `most` bytes, since many tensors may share the same constant.
 */
const char *hy_tflite_walk(const struct hy_tflite_model *model, uint64_t most);

#endif
