#ifndef HY_LIBHALYARD_SESSION_RESULT_H
#define HY_LIBHALYARD_SESSION_RESULT_H

#include "common/error.h"

/*
 * How the functions of halyard/session.h end. A failure leaves its words with halyard_last_error of
 * libneuralnetworks, so that an app finds the words of both libraries in one place.
 */

/* The result code of the app's call; the words of `err` become the last error. */
static inline int hy_public_result(enum hy_code code, const struct hy_error *err);

/* UNEXPECTED_NULL: "session_run: session is NULL". */
int hy_public_null(const char *function, const char *argument);

/* What a call of NNAPI gave, with the words of that call. */
HY_MUST_CHECK enum hy_code hy_nnapi_result(int result, struct hy_error *err);

/*
 * Copies a struct of the caller's that starts with `size_t struct_size` into one of `size` bytes,
 * as far as both go; members that the caller lacks become 0. BAD_DATA: no member but struct_size.
 */
HY_MUST_CHECK enum hy_code hy_public_struct_read(const void *from, void *full, size_t size,
                                                 struct hy_error *err);

/* The same the other way round; struct_size of the caller's stays. */
HY_MUST_CHECK enum hy_code hy_public_struct_write(const void *full, size_t size, void *to,
                                                  struct hy_error *err);

int hy_public_failure(enum hy_code code, const struct hy_error *err);

static inline int hy_public_result(enum hy_code code, const struct hy_error *err)
{
    return code == HY_OK ? (int)HY_OK : hy_public_failure(code, err);
}

#endif
