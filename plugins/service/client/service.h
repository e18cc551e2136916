#ifndef HY_SERVICE_CLIENT_SERVICE_H
#define HY_SERVICE_CLIENT_SERVICE_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/discovery/manifest.h"
#include "plugins/service/queue/burst_wait.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * A driver in a process of its own, or in that of a shared service, as a driver of this process:
 * its devices have the functions of struct hy_device, which send their arguments there. The process
 * is started when the service is opened, and again when it has died and is needed; what had been
 * prepared in it is prepared anew when it is used next. See docs/services.md.
 */
struct hy_service;

/* How services live in this process. The strings outlive them. */
struct hy_service_settings {
    const char *program;       /* absolute path of halyard-driverd */
    uint32_t patience_seconds; /* > 0: how long an execution without a deadline may take; see
                                  HALYARD_SERVICE_PATIENCE */
    enum hy_burst_wait burst_wait;
    bool keeps_stderr; /* the processes write to the standard error of this one */
};

/* What a service runs. Copied. */
struct hy_service_launch {
    const char *library; /* absolute path; "": the built-in driver */
    enum hy_manifest_kind kind;
    const char *arguments;           /* JSON */
    const char *const *device_files; /* that the process may open, absolute paths */
    uint32_t device_file_count;
    uint32_t capabilities;   /* enum hy_manifest_capability: bits; a shared service has its own */
    const char *socket;      /* where a shared service listens that runs it; NULL or "": none, a
                                process is started */
    const char *socket_user; /* who may run that, besides root and this user; NULL or "": nobody */
};

struct hy_service_facts {
    pid_t pid;           /* 0: there is no process at the moment */
    uint32_t restarts;   /* how often a process took the place of one that had ended */
    const char *sandbox; /* what the process says of its own confinement; the service's */
    const char *socket;  /* of a shared service, else ""; the service's */
};

/*
 * Starts the process, has it open the driver, and asks for all that never changes. `settings` and
 * `host` outlive the service. Errors: FAILED (no process, or the driver's words), BAD_DATA (what
 * answers is no driver host, or one of another version), UNAVAILABLE (nobody listens at the
 * socket), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_service_open(const struct hy_service_launch *launch,
                                           const struct hy_service_settings *settings,
                                           const struct hy_host *host, struct hy_service **ret,
                                           struct hy_error *err);

/* Its functions take a struct hy_service for the instance, and `destroy` ends the process; `create`
 * is not there: see hy_service_open. */
const struct hy_driver *hy_service_driver(void);

/*
 * supported_operations of a device of a service, with a deadline, for which the table of a driver
 * has no place: MISSED_DEADLINE_TRANSIENT after it, whatever the process does. `device` is the
 * first argument of the table's functions.
 */
int32_t hy_service_supported_operations(void *device, const struct hy_model *model,
                                        int64_t deadline, uint8_t *supported,
                                        const struct hy_refusals *refusals);

/*
 * For a model that prepare_from_cache has given: what it was made of, which a process of another
 * build needs that may not read its files. `model` is that of prepare, as the device is shown it;
 * what its pools point to lives as long as `prepared`. Without memory for it nothing is kept.
 */
void hy_service_keep_model(void *prepared, const struct hy_model *model);

const char *hy_service_driver_name(const struct hy_service *service); /* of the driver's library */
uint32_t hy_service_driver_abi(const struct hy_service *service);

void hy_service_get_facts(struct hy_service *service, struct hy_service_facts *facts);

/* Whether the device's process runs another build than the app was told of: cache entries are not
 * for it. `device` as above. Words on both builds in `err`. */
bool hy_service_is_upgraded(void *device, struct hy_error *err);

/*
 * Whether a call that failed with DEAD_OBJECT may still be under way, and write to memory of the
 * app: a shared service cannot be killed from here, only be hung up on. So it is until another
 * process has taken its place.
 */
bool hy_service_may_still_write(struct hy_service *service);

/*
 * For whoever calls fork(): before it, all locks of all services are taken, after it they are given
 * back. A child has no services: it closes its copies of the descriptors, and starts processes of
 * its own when it uses a device.
 */
void hy_services_fork_before(void);
void hy_services_fork_parent(void);
void hy_services_fork_child(void);

#endif
