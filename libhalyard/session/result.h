#ifndef HY_LIBHALYARD_SESSION_RESULT_H
#define HY_LIBHALYARD_SESSION_RESULT_H

#include "common/error.h"

/*
 * Results of the functions of halyard/session.h. A failure sets halyard_last_error of
 * libneuralnetworks: an app finds the error texts of both libraries in one function.
 */

/* Returns the result code for the app; a failure sets the last error from `err`. */
static inline int hy_public_result(enum hy_code code, const struct hy_error *err);

/* UNEXPECTED_NULL: "session_run: session is NULL". */
int hy_public_null(const char *function, const char *argument);

/* Converts the result of an NNAPI call to a code, with the error text of the call. */
HY_MUST_CHECK enum hy_code hy_nnapi_result(int result, struct hy_error *err);

/*
 * Copies the caller's struct, which starts with `size_t struct_size`, to a struct of `size` bytes,
 * up to the shorter size; members that the caller lacks become 0. BAD_DATA: struct_size covers no
 * other member.
 */
HY_MUST_CHECK enum hy_code hy_public_struct_read(const void *from, void *full, size_t size,
                                                 struct hy_error *err);

/* Copies in the other direction; the caller's struct_size stays unchanged. */
HY_MUST_CHECK enum hy_code hy_public_struct_write(const void *full, size_t size, void *to,
                                                  struct hy_error *err);

int hy_public_failure(enum hy_code code, const struct hy_error *err);

static inline int hy_public_result(enum hy_code code, const struct hy_error *err)
{
    return code == HY_OK ? (int)HY_OK : hy_public_failure(code, err);
}

#endif
