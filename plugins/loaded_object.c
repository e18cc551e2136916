#include "plugins/loaded_object.h"

#include <dlfcn.h>
#include <stddef.h>

/* Returns the start of the loaded object that contains an address; NULL: none. */
static const void *base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

bool hy_loaded_object_is_same(const void *a, const void *b)
{
    const void *base = base_of(a);
    return base && base == base_of(b);
}

bool hy_loaded_object_is_own(const void *address)
{
    static const char here;
    return hy_loaded_object_is_same(address, &here);
}
