#ifndef HY_TOOLS_CHECK_DRIVER_RULES_OPERATION_SUPPORT_H
#define HY_TOOLS_CHECK_DRIVER_RULES_OPERATION_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/operations/operation.h"

#define HY_REASONS_MAX 3u
#define HY_REASON_SIZE 160u

/* The replies of a device for one operation, over all models. */
struct hy_operation_support {
    uint32_t asked, accepted;
    uint32_t has_more; /* further reasons exist beyond HY_REASONS_MAX */
    char reasons[HY_REASONS_MAX][HY_REASON_SIZE];
};

/* `reason` is the reason for a refusal, and may be empty. */
void hy_operation_support_add(struct hy_operation_support *support, bool is_accepted,
                              const char *reason);

/* Copies HY_OP_COUNT facts, which a faulty driver may have overwritten, with printable text. */
void hy_operation_supports_sanitize(struct hy_operation_support *out,
                                    const struct hy_operation_support *info);

/* Prints a line for each supported operation, and a single line for all others. */
void hy_operation_supports_print(const struct hy_operation_support *info);

#endif
