#ifndef HY_TOOLS_PRINT_JSON_H
#define HY_TOOLS_PRINT_JSON_H

#include <jansson.h>

#include "common/error.h"

/*
 * For *_json.c files alone. Prints `value` to stdout, indented, with a newline, and releases the
 * value. NULL is a failure: the value could not be built.
 */
HY_MUST_CHECK enum hy_code hy_json_print(json_t *value, struct hy_error *err);

/* A string of untrusted bytes; bytes outside UTF-8 become '?'. */
json_t *hy_json_text(const char *text);

#endif
