#ifndef HY_SERVICE_CLIENT_PARTS_H
#define HY_SERVICE_CLIENT_PARTS_H

/* What a service consists of, for the files of this folder. */
#include "common/clock.h"
#include "common/list.h"
#include "common/status.h"
#include "plugins/service/client/connection/channel.h"
#include "plugins/service/client/service.h"

#define HY_SECOND INT64_C(1000000000)

/* One device of it. Constant but for the buffers. */
struct hy_service_device {
    struct hy_service *service;
    uint32_t index;
    struct hy_device table;
    const struct hy_description *description;
};

struct hy_service {
    const struct hy_service_settings *settings;
    const struct hy_host *host;
    struct hy_arena arena; /* of the launch */
    struct hy_service_launch launch;
    const char *title;
    struct hy_introduction introduction; /* of the first process: what the app has planned with */
    struct hy_service_device *devices;
    LIST_ENTRY(hy_service) entry; /* of all services */

    pthread_mutex_t lock; /* of what follows */
    struct hy_connection *connection;
    pthread_cond_t start_is_over;
    struct hy_error start_failure; /* of the last one */
    int64_t delay;                 /* ns from the last start to the next */
    int64_t next_start;
    bool is_starting;
    uint32_t restarts;
    bool may_write; /* the process was hung up on while it was at work, and is the same still */
};

/*
 * The connection to the process, retained; starts one if there is none, which goes on when the
 * deadline has come. The words of a failure in `err`. DEVICE_UNAVAILABLE: the last start is too
 * short a time ago, or the driver has become a build with which the app cannot go on.
 */
int32_t hy_service_connect(struct hy_service *service, int64_t deadline, struct hy_connection **ret,
                           struct hy_error *err);

/*
 * The same for calls that have nowhere else to go. The time between two starts is waited for as
 * well: until the deadline, and for HY_SERVICE_REST_NS without one. DEVICE_UNAVAILABLE also where
 * the deadline comes before the process.
 */
int32_t hy_service_connect_later(struct hy_service *service, int64_t deadline,
                                 struct hy_connection **ret, struct hy_error *err);
#define HY_SERVICE_REST_NS (5 * HY_SECOND)

/* The connection if its process lives, retained; else NULL. */
struct hy_connection *hy_service_connection(struct hy_service *service);

static inline struct hy_call_limits hy_service_limits(const struct hy_service *service,
                                                      int64_t deadline, uint32_t patience_factor)
{
    return (struct hy_call_limits){
        .deadline = deadline,
        .patience_ns = (int64_t)service->settings->patience_seconds * patience_factor * HY_SECOND,
    };
}

/* The list of all services, which fork() goes through. */
void hy_services_enlist(struct hy_service *service);
void hy_services_delist(struct hy_service *service);

/* Returns when no process is being started any more. */
void hy_service_await_start(struct hy_service *service);

/* False: the deadline came first. */
bool hy_service_lock(pthread_mutex_t *lock, int64_t deadline);

/* How much more patience there is with compiling than with computing. */
#define HY_SERVICE_PREPARE_FACTOR 10u

/* Fills device->table from what the driver has. */
void hy_service_device_init(struct hy_service_device *device, struct hy_service *service,
                            uint32_t index);

#endif
