#ifndef HY_SERVICE_CLIENT_PARTS_H
#define HY_SERVICE_CLIENT_PARTS_H

/* Internals of a service, for the files of this directory. */
#include "common/clock.h"
#include "common/list.h"
#include "common/status.h"
#include "plugins/service/client/connection/client_channel.h"
#include "plugins/service/client/service.h"

#define HY_SECOND INT64_C(1000000000)

/* One device of a service. Constant after hy_service_device_init. */
struct hy_service_device {
    struct hy_service *service;
    uint32_t index;
    struct hy_device table;
    const struct hy_description *description;
};

struct hy_service {
    const struct hy_service_settings *settings;
    const struct hy_host *host;
    struct hy_arena arena; /* owns the strings of `launch` */
    struct hy_service_launch launch;
    const char *driver_name;
    struct hy_hello_info hello_info; /* of the first process; used by the app */
    struct hy_service_device *devices;
    LIST_ENTRY(hy_service) entry; /* in the list of all services */

    pthread_mutex_t lock; /* protects the members below */
    struct hy_connection *connection;
    pthread_cond_t start_is_over;
    struct hy_error start_failure; /* of the last start; code HY_OK: none */
    int64_t delay;                 /* minimum time in ns from the last start to the next */
    int64_t next_start;
    bool is_starting;
    uint32_t restarts;
    bool may_write; /* the client disconnected from the process during a call, and the process is
                       still the same */
};

/*
 * Gives a connection to a live process, retained for the caller. Starts a process if none is alive;
 * the start continues in the background after the deadline (ns of CLOCK_BOOTTIME). Returns a
 * HY_STATUS_* value, with the message of a failure in `err`. DEVICE_UNAVAILABLE: the last start was
 * too recent, or the driver is now a build that the app cannot use.
 */
int32_t hy_service_connect(struct hy_service *service, int64_t deadline, struct hy_connection **ret,
                           struct hy_error *err);

/*
 * Same as hy_service_connect, for calls without a fallback. Also waits for the minimum time between
 * two starts: until the deadline, or for HY_SERVICE_REST_NS without a deadline. DEVICE_UNAVAILABLE:
 * also if no process is ready at the deadline.
 */
int32_t hy_service_connect_after_delay(struct hy_service *service, int64_t deadline,
                                       struct hy_connection **ret, struct hy_error *err);
#define HY_SERVICE_REST_NS (5 * HY_SECOND)

/* Returns the connection if its process is alive, retained for the caller; otherwise NULL. */
struct hy_connection *hy_service_connection(struct hy_service *service);

static inline struct hy_call_limits
hy_service_limits(const struct hy_service *service, int64_t deadline, uint32_t hang_timeout_factor)
{
    return (struct hy_call_limits){
        .deadline = deadline,
        .hang_timeout_ns =
            (int64_t)service->settings->hang_timeout_seconds * hang_timeout_factor * HY_SECOND,
    };
}

/* Add and remove a service in the list of all services, which the fork handlers use. */
void hy_services_list_add(struct hy_service *service);
void hy_services_list_remove(struct hy_service *service);

/* Waits until no start of a process is in progress. */
void hy_service_await_start(struct hy_service *service);

/* Acquires the lock. False: the deadline (ns of CLOCK_BOOTTIME) passed first. */
bool hy_service_lock(pthread_mutex_t *lock, int64_t deadline);

/* Hang timeout of compiling, as a multiple of the hang timeout of an execution. */
#define HY_SERVICE_PREPARE_FACTOR 10u

/* Initializes the device and fills device->table with the functions that the driver has. */
void hy_service_device_init(struct hy_service_device *device, struct hy_service *service,
                            uint32_t index);

#endif
