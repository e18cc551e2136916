#include "plugins/service_sockets.h"

#include <stdlib.h>
#include <string.h>

enum hy_code hy_service_sockets_find(const char *list, const char *name, char **ret,
                                     struct hy_error *err)
{
    const size_t length = strlen(name);
    const char *entry = list;

    *ret = NULL;
    while (entry && (strncmp(entry, name, length) != 0 || entry[length] != '=')) {
        entry = strchr(entry, ':');
        if (entry)
            entry++;
    }
    if (!entry)
        return HY_OK;
    const char *path = entry + length + 1;
    if (*path != '/')
        return hy_fail(err, HY_BAD_DATA,
                       "HALYARD_SERVICE_SOCKETS: \"%.64s\" is not an absolute path", entry);
    *ret = strndup(path, strcspn(path, ":"));
    return *ret ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "socket of %s", name);
}
