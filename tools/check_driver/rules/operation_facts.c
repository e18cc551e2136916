#include "tools/check_driver/rules/operation_facts.h"

#include <stdio.h>
#include <string.h>

#include "common/printable.h"

void hy_operation_fact_add(struct hy_operation_fact *fact, bool is_taken, const char *reason)
{
    fact->asked++;
    fact->taken += is_taken;
    if (is_taken || !*reason)
        return;
    for (uint32_t i = 0; i < HY_REASONS_KEPT; i++) {
        char *kept = fact->reasons[i];
        if (strncmp(kept, reason, HY_REASON_SIZE - 1) == 0)
            return;
        if (!*kept) {
            snprintf(kept, HY_REASON_SIZE, "%s", reason);
            return;
        }
    }
    fact->has_more = 1;
}

void hy_operation_facts_take(struct hy_operation_fact *out, const struct hy_operation_fact *facts)
{
    memcpy(out, facts, HY_OP_COUNT * sizeof *out);
    for (uint32_t op = 0; op < HY_OP_COUNT; op++)
        for (uint32_t i = 0; i < HY_REASONS_KEPT; i++) {
            char *text = out[op].reasons[i];
            text[HY_REASON_SIZE - 1] = '\0';
            hy_text_clean(text);
        }
}

static void print_one(int32_t operation, const struct hy_operation_fact *fact)
{
    printf("  %s: takes %u of %u", hy_operation_name(operation), fact->taken, fact->asked);
    for (uint32_t i = 0; i < HY_REASONS_KEPT && fact->reasons[i][0]; i++)
        printf("%s%s", i == 0 ? "; refused: " : " | ", fact->reasons[i]);
    printf("%s\n", fact->has_more ? " | ..." : "");
}

void hy_operation_facts_print(const struct hy_operation_fact *facts)
{
    uint32_t others = 0, asked = 0;
    for (uint32_t op = 0; op < HY_OP_COUNT; op++) {
        if (facts[op].taken > 0) {
            print_one(hy_op_code(op), &facts[op]);
        } else if (facts[op].asked > 0) {
            others++;
            asked += facts[op].asked;
        }
    }
    if (others > 0)
        printf("  %u other operations: takes none of %u\n", others, asked);
}
