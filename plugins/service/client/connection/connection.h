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

/* Limits of a connection: concurrent calls, timed-out calls and bursts. A further call waits for a
 * running call to end. Bursts have channels of their own. */
#define HY_SERVICE_CHANNELS      64u
#define HY_SERVICE_MAX_TIMED_OUT 64u
#define HY_SERVICE_BURSTS        128u

/* Time in ns for the handshake with a shared service. A working service identifies itself at once,
 * and the list of devices waits for the handshake. */
#define HY_SERVICE_HANDSHAKE_NS INT64_C(1000000000)

#define HY_CONNECTION_END_SIZE 160u

struct hy_begun_update;
struct hy_channel;
struct hy_connection;
struct hy_buffer_token;
struct hy_service_burst;

/* Properties of a driver, as reported by its process. */
struct hy_hello_info {
    struct hy_arena arena; /* owns the members below */
    const char *driver;
    const char *sandbox;
    uint32_t abi;
    uint32_t device_count;
    struct hy_description *devices;
};

/* Callbacks of bursts. The caller holds the lock of the connection. */
struct hy_burst_events {
    /* The process is gone: waiting executions must end. */
    void (*died)(struct hy_connection *connection);

    /* In a child of fork(): all open bursts belong to the parent. */
    void (*disowned)(struct hy_connection *connection);

    /* Abandoned executions. catch_up clears the records of executions that have ended; true: an
     * execution abandoned before `earliest` still runs. meet: whether the request conflicts with an
     * execution that still runs, see timed_out_uses.h. */
    bool (*catch_up)(struct hy_connection *connection, int64_t earliest);
    bool (*meet)(const struct hy_connection *connection, const struct hy_request *request);

    /* Returns whether a thread waits for an execution. */
    bool (*are_running)(const struct hy_connection *connection);
};

/*
 * A host process, from its start to its end. For a shared service: one connection, from connecting
 * to disconnecting. Reference-counted: a caller that waits for a reply holds a reference. Objects
 * made in the process are lost with the connection. Thread-safe.
 */
struct hy_connection {
    atomic_uint references;
    const char *driver_name; /* name of the driver, for messages; owned by the service */
    char whose[192];         /* for messages: "the driver process (4711)", "the service at PATH" */
    const struct hy_host *host;
    struct hy_host_process *process;
    struct hy_life_watch *watch;
    int64_t started; /* hy_clock_boot */
    pid_t pid;
    int service_pidfd, end_page; /* of a shared service, received from the service; -1: none */
    struct hy_hello_info hello_info;
    atomic_bool is_dead;   /* new calls fail */
    atomic_bool is_let_go; /* disconnected by the client, but the process may still be running */
    atomic_bool is_gone;   /* the process has ended or closed the control socket */
    atomic_int_least64_t left_at; /* hy_clock_boot of its farewell; 0: none */
    uint32_t oldest_token;        /* buffer tokens up to this number belong to earlier processes */

    pthread_mutex_t control_lock; /* for sending, and for the members below */
    struct hy_socket control;
    struct hy_outgoing control_frame;
    struct hy_id_set
        pending_drops; /* dropped memories of which the process is still to be notified */

    char opening[24];          /* the driver function that the process called last, while opening */
    struct hy_incoming report; /* unsolicited messages; for the watch thread */
    LIST_HEAD(, hy_begun_update) updates; /* of cache entries, begun by the process */
    uint64_t update_count;                /* number of the last update */
    struct hy_log_quota log_quota;        /* of log lines from the process */

    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t channel_is_back;
    struct hy_channel *idle;
    struct hy_channel *timed_out; /* timed-out calls, see timed_out_call.h */
    atomic_uint timed_out_count;  /* timed-out calls and bursts with abandoned executions; may be
                                read  without the lock */
    LIST_HEAD(, hy_channel) all;
    uint32_t channel_count; /* channels for calls, with idle channels, without timed-out calls */
    uint32_t burst_count;
    LIST_HEAD(, hy_service_burst) bursts;
    const struct hy_burst_events *burst_events; /* set when a burst is listed; NULL: none */
    LIST_HEAD(, hy_buffer_token) buffers;
    struct hy_id_set memories; /* ids of memories that the process knows */

    pthread_mutex_t end_lock; /* protects the members below; no other lock is acquired under it */
    pthread_cond_t end_is_known;
    char end[HY_CONNECTION_END_SIZE]; /* see hy_connection_end; "": not known yet */
};

/*
 * Starts a process or connects to the shared service, opens the driver, and reads its properties.
 * All steps together are limited by the deadline (ns of CLOCK_BOOTTIME) and the hang timeout of an
 * execution. `title` and `host` must outlive the connection. The caller gets one reference; the
 * last release ends the process. Errors: as of hy_service_open.
 */
HY_MUST_CHECK enum hy_code hy_connection_start(const struct hy_service_launch *launch,
                                               const struct hy_service_settings *settings,
                                               const char *driver_name, const struct hy_host *host,
                                               int64_t deadline, struct hy_connection **ret,
                                               struct hy_error *err);

struct hy_connection *hy_connection_retain(struct hy_connection *connection);
void hy_connection_release(struct hy_connection *connection); /* accepts NULL */

/* True: new calls fail. */
static inline bool hy_connection_is_dead(const struct hy_connection *connection)
{
    return atomic_load_explicit(&connection->is_dead, memory_order_acquire);
}

/* True: the process may still write to client memory, although the connection is dead. */
static inline bool hy_connection_may_still_write(const struct hy_connection *connection)
{
    return atomic_load_explicit(&connection->is_let_go, memory_order_acquire);
}

/* Kills the process and waits until its threads have ended, at most 10 s. `reason` goes to the log.
 * A shared service is not killed: the client disconnects. */
void hy_connection_kill(struct hy_connection *connection, const char *reason);

/*
 * Describes how a dead connection ended, as in "its process (4711) was ended by SIGSEGV (11)".
 * Waits up to a second until the watch learns the end from the kernel; after the wait the text is
 * "its process (4711) closed the connection".
 */
void hy_connection_end(struct hy_connection *connection, char *text, size_t size);

/*
 * Functions of connection_end.c.
 * name: sets `whose`, once the process is known.
 * note_end: stores how the process ended, unless the end is stored already.
 * knows_end: returns whether the end is stored.
 * await_end: waits until the end is stored.
 * ask_end: asks the kernel, or the end page, how the process ended.
 * calls: writes the running calls, as in " during execute", or "".
 */
void hy_connection_name(struct hy_connection *connection, const char *socket);
void hy_connection_note_end(struct hy_connection *connection, const char *end);
bool hy_connection_knows_end(struct hy_connection *connection);
void hy_connection_await_end(struct hy_connection *connection, int64_t milliseconds);
void hy_connection_ask_end(const struct hy_connection *connection, char *text, size_t size);
void hy_connection_calls(struct hy_connection *connection, char *text, size_t size);

/* Marks the connection as dead and wakes all waiting threads. */
void hy_connection_note_death(struct hy_connection *connection);

/*
 * Handles the farewell message, which a shared service sends before it ends. The service then
 * accepts no new calls. Running calls get replies, and no call runs after the service is gone. For
 * new calls, the connection counts as dead.
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

/* For a call without a reply: returns whether the service ended in good order. Waits a short time
 * for the farewell message. True: the call was not begun or ended with the process, and the caller
 * can make the call again. */
bool hy_connection_await_farewell(struct hy_connection *connection);

/* A channel was disconnected: new calls fail, but running calls may still get replies. */
void hy_connection_reject_calls(struct hy_connection *connection);

/* Notifies the process that the memory is gone, if the process knows the memory. Never waits: if
 * the socket is full, the notice is sent with the next one. */
void hy_connection_drop_memory(struct hy_connection *connection, uint64_t id);

/* For fork(), see service.h. */
void hy_connection_fork_before(struct hy_connection *connection);
void hy_connection_fork_after(struct hy_connection *connection, bool is_child);

#endif
