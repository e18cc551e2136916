#ifndef HY_RUNTIME_HANDLE_LAST_ERROR_H
#define HY_RUNTIME_HANDLE_LAST_ERROR_H

#include "common/error.h"

/*
 * The text of the last failing call, per thread. Every API function returns through a function of
 * this file, and therefore every failure has a text. The log gets each distinct text once as a
 * warning, or every text at level debug.
 */

/* Records `err` under the function's name ("Model_finish: …") and returns `code`. */
int hy_api_failure(const char *function, enum hy_code code, const struct hy_error *err);

/* Calls hy_api_failure if `code` is a failure. */
static inline int hy_api_result(const char *function, enum hy_code code, const struct hy_error *err)
{
    return code == HY_OK ? (int)HY_OK : hy_api_failure(function, code, err);
}

/* UNEXPECTED_NULL: "Model_finish: model is NULL". */
int hy_api_null(const char *function, const char *argument);

/* OUT_OF_MEMORY or RESOURCE_EXHAUSTED_TRANSIENT, if hy_devices() returned NULL. */
int hy_api_no_devices(const char *function);

/* Logs a text about a call that did not fail, under the same rules as a failure. */
void hy_api_note(const char *function, const struct hy_error *why);

#endif
