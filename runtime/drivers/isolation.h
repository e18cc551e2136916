#ifndef HY_RUNTIME_ISOLATION_H
#define HY_RUNTIME_ISOLATION_H

#include "common/error.h"
#include "plugins/service/client/service.h"

#include <stdbool.h>

/*
 * How drivers get processes of their own here: HALYARD_DRIVERD, else the program of this
 * installation, HALYARD_SERVICE_PATIENCE and HALYARD_BURST_WAIT. Static. NULL: no memory for the
 * environment.
 */
const struct hy_service_settings *hy_isolation_settings(void);

/* Whether HALYARD_ISOLATE wants the built-in halyard-cpu in a process of its own, or
 * HALYARD_SERVICE_SOCKETS in that of a shared service. */
bool hy_isolation_has_cpu(void);

/* Where that service listens, the caller's to free; NULL: there is none. Errors: as those of
 * hy_service_sockets_find. */
HY_MUST_CHECK enum hy_code hy_isolation_cpu_socket(char **ret, struct hy_error *err);

/* The list of HALYARD_SERVICE_SOCKETS; NULL: there is none. */
const char *hy_isolation_sockets(void);

/* The globs of HALYARD_ISOLATE; NULL: there are none. */
const char *hy_isolation_list(void);

#endif
