#ifndef HY_RUNTIME_ISOLATION_H
#define HY_RUNTIME_ISOLATION_H

#include "common/error.h"
#include "plugins/service/client/service.h"

#include <stdbool.h>

/*
 * Settings for service processes: the program (HALYARD_DRIVERD or the installed program),
 * HALYARD_SERVICE_PATIENCE and HALYARD_BURST_WAIT. The struct is static. NULL: out of memory for
 * the environment.
 */
const struct hy_service_settings *hy_isolation_settings(void);

/* True if HALYARD_ISOLATE selects a service process for halyard-cpu, or HALYARD_SERVICE_SOCKETS
 * selects a shared service. */
bool hy_isolation_has_cpu(void);

/* Returns the socket path of the shared service for halyard-cpu; the caller frees the path. NULL:
 * no shared service. Errors: those of hy_service_sockets_find. */
HY_MUST_CHECK enum hy_code hy_isolation_cpu_socket(char **ret, struct hy_error *err);

/* The list of HALYARD_SERVICE_SOCKETS. NULL: unset. */
const char *hy_isolation_sockets(void);

/* The globs of HALYARD_ISOLATE. NULL: unset. */
const char *hy_isolation_list(void);

#endif
