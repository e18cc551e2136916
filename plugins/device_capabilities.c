#include "plugins/device_info.h"

#include "common/status.h"
#include "plugins/abi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_MODEL 15 /* ANEURALNETWORKS_MODEL: control flow has separate figures */

static enum hy_code check_performance(const char *name, const struct hy_performance *performance,
                                      struct hy_error *err)
{
    if (isfinite(performance->exec_time) && performance->exec_time > 0 &&
        isfinite(performance->power_usage) && performance->power_usage > 0)
        return HY_OK;
    return hy_fail(
        err, HY_BAD_DATA,
        "capabilities: %s has exec_time %g, power_usage %g; both must be finite and above 0", name,
        (double)performance->exec_time, (double)performance->power_usage);
}

static enum hy_code check_operands(const struct hy_operand_performance *operands, uint32_t count,
                                   struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[48];
        snprintf(name, sizeof name, "operand type %d", operands[i].type);
        if (operands[i].type < 0 || operands[i].type == TYPE_MODEL)
            return hy_fail(err, HY_BAD_DATA,
                           "capabilities: operand type %s cannot have performance figures", name);
        if (i > 0 && operands[i].type <= operands[i - 1].type)
            return hy_fail(err, HY_BAD_DATA,
                           "capabilities: operand type %s follows type %d, the types must ascend",
                           name, operands[i - 1].type);
        enum hy_code code = check_performance(name, &operands[i].performance, err);
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

static enum hy_code check_overheads(const struct hy_capabilities *capabilities,
                                    struct hy_error *err)
{
    enum hy_code code = check_performance("relaxed_scalar", &capabilities->relaxed_scalar, err);
    if (code == HY_OK)
        code = check_performance("relaxed_tensor", &capabilities->relaxed_tensor, err);
    if (code == HY_OK)
        code = check_performance("if_overhead", &capabilities->if_overhead, err);
    if (code == HY_OK)
        code = check_performance("while_overhead", &capabilities->while_overhead, err);
    return code;
}

/* Copies the table first and checks the copy. */
static enum hy_code copy_operands(const struct hy_capabilities *reported,
                                  struct hy_capabilities *copy, struct hy_error *err)
{
    uint32_t count = reported->operand_count;
    if (count > HY_MAX_FIGURES || (count > 0 && !reported->operands))
        return hy_fail(err, HY_BAD_DATA,
                       "capabilities: %u operand types at %p, at most %u are allowed", count,
                       (const void *)reported->operands, HY_MAX_FIGURES);
    if (count == 0)
        return HY_OK;

    struct hy_operand_performance *operands = malloc(count * sizeof *operands);
    if (!operands)
        return hy_fail(err, HY_OUT_OF_MEMORY, "capabilities: %u operand types", count);
    memcpy(operands, reported->operands, count * sizeof *operands);
    copy->operands = operands;
    copy->operand_count = count;
    return check_operands(operands, count, err);
}

enum hy_code hy_device_capabilities_ask(const struct hy_device *table, void *device,
                                        struct hy_capabilities *out, struct hy_error *err)
{
    struct hy_capabilities reported = {.struct_size = sizeof reported};
    int32_t status = table->capabilities(device, &reported);
    if (status != HY_STATUS_OK)
        return hy_fail(err, HY_FAILED, "capabilities failed with %s (%d)", hy_status_name(status),
                       status);
    if (reported.struct_size < HY_CAPABILITIES_SIZE_1_0 || reported.struct_size > sizeof reported)
        return hy_fail(err, HY_BAD_DATA, "capabilities: struct_size is %u, needs %zu to %zu",
                       reported.struct_size, HY_CAPABILITIES_SIZE_1_0, sizeof reported);

    struct hy_capabilities copy = reported;
    copy.struct_size = sizeof copy;
    copy.operands = NULL;
    copy.operand_count = 0;
    enum hy_code code = check_overheads(&copy, err);
    if (code == HY_OK)
        code = copy_operands(&reported, &copy, err);
    if (code != HY_OK) {
        hy_device_capabilities_finish(&copy);
        return code;
    }
    *out = copy;
    return HY_OK;
}

void hy_device_capabilities_finish(struct hy_capabilities *capabilities)
{
    free((void *)capabilities->operands);
    memset(capabilities, 0, sizeof *capabilities);
}
