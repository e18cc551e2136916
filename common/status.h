#ifndef HY_COMMON_STATUS_H
#define HY_COMMON_STATUS_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/* Result codes on their way over the driver ABI, and statuses on theirs back: see status.def. */

/* The HY_STATUS_ that says the same as `code`. */
int32_t hy_status_of(enum hy_code code);

/* The code that says the same as `status`; a value that is no HY_STATUS_ counts as HY_FAILED. */
enum hy_code hy_code_of(int32_t status);

/* Whether there is such an HY_STATUS_. */
bool hy_status_is_known(int32_t status);

/* "INVALID_ARGUMENT" for HY_STATUS_INVALID_ARGUMENT; "unknown status" for a value that is none.
 * Static. */
const char *hy_status_name(int32_t status);

/* Gives `status`; the text of `err` goes to `message`, which may be NULL or have no room. */
int32_t hy_status_fail(const struct hy_message *message, int32_t status,
                       const struct hy_error *err);

/* hy_status_of(code); the text of a failure goes to `message`, as by hy_status_fail(). */
int32_t hy_status_answer(enum hy_code code, const struct hy_error *err,
                         const struct hy_message *message);

#endif
