#ifndef HY_TOOLS_PRINT_JSON_H
#define HY_TOOLS_PRINT_JSON_H

#include <jansson.h>

#include "common/error.h"

/*
 * For *_json.c files alone. Prints `value` to stdout, indented, with a newline, and lets go of it.
 * NULL stands for a value that could not be built and fails.
 */
HY_MUST_CHECK enum hy_code hy_json_print(json_t *value, struct hy_error *err);

/* A string of bytes that someone else chose; what is not UTF-8 becomes '?'. */
json_t *hy_json_text(const char *text);

#endif
