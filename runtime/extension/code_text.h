#ifndef HY_RUNTIME_CODE_TEXT_H
#define HY_RUNTIME_CODE_TEXT_H

#include "common/error.h"

#include <stdint.h>

/*
 * Readable and persistent names of operations and operand types: "CONV_2D", "TENSOR_FLOAT32". An
 * unnamed code of an extension has the extension's name and the code in the extension:
 * "com.acme.fft#3". Prefixes differ from process to process, but these names do not.
 */

/* Never NULL, valid forever. A code without a name is "an unknown operation" or "an extension
 * type". */
const char *hy_operation_text(int32_t code);
const char *hy_operand_type_text(int32_t code);

/* Finds the code of an operation by name and assigns a prefix to an extension. Errors: BAD_DATA
 * (unknown name; no prefix left); OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_operation_of_text(const char *text, int32_t *ret,
                                                struct hy_error *err);

/*
 * Finds the code for a saved name without assigning a prefix. A name of an extension without a
 * prefix, or of a later version of an extension, gives HY_UNKNOWN_CODE, which is not a valid code.
 * Errors: BAD_DATA.
 */
#define HY_UNKNOWN_CODE INT32_MIN
HY_MUST_CHECK enum hy_code hy_operation_find_text(const char *text, int32_t *ret,
                                                  struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_operand_type_find_text(const char *text, int32_t *ret,
                                                     struct hy_error *err);

#endif
