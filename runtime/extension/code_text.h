#ifndef HY_RUNTIME_CODE_TEXT_H
#define HY_RUNTIME_CODE_TEXT_H

#include "common/error.h"

#include <stdint.h>

/*
 * Names of operations and operand types for people and files: "CONV_2D", "TENSOR_FLOAT32"; of an
 * extension without names for them "com.acme.fft#3", its name and the code within it. Prefixes
 * differ from process to process, these names do not.
 */

/* Never NULL, valid for ever. A code that has no name is "an unknown operation" or "an extension
 * type". */
const char *hy_operation_text(int32_t code);
const char *hy_operand_type_text(int32_t code);

/* The code that the name of an operation stands for; an extension gets a prefix. Errors: BAD_DATA
 * (there is none; no prefix left); OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_operation_of_text(const char *text, int32_t *ret,
                                                struct hy_error *err);

/*
 * The same for names of the past, which may be of nobody here: of an extension that has no prefix,
 * and gets none, or such as a later version of an extension has. These have HY_UNKNOWN_CODE, which
 * is no code of an operation or a type. Error: BAD_DATA.
 */
#define HY_UNKNOWN_CODE INT32_MIN
HY_MUST_CHECK enum hy_code hy_operation_find_text(const char *text, int32_t *ret,
                                                  struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_operand_type_find_text(const char *text, int32_t *ret,
                                                     struct hy_error *err);

#endif
