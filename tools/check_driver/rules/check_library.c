/* The library and its instances: M1 to M7. */
#include <string.h>

#include "tools/check_driver/host_cache.h"
#include "tools/check_driver/rules/check.h"

static bool check_abi(struct hy_check *check, const char *what, uint32_t abi)
{
    if (HY_ABI_MAJOR(abi) == HY_ABI_MAJOR(HY_DRIVER_ABI))
        return true;
    hy_result_page_report(check->page, HY_RULE_M2,
                          "%s is %u.%u, the host has %u.%u: the major numbers differ", what,
                          HY_ABI_MAJOR(abi), HY_ABI_MINOR(abi), HY_ABI_MAJOR(HY_DRIVER_ABI),
                          HY_ABI_MINOR(HY_DRIVER_ABI));
    return false;
}

static bool check_table(struct hy_check *check, const struct hy_driver *driver)
{
    struct hy_result_page *page = check->page;
    hy_result_page_step(page, HY_RULE_M3, "reading hy_driver");
    if (driver->struct_size < HY_SIZE_UP_TO(struct hy_driver, device)) {
        hy_result_page_report(page, HY_RULE_M3, "hy_driver.struct_size is %u, needs at least %zu",
                              driver->struct_size, HY_SIZE_UP_TO(struct hy_driver, device));
        return false;
    }
    const char *missing = !driver->create                     ? "create"
                          : !driver->destroy                  ? "destroy"
                          : !driver->device_count             ? "device_count"
                          : !driver->device                   ? "device"
                          : !driver->name || !driver->name[0] ? "name"
                                                              : NULL;
    if (missing)
        hy_result_page_report(page, HY_RULE_M3, "hy_driver.%s is missing", missing);
    else
        hy_result_page_pass(page, HY_RULE_M3);
    return !missing;
}

/* A host of ABI 0.1 supports no table of 1.x. A host of a later minor version of 1 supports every
 * table of 1.x, however old. */
static void check_query(struct hy_result_page *page, hy_driver_query_fn query, uint32_t abi,
                        bool fits)
{
    const struct hy_driver *driver = query(abi);
    if (driver && !fits && HY_ABI_MAJOR(driver->abi) != HY_ABI_MAJOR(abi))
        hy_result_page_report(page, HY_RULE_M6,
                              "asked for ABI %u.%u, hy_driver_query returned a table of %u.%u",
                              HY_ABI_MAJOR(abi), HY_ABI_MINOR(abi), HY_ABI_MAJOR(driver->abi),
                              HY_ABI_MINOR(driver->abi));
    if (!driver && fits)
        hy_result_page_report(page, HY_RULE_M6,
                              "asked for ABI %u.%u, hy_driver_query returned NULL",
                              HY_ABI_MAJOR(abi), HY_ABI_MINOR(abi));
}

static void check_purity(struct hy_check *check, hy_driver_query_fn query,
                         const struct hy_driver *driver)
{
    struct hy_result_page *page = check->page;
    hy_result_page_step(page, HY_RULE_M6, "calling hy_driver_query again");
    if (query(HY_DRIVER_ABI) != driver)
        hy_result_page_report(page, HY_RULE_M6,
                              "hy_driver_query returned another table the second time");
    check_query(page, query, HY_ABI(0, 1), false);
    check_query(page, query, HY_ABI(HY_ABI_MAJOR(HY_DRIVER_ABI), 0xffff), true);
    hy_result_page_pass(page, HY_RULE_M6);
}

/* As every host does it. */
static void destroy(struct hy_check *check, void *instance)
{
    hy_host_cache_end_tasks();
    check->driver.destroy(instance);
}

static void check_instances(struct hy_check *check, void *first)
{
    struct hy_result_page *page = check->page;
    void *second = NULL;
    hy_result_page_step(page, HY_RULE_M7, "making a second instance");
    if (!hy_call_create(check, HY_RULE_M7, &second))
        return;
    if (second == first)
        hy_result_page_report(page, HY_RULE_M7, "two calls of create returned the same instance");
    else
        destroy(check, first);
    if (check->driver.device_count(second) != page->device_count)
        hy_result_page_report(page, HY_RULE_M7,
                              "device_count changed when an instance was destroyed");
    destroy(check, second);
    hy_result_page_pass(page, HY_RULE_M7);
}

static void check_devices(struct hy_check *check, void *instance)
{
    struct hy_result_page *page = check->page;
    hy_result_page_step(page, HY_RULE_M5, "device_count");
    const uint32_t count = check->driver.device_count(instance);
    if (count < 1 || count > HY_MAX_DEVICES) {
        hy_result_page_report(page, HY_RULE_M5, "device_count is %u, needs 1 to %u", count,
                              HY_MAX_DEVICES);
        return;
    }
    if (check->driver.device_count(instance) != count)
        hy_result_page_report(page, HY_RULE_M5, "device_count is %u, and another the second time",
                              count);
    page->device_count = count;
    hy_result_page_pass(page, HY_RULE_M5);
}

static const struct hy_driver *load(struct hy_check *check, hy_driver_query_fn *query)
{
    struct hy_result_page *page = check->page;
    struct hy_error err;
    hy_result_page_step(page, HY_RULE_M1, "loading the library");
    if (hy_library_load(check->target->library, query, &err) != HY_OK) {
        hy_result_page_report(page, HY_RULE_M1, "%s", err.text);
        return NULL;
    }
    hy_result_page_pass(page, HY_RULE_M1);

    hy_result_page_step(page, HY_RULE_M2, "hy_driver_query");
    const struct hy_driver *driver = (*query)(HY_DRIVER_ABI);
    if (!driver)
        hy_result_page_report(page, HY_RULE_M2, "hy_driver_query returned NULL for ABI %u.%u",
                              HY_ABI_MAJOR(HY_DRIVER_ABI), HY_ABI_MINOR(HY_DRIVER_ABI));
    if (!driver || !check_abi(check, "hy_driver.abi", driver->abi) ||
        (check->target->has_abi &&
         !check_abi(check, "the manifest's driver.abi", check->target->abi)))
        return NULL;
    hy_result_page_pass(page, HY_RULE_M2);
    return driver;
}

void hy_check_library(struct hy_check *check)
{
    hy_driver_query_fn query;
    void *instance;
    const struct hy_driver *driver = load(check, &query);
    if (!driver || !check_table(check, driver))
        return;
    hy_driver_copy(driver, &check->driver);
    check_purity(check, query, driver);

    hy_result_page_step(check->page, HY_RULE_M4, "create");
    if (!hy_call_create(check, HY_RULE_M4, &instance))
        return;
    hy_result_page_pass(check->page, HY_RULE_M4);
    check_devices(check, instance);
    check_instances(check, instance);
}
