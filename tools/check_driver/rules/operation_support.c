#include "tools/check_driver/rules/operation_support.h"

#include <stdio.h>
#include <string.h>

#include "common/printable.h"

void hy_operation_support_add(struct hy_operation_support *support, bool is_accepted,
                              const char *reason)
{
    support->asked++;
    support->accepted += is_accepted;
    if (is_accepted || !*reason)
        return;
    for (uint32_t i = 0; i < HY_REASONS_MAX; i++) {
        char *stored = support->reasons[i];
        if (strncmp(stored, reason, HY_REASON_SIZE - 1) == 0)
            return;
        if (!*stored) {
            snprintf(stored, HY_REASON_SIZE, "%s", reason);
            return;
        }
    }
    support->has_more = 1;
}

void hy_operation_supports_sanitize(struct hy_operation_support *out,
                                    const struct hy_operation_support *info)
{
    memcpy(out, info, HY_OP_COUNT * sizeof *out);
    for (uint32_t op = 0; op < HY_OP_COUNT; op++)
        for (uint32_t i = 0; i < HY_REASONS_MAX; i++) {
            char *text = out[op].reasons[i];
            text[HY_REASON_SIZE - 1] = '\0';
            hy_text_clean(text);
        }
}

static void print_one(int32_t operation, const struct hy_operation_support *support)
{
    printf("  %s: supports %u of %u", hy_operation_name(operation), support->accepted,
           support->asked);
    for (uint32_t i = 0; i < HY_REASONS_MAX && support->reasons[i][0]; i++)
        printf("%s%s", i == 0 ? "; refused: " : " | ", support->reasons[i]);
    printf("%s\n", support->has_more ? " | ..." : "");
}

void hy_operation_supports_print(const struct hy_operation_support *info)
{
    uint32_t others = 0, asked = 0;
    for (uint32_t op = 0; op < HY_OP_COUNT; op++) {
        if (info[op].accepted > 0) {
            print_one(hy_op_code(op), &info[op]);
        } else if (info[op].asked > 0) {
            others++;
            asked += info[op].asked;
        }
    }
    if (others > 0)
        printf("  %u other operations: supports none of %u\n", others, asked);
}
