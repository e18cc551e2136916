#ifndef HY_TOOLS_CHECK_DRIVER_RULES_OPERATION_FACTS_H
#define HY_TOOLS_CHECK_DRIVER_RULES_OPERATION_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/operations/operation.h"

#define HY_REASONS_KEPT 3u
#define HY_REASON_SIZE  160u

/* The replies of a device for one operation, over all models. */
struct hy_operation_fact {
    uint32_t asked, taken;
    uint32_t has_more; /* further reasons exist beyond HY_REASONS_KEPT */
    char reasons[HY_REASONS_KEPT][HY_REASON_SIZE];
};

/* `reason` is the reason for a refusal, and may be empty. */
void hy_operation_fact_add(struct hy_operation_fact *fact, bool is_taken, const char *reason);

/* Copies HY_OP_COUNT facts, which a faulty driver may have overwritten, with printable text. */
void hy_operation_facts_take(struct hy_operation_fact *out, const struct hy_operation_fact *facts);

/* Prints a line for each supported operation, and a single line for all others. */
void hy_operation_facts_print(const struct hy_operation_fact *facts);

#endif
