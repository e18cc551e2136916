#include "plugins/device_table.h"

#include "plugins/abi.h"

#include <stdbool.h>
#include <string.h>

/* Required members, and optional groups of members. A table has all members of a group or none. */
enum group { REQUIRED, FENCED, BURST, REUSABLE, BUFFER, GROUP_COUNT };

struct member {
    const char *name;
    size_t offset;
    enum group group;
};

#define MEMBER(name, group) \
    { \
#name, offsetof(struct hy_device, name), group \
    }
static const struct member members[] = {
    MEMBER(describe, REQUIRED),
    MEMBER(capabilities, REQUIRED),
    MEMBER(supported_operations, REQUIRED),
    MEMBER(prepare, REQUIRED),
    MEMBER(prepared_destroy, REQUIRED),
    MEMBER(execute, REQUIRED),
    MEMBER(execute_fenced, FENCED),
    MEMBER(fenced_result, FENCED),
    MEMBER(fenced_destroy, FENCED),
    MEMBER(burst_open, BURST),
    MEMBER(burst_execute, BURST),
    MEMBER(burst_release, BURST),
    MEMBER(burst_close, BURST),
    MEMBER(reusable_create, REUSABLE),
    MEMBER(reusable_execute, REUSABLE),
    MEMBER(reusable_destroy, REUSABLE),
    MEMBER(buffer_create, BUFFER),
    MEMBER(buffer_copy_from, BUFFER),
    MEMBER(buffer_copy_to, BUFFER),
    MEMBER(buffer_destroy, BUFFER),
};
#define MEMBER_COUNT (sizeof members / sizeof *members)

static bool has(const struct hy_device *table, const struct member *member)
{
    void (*function)(void);
    memcpy(&function, (const char *)table + member->offset, sizeof function);
    return function != NULL;
}

static const struct member *first_of(const struct hy_device *table, enum group group, bool present)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        if (members[i].group == group && has(table, &members[i]) == present)
            return &members[i];
    }
    return NULL;
}

static enum hy_code check_groups(const struct hy_device *table, struct hy_error *err)
{
    const struct member *absent = first_of(table, REQUIRED, false);
    if (absent)
        return hy_fail(err, HY_BAD_DATA, "hy_device.%s is NULL", absent->name);

    for (enum group group = REQUIRED + 1; group < GROUP_COUNT; group++) {
        const struct member *present = first_of(table, group, true);
        absent = first_of(table, group, false);
        if (present && absent)
            return hy_fail(err, HY_BAD_DATA, "hy_device.%s is set, but %s is NULL", present->name,
                           absent->name);
    }

    /* Two members outside the groups require a group. */
    if (table->burst_serve && !table->burst_close)
        return hy_fail(err, HY_BAD_DATA, "hy_device.burst_serve is set, but burst_close is NULL");
    if (table->reusable_execute_fenced && !(table->reusable_execute && table->execute_fenced))
        return hy_fail(err, HY_BAD_DATA, "hy_device.reusable_execute_fenced is set, but %s is NULL",
                       table->reusable_execute ? "execute_fenced" : "reusable_execute");
    return HY_OK;
}

enum hy_code hy_device_table_copy(const struct hy_device *table, struct hy_device *out,
                                  struct hy_error *err)
{
    enum hy_code code = hy_abi_check("hy_device.abi is", table->abi, err);
    if (code != HY_OK)
        return code;
    if (table->struct_size < HY_DEVICE_SIZE_1_0)
        return hy_fail(err, HY_BAD_DATA, "hy_device.struct_size is %u, needs at least %zu",
                       table->struct_size, HY_DEVICE_SIZE_1_0);

    struct hy_device copy = {0};
    memcpy(&copy, table, table->struct_size < sizeof copy ? table->struct_size : sizeof copy);
    copy.struct_size = sizeof copy;
    code = check_groups(&copy, err);
    if (code == HY_OK)
        *out = copy;
    return code;
}
