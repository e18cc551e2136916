#ifndef HY_RUNTIME_API_LAST_ERROR_H
#define HY_RUNTIME_API_LAST_ERROR_H

#include "common/error.h"

/*
 * The text of the last failing call, one per thread. Every API function returns through one of
 * these, so no failure goes without words.
 */

/* Records `err` under the function's name ("Model_finish: …") when `code` is a failure; returns it.
 */
int hy_api_result(const char *function, enum hy_code code, const struct hy_error *err);

/* UNEXPECTED_NULL: "Model_finish: model is NULL". */
int hy_api_null(const char *function, const char *argument);

/* The failure of a function whose work is not there yet: OP_FAILED, "… : not implemented". */
int hy_api_not_implemented(const char *function);

#endif
