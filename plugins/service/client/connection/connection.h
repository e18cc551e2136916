#ifndef HY_SERVICE_CLIENT_CONNECTION_H
#define HY_SERVICE_CLIENT_CONNECTION_H

#include "common/clock.h"
#include "common/error.h"
#include "common/list.h"
#include "common/log_quota.h"
#include "halyard/driver.h"
#include "plugins/service/client/connection/call_limits.h"
#include "plugins/service/client/connection/id_set.h"
#include "plugins/service/client/service.h"
#include "plugins/service/process/host_process.h"
#include "plugins/service/process/life_watch.h"
#include "plugins/service/wire/describe.h"
#include "plugins/service/wire/transport/frame.h"

#include <pthread.h>
#include <stdatomic.h>

/* Calls that may be under way at once over one connection; more wait for one to end. Besides them
 * so many may be late; and bursts have channels of their own. */
#define HY_SERVICE_CHANNELS 64u
#define HY_SERVICE_LATE     64u
#define HY_SERVICE_BURSTS   128u

/* How long a shared service may take for all of its first words. Who it is, it knows at once; and
 * whoever lists devices waits for it. */
#define HY_SERVICE_HANDSHAKE_NS INT64_C(1000000000)

#define HY_CONNECTION_END_SIZE 160u

struct hy_begun_update;
struct hy_channel;
struct hy_connection;
struct hy_buffer_token;
struct hy_service_burst;

/* What a driver says of itself. */
struct hy_introduction {
    struct hy_arena arena; /* of all that follows */
    const char *driver;
    const char *sandbox;
    uint32_t abi;
    uint32_t device_count;
    struct hy_description *devices;
};

/* What bursts are to know of their connection, each with its lock held. */
struct hy_burst_events {
    /* The process is gone: nobody waits for it any more. */
    void (*died)(struct hy_connection *connection);

    /* In a child of fork(): what was opened before is the parent's. */
    void (*disowned)(struct hy_connection *connection);

    /* Executions that were given up: notes which are over; true: one was given up before `earliest`
     * and is not. And whether the request meets one that is not, see late_uses.h. */
    bool (*catch_up)(struct hy_connection *connection, int64_t earliest);
    bool (*meet)(const struct hy_connection *connection, const struct hy_request *request);

    /* Whether somebody waits for an execution. */
    bool (*are_running)(const struct hy_connection *connection);
};

/*
 * One host process, from its start to its end; of a shared one, the time that we are connected.
 * Counted: whoever waits for an answer of it keeps it. What is made in it goes with it.
 * Thread-safe.
 */
struct hy_connection {
    atomic_uint references;
    const char *title; /* of the driver, for words; the service's */
    char whose[192];   /* "its process (4711)", "the service at PATH (process 4711)" */
    const struct hy_host *host;
    struct hy_host_process *process;
    struct hy_life_watch *watch;
    int64_t started; /* hy_clock_boot */
    pid_t pid;
    int service_pidfd, end_page; /* of a shared service's process, as it has sent them; -1: none */
    struct hy_introduction introduction;
    atomic_bool is_dead;   /* no call is worth a try any more */
    atomic_bool is_let_go; /* not dead for all we know, but hung up on: it may still be at work */
    atomic_bool is_gone;   /* it has ended, or closed the control socket */
    atomic_int_least64_t left_at; /* hy_clock_boot, when it said that it ends; 0: it has not */
    uint32_t oldest_token;        /* of buffers: up to it they are of earlier processes */

    pthread_mutex_t control_lock; /* of sending, and of what follows */
    struct hy_socket control;
    struct hy_outgoing control_frame;
    struct hy_id_set untold; /* memories that are dropped, which the process is still to be told */

    char opening[24]; /* function of the driver that the process has called last to open it */
    struct hy_incoming told; /* the watch's thread alone: what the process says by itself */
    LIST_HEAD(, hy_begun_update) updates; /* of cache entries */
    uint64_t update_count;                /* so far */
    struct hy_log_quota log_quota;        /* of its lines */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t channel_is_back;
    struct hy_channel *idle;
    struct hy_channel *late; /* see late_call.h */
    atomic_uint late_count;  /* with the bursts that are behind; to be looked at without the lock */
    LIST_HEAD(, hy_channel) all;
    uint32_t channel_count; /* for calls, idle ones too; but not the late ones */
    uint32_t burst_count;
    LIST_HEAD(, hy_service_burst) bursts;
    const struct hy_burst_events *burst_events; /* of whoever has listed bursts; NULL: nobody */
    LIST_HEAD(, hy_buffer_token) buffers;
    struct hy_id_set memories; /* that the process knows */

    pthread_mutex_t end_lock; /* of what follows; no other one is taken under it */
    pthread_cond_t end_is_known;
    char end[HY_CONNECTION_END_SIZE]; /* see hy_connection_end; "": not known yet */
};

/*
 * Starts a process, or connects to the shared service, has it open the driver, and takes down what
 * it says of itself, all that within the deadline and the patience for an execution. `title` and
 * `host` outlive the connection. Errors as those of hy_service_open.
 */
HY_MUST_CHECK enum hy_code hy_connection_start(const struct hy_service_launch *launch,
                                               const struct hy_service_settings *settings,
                                               const char *title, const struct hy_host *host,
                                               int64_t deadline, struct hy_connection **ret,
                                               struct hy_error *err);

struct hy_connection *hy_connection_retain(struct hy_connection *connection);
void hy_connection_release(struct hy_connection *connection); /* takes NULL; ends the process */

/* Whether calls are still worth a try. */
static inline bool hy_connection_is_dead(const struct hy_connection *connection)
{
    return atomic_load_explicit(&connection->is_dead, memory_order_acquire);
}

/* Whether it may write to memory of ours although it counts as dead. */
static inline bool hy_connection_may_still_write(const struct hy_connection *connection)
{
    return atomic_load_explicit(&connection->is_let_go, memory_order_acquire);
}

/* Kills the process, for the reason given, and waits until nothing of it runs any more. One that
 * others use, too, is not: this end of it is disconnected. */
void hy_connection_kill(struct hy_connection *connection, const char *reason);

/*
 * For whoever finds that the connection is of no use any more: what has become of it, as in "its
 * process (4711) was ended by SIGSEGV (11)". Waits a moment for the watch, which is told by the
 * kernel. Words that were not awaited are as good as "its process (4711) has ended".
 */
void hy_connection_end(struct hy_connection *connection, char *text, size_t size);

/* connection_end.c: sets `whose`, once the process is known; takes down what has become of it, if
 * nobody has before; waits until somebody has; asks the kernel; and tells what it is at: " during
 * execute", or "".
 */
void hy_connection_name(struct hy_connection *connection, const char *socket);
void hy_connection_note_end(struct hy_connection *connection, const char *end);
bool hy_connection_knows_end(struct hy_connection *connection);
void hy_connection_await_end(struct hy_connection *connection, int64_t milliseconds);
void hy_connection_ask_end(const struct hy_connection *connection, char *text, size_t size);
void hy_connection_calls(struct hy_connection *connection, char *text, size_t size);

/* Marks the connection as dead, and wakes its waiters. */
void hy_connection_note_death(struct hy_connection *connection);

/*
 * A shared service that ends says so first. From then on it takes no call: those that are under way
 * are answered, and when it is gone none of them runs any more. The connection counts as dead for
 * calls that have not been made.
 */
void hy_connection_note_farewell(struct hy_connection *connection);
static inline bool hy_connection_has_left(const struct hy_connection *connection)
{
    return atomic_load_explicit(&connection->left_at, memory_order_acquire) != 0;
}
static inline bool hy_connection_is_gone(const struct hy_connection *connection)
{
    return atomic_load_explicit(&connection->is_gone, memory_order_acquire);
}

/* For a call that was not answered: whether a service has ended like that, which may not have been
 * heard yet. The call has not been begun, or ended with the process: it can be made again. */
bool hy_connection_await_farewell(struct hy_connection *connection);

/* A channel has hung up: no other one will do better, but what is under way there may still be
 * answered. */
void hy_connection_close_door(struct hy_connection *connection);

/* Tells the process that the memory is gone, if it knows it. */
void hy_connection_drop_memory(struct hy_connection *connection, uint64_t id);

/* fork(): see service.h. */
void hy_connection_fork_before(struct hy_connection *connection);
void hy_connection_fork_after(struct hy_connection *connection, bool is_child);

#endif
