#include "plugin.h"

#include "tests/kit/test.h"

#include <dlfcn.h>

const struct hy_driver *xnnpack_plugin(void)
{
    static const struct hy_driver *driver;
    if (driver)
        return driver;
    void *library = dlopen(XNNPACK_DRIVER_PATH, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, HY_DRIVER_QUERY_SYMBOL) : NULL;
    if (!symbol) {
        hy_test_fail(__FILE__, __LINE__, "%s", dlerror());
        return NULL;
    }
    hy_driver_query_fn query;
    memcpy(&query, &symbol, sizeof query);
    driver = query(HY_DRIVER_ABI);
    EXPECT(driver != NULL);
    return driver;
}

bool xnnpack_open(struct hy_runner *runner)
{
    const struct hy_driver *driver = xnnpack_plugin();
    const bool opened = driver && hy_runner_open(runner, driver, 0) == HY_STATUS_OK;
    EXPECT(opened);
    return opened;
}

struct refusal_record {
    char reason[256];
    unsigned refusals;
};

static void save_reason(void *context, uint32_t operation, const char *reason)
{
    struct refusal_record *refusal_record = context;
    EXPECT_INT(operation, 0);
    refusal_record->refusals++;
    snprintf(refusal_record->reason, sizeof refusal_record->reason, "%s", reason);
}

const char *xnnpack_refusal(struct hy_runner *runner, const struct hy_model *model)
{
    static struct refusal_record refusal_record;
    const struct hy_refusals refusals = {
        .struct_size = sizeof refusals, .context = &refusal_record, .refuse = save_reason};
    uint8_t supported = 7;
    refusal_record = (struct refusal_record){0};
    EXPECT_INT(runner->table->supported_operations(runner->device, model, &supported, &refusals),
               HY_STATUS_OK);
    EXPECT_INT(supported, refusal_record.refusals == 0);

    const int32_t status = hy_runner_prepare(runner, model);
    EXPECT_INT(status, supported ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT);
    if (!supported)
        EXPECT_STR(runner->message, refusal_record.reason);
    return refusal_record.reason;
}
