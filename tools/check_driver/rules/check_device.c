/* A device and its table: D1 to D3. */
#include <string.h>

#include "tools/check_driver/rules/check.h"

struct member {
    const char *name;
    size_t offset;
};
#define MEMBER(name) \
    { \
#name, offsetof(struct hy_device, name) \
    }
#define GROUP_MAX 6u

/* The first row is required, of the others all members are there or none. */
static const struct member groups[][GROUP_MAX] = {
    {MEMBER(describe), MEMBER(capabilities), MEMBER(supported_operations), MEMBER(prepare),
     MEMBER(prepared_destroy), MEMBER(execute)},
    {MEMBER(execute_fenced), MEMBER(fenced_result), MEMBER(fenced_destroy)},
    {MEMBER(burst_open), MEMBER(burst_execute), MEMBER(burst_release), MEMBER(burst_close)},
    {MEMBER(reusable_create), MEMBER(reusable_execute), MEMBER(reusable_destroy)},
    {MEMBER(buffer_create), MEMBER(buffer_copy_from), MEMBER(buffer_copy_to),
     MEMBER(buffer_destroy)},
};

static bool has(const struct hy_device *table, const struct member *member)
{
    void (*function)(void);
    memcpy(&function, (const char *)table + member->offset, sizeof function);
    return function != NULL;
}

/* The name of the first present or absent member of the group; NULL for none. */
static const char *first(const struct hy_device *table, const struct member *group, bool present)
{
    for (uint32_t i = 0; i < GROUP_MAX && group[i].name; i++)
        if (has(table, &group[i]) == present)
            return group[i].name;
    return NULL;
}

static void check_groups(struct hy_check *check)
{
    const struct hy_device *table = &check->table;
    struct hy_result_page *page = check->page;
    for (size_t i = 1; i < sizeof groups / sizeof *groups; i++) {
        const char *present = first(table, groups[i], true),
                   *absent = first(table, groups[i], false);
        if (present && absent)
            hy_result_page_report(page, HY_RULE_D3, "hy_device.%s is set, but %s is NULL", present,
                                  absent);
    }
    if (table->burst_serve && !table->burst_close)
        hy_result_page_report(page, HY_RULE_D3,
                              "hy_device.burst_serve is set, but burst_close is NULL");
    if (table->reusable_execute_fenced && !(table->reusable_execute && table->execute_fenced))
        hy_result_page_report(page, HY_RULE_D3,
                              "hy_device.reusable_execute_fenced needs members that are NULL");
    hy_result_page_pass(page, HY_RULE_D3);
}

static bool check_table(struct hy_check *check, const struct hy_device *table)
{
    struct hy_result_page *page = check->page;
    const size_t required = HY_SIZE_UP_TO(struct hy_device, memory_gone); /* as in 1.0 */
    hy_result_page_step(page, HY_RULE_D2, "reading hy_device");
    if (table->struct_size < required) {
        hy_result_page_report(page, HY_RULE_D2, "hy_device.struct_size is %u, needs at least %zu",
                              table->struct_size, required);
        return false;
    }
    if (HY_ABI_MAJOR(table->abi) != HY_ABI_MAJOR(HY_DRIVER_ABI)) {
        hy_result_page_report(page, HY_RULE_M2, "hy_device.abi is %u.%u", HY_ABI_MAJOR(table->abi),
                              HY_ABI_MINOR(table->abi));
        return false;
    }
    memcpy(&check->table, table,
           table->struct_size < sizeof *table ? table->struct_size : sizeof *table);
    const char *absent = first(&check->table, groups[0], false);
    if (absent) {
        hy_result_page_report(page, HY_RULE_D2, "hy_device.%s is NULL", absent);
        return false;
    }
    hy_result_page_pass(page, HY_RULE_D2);
    check_groups(check);
    return true;
}

static bool open_device(struct hy_check *check, const struct hy_device **table)
{
    const int32_t status =
        check->driver.device(check->instance, check->device_index, table, &check->device);
    if (status == HY_STATUS_OK && *table && check->device)
        return true;
    hy_result_page_report(check->page, HY_RULE_D1, "device returned %s and %s",
                          hy_status_text(status),
                          !*table          ? "no table"
                          : !check->device ? "no device"
                                           : "both");
    return false;
}

void hy_check_device(struct hy_check *check)
{
    const struct hy_device *table = NULL;
    if (!hy_check_create(check))
        return;
    hy_result_page_step(check->page, HY_RULE_D1, "device");
    if (!open_device(check, &table))
        return;
    hy_result_page_pass(check->page, HY_RULE_D1);
    if (check_table(check, table))
        hy_check_description(check);
}
