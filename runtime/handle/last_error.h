#ifndef HY_RUNTIME_HANDLE_LAST_ERROR_H
#define HY_RUNTIME_HANDLE_LAST_ERROR_H

#include "common/error.h"

/*
 * The text of the last failing call, one per thread. Every API function returns through one of
 * these, so no failure goes without words. The log gets them, too: each distinct text once as a
 * warning, or every one at level debug.
 */

/* Records `err` under the function's name ("Model_finish: …"); returns `code`. */
int hy_api_failure(const char *function, enum hy_code code, const struct hy_error *err);

/* The same when `code` is a failure. */
static inline int hy_api_result(const char *function, enum hy_code code, const struct hy_error *err)
{
    return code == HY_OK ? (int)HY_OK : hy_api_failure(function, code, err);
}

/* UNEXPECTED_NULL: "Model_finish: model is NULL". */
int hy_api_null(const char *function, const char *argument);

/* OUT_OF_MEMORY or RESOURCE_EXHAUSTED_TRANSIENT, where hy_devices() gave no list. */
int hy_api_no_devices(const char *function);

/* Words about a call that did not fail: into the log alone, as above. */
void hy_api_note(const char *function, const struct hy_error *why);

#endif
