#ifndef HY_CPU_FALLBACK_STATUS_H
#define HY_CPU_FALLBACK_STATUS_H

#include "common/error.h"
#include "halyard/driver.h"

/* The status that says the same as `code` across the driver ABI. */
int32_t hy_cpu_status(enum hy_code code);

/* The same, and on failure the words of `err` go to `message`, which may be NULL or have no room.
 */
int32_t hy_cpu_answer(enum hy_code code, const struct hy_error *err,
                      const struct hy_message *message);

#endif
