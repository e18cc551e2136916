#include "plugins/support_library/load.h"

#include "plugins/loaded_object.h"

#include <dlfcn.h>
#include <string.h>

#define ENTRY_POINT     "ANeuralNetworks_getSLDriverImpl"
#define DISABLE_DRIVERS "halyard_disable_drivers"

/* Only a symbol of the library itself counts: a symbol of a dependency could be Halyard's own. */
static void disable_drivers(void *library, const void *entry_point)
{
    int (*disable)(void);
    void *symbol = dlsym(library, DISABLE_DRIVERS);

    if (!symbol || !hy_loaded_object_is_same(symbol, entry_point))
        return;
    memcpy(&disable, &symbol, sizeof disable);
    (void)disable(); /* fails without effect if the other Halyard has already listed its devices */
}

/*
 * RTLD_LOCAL, so the library's symbols replace no others. Symbols of Halyard may still replace the
 * library's own API symbols inside the library. RTLD_DEEPBIND would prevent the replacement, but
 * gives C++ libraries a second set of standard streams and allocators. The check of the table
 * detects the replacement.
 */
enum hy_code hy_sl_load(const char *path, const struct hy_opening_watch *watch,
                        const NnApiSLDriverImpl **ret, struct hy_error *err)
{
    NnApiSLDriverImpl *(*get_table)(void);

    hy_opening_watch_enter(watch, "dlopen");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return hy_fail(err, HY_FAILED, "%s", dlerror());
    void *symbol = dlsym(library, ENTRY_POINT);
    enum hy_code code = HY_OK;
    if (!symbol)
        code = hy_fail(err, HY_BAD_DATA, "%s", dlerror());
    else if (hy_loaded_object_is_own(symbol))
        code = hy_fail(err, HY_BAD_DATA, ENTRY_POINT " is this runtime's own");
    if (code != HY_OK) {
        dlclose(library);
        return code;
    }
    disable_drivers(library, symbol);
    memcpy(&get_table, &symbol, sizeof get_table);
    hy_opening_watch_enter(watch, ENTRY_POINT);
    *ret = get_table();
    return HY_OK;
}
