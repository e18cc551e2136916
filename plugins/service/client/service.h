#ifndef HY_SERVICE_CLIENT_SERVICE_H
#define HY_SERVICE_CLIENT_SERVICE_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/discovery/manifest.h"
#include "plugins/service/queue/burst_wait.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * A driver in a process of its own, or in the process of a shared service, presented as a driver of
 * this process. The functions of its devices (struct hy_device) send their arguments to the other
 * process. The process is started when the service is opened, and again when a call needs a process
 * after the last one has ended. Models of the ended process are prepared again at their next use.
 * See docs/services.md.
 */
struct hy_service;

/* Settings of all services in this process. The strings must outlive the services. */
struct hy_service_settings {
    const char *program;           /* absolute path of halyard-driverd */
    uint32_t hang_timeout_seconds; /* hang timeout of an execution without a deadline, in seconds, >
                                  0; see HALYARD_SERVICE_PATIENCE */
    enum hy_burst_wait burst_wait;
    bool inherits_stderr; /* driver processes write to this process's standard error */
};

/* The driver that a service runs. hy_service_open copies all strings. */
struct hy_service_launch {
    const char *library; /* absolute path; "": the built-in driver */
    enum hy_manifest_kind kind;
    const char *arguments;           /* JSON */
    const char *const *device_files; /* absolute paths of device files that the process may open */
    uint32_t device_file_count;
    uint32_t capabilities; /* bits of enum hy_manifest_capability; a shared service has its own */
    const char *socket;    /* path of the socket of the shared service that runs the driver; NULL or
                              "": none, start a process */
    const char *socket_user; /* allowed user of the shared service, besides root and the user of
                                this process; NULL or "": no other user */
};

struct hy_service_info {
    pid_t pid;           /* 0: no process at the moment */
    uint32_t restarts;   /* number of processes started in place of an ended process */
    const char *sandbox; /* description of the process's sandbox; owned by the service */
    const char *socket;  /* of a shared service, otherwise ""; owned by the service */
};

/*
 * Starts the process, opens the driver in the process, and reads all constant properties.
 * `settings` and `host` must outlive the service. Errors: FAILED (no process, or the driver
 * failed), BAD_DATA (the peer is no driver host, or a host of another version), UNAVAILABLE (no
 * process listens at the socket), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_service_open(const struct hy_service_launch *launch,
                                           const struct hy_service_settings *settings,
                                           const struct hy_host *host, struct hy_service **ret,
                                           struct hy_error *err);

/* Returns the driver table of services. The instance argument of its functions is a struct
 * hy_service, and `destroy` ends the process. `create` is absent: use hy_service_open. */
const struct hy_driver *hy_service_driver(void);

/*
 * supported_operations with a deadline in ns of CLOCK_BOOTTIME, which struct hy_device lacks.
 * `device` is the first argument of the functions of struct hy_device. Never waits past the
 * deadline, even if the process hangs. MISSED_DEADLINE_TRANSIENT: the call ran out of time.
 * DEVICE_UNAVAILABLE: no process was ready in time.
 */
int32_t hy_service_supported_operations(void *device, const struct hy_model *model,
                                        int64_t deadline, uint8_t *supported,
                                        const struct hy_refusals *refusals);

/*
 * Saves the source model of a model that hy_service_prepare_from_cache has prepared. A process of
 * another driver build may not read the cache files and needs the source model to prepare again.
 * `model` is the model as passed to prepare for the device. The memory of its pools must live as
 * long as `prepared`. Saves nothing if memory is short.
 */
void hy_service_save_model(void *prepared, const struct hy_model *model);

const char *
hy_service_driver_name(const struct hy_service *service); /* from the driver's library */
uint32_t hy_service_driver_abi(const struct hy_service *service);

void hy_service_get_info(struct hy_service *service, struct hy_service_info *info);

/* Returns whether the device's process runs another driver build than the first process. Cache
 * entries of the first build are not valid for the other build. `device` is as for
 * hy_service_supported_operations. If true, `err` has a message with both builds. */
bool hy_service_is_upgraded(void *device, struct hy_error *err);

/*
 * Returns whether a call that failed with DEAD_OBJECT may still run and write to memory of the app.
 * A client cannot kill a shared service, only disconnect. The result stays true until another
 * process has replaced the service process.
 */
bool hy_service_may_still_write(struct hy_service *service);

/*
 * Handlers for the caller of fork(). fork_before acquires all locks of all services; fork_parent
 * and fork_child release the locks. A child has no services: fork_child closes the copies of the
 * descriptors, and the child starts processes of its own when it uses a device.
 */
void hy_services_fork_before(void);
void hy_services_fork_parent(void);
void hy_services_fork_child(void);

#endif
