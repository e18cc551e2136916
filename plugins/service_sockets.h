#ifndef HY_PLUGINS_SERVICE_SOCKETS_H
#define HY_PLUGINS_SERVICE_SOCKETS_H

#include "common/error.h"

/*
 * Finds the socket path of the shared service `name` in a ':' list of NAME=PATH. A NULL list is
 * empty; the first entry of a name wins. The caller frees `*ret`; NULL: the name is not in the
 * list. Errors: BAD_DATA (a path that is not absolute), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_service_sockets_find(const char *list, const char *name, char **ret,
                                                   struct hy_error *err);

#endif
