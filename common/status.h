#ifndef HY_COMMON_STATUS_H
#define HY_COMMON_STATUS_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/* Conversion between result codes and the statuses of the driver ABI, see status.def. */

/* The HY_STATUS_ equivalent to `code`. */
int32_t hy_status_of(enum hy_code code);

/* The code equivalent to `status`; HY_FAILED for an unknown status. */
enum hy_code hy_code_of(int32_t status);

/* True if the HY_STATUS_ exists. */
bool hy_status_is_known(int32_t status);

/* "INVALID_ARGUMENT" for HY_STATUS_INVALID_ARGUMENT; "unknown status" for an unknown value.
 * Static. */
const char *hy_status_name(int32_t status);

/* Copies the text of `err` to `message`, which may be NULL or have no capacity, and returns
 * `status`. */
int32_t hy_status_fail(const struct hy_message *message, int32_t status,
                       const struct hy_error *err);

/* Returns hy_status_of(code). The text of a failure goes to `message`, as in hy_status_fail(). */
int32_t hy_status_report(enum hy_code code, const struct hy_error *err,
                         const struct hy_message *message);

#endif
