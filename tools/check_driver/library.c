#include <dlfcn.h>
#include <string.h>

#include "tools/check_driver/rules/check.h"

enum hy_code hy_library_load(const char *path, hy_driver_query_fn *query, struct hy_error *err)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return hy_fail(err, HY_FAILED, "%s", dlerror());
    void *symbol = dlsym(library, HY_DRIVER_QUERY_SYMBOL);
    if (!symbol)
        return hy_fail(err, HY_FAILED, "%s", dlerror());
    memcpy(query, &symbol, sizeof *query); /* ISO C has no cast from data to functions */
    return HY_OK;
}

void hy_driver_copy(const struct hy_driver *driver, struct hy_driver *copy)
{
    *copy = (struct hy_driver){0};
    memcpy(copy, driver, driver->struct_size < sizeof *copy ? driver->struct_size : sizeof *copy);
}
