#ifndef HY_PLUGINS_SERVICE_SOCKETS_H
#define HY_PLUGINS_SERVICE_SOCKETS_H

#include "common/error.h"

/*
 * Where the shared service of the name listens, as a ':' list of NAME=PATH says (NULL: an empty
 * one); the first that names it counts. `*ret` is the caller's to free; NULL: the list does not
 * name it. Errors: BAD_DATA (a path that is not absolute), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_service_sockets_find(const char *list, const char *name, char **ret,
                                                   struct hy_error *err);

#endif
