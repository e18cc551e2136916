#ifndef HY_SERVICE_SERVER_PARTS_H
#define HY_SERVICE_SERVER_PARTS_H

/* Types shared by the files of this directory: the served driver, and its clients. */
#include "common/list.h"
#include "plugins/plugin.h"
#include "plugins/service/server/calls/ask.h"
#include "plugins/service/server/clients/quota_levels.h"
#include "plugins/service/server/clients/users.h"
#include "plugins/service/server/objects.h"
#include "plugins/service/server/serve.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/transport/frame.h"

struct hy_server_channel;

struct hy_server_device {
    struct hy_device table; /* a copy, zero-filled to the full size */
    void *device;
    struct hy_device_info info; /* checked copies */
    struct hy_capabilities capabilities;
};

/* The driver of this process. All members are constant after the opening. */
struct hy_server_driver {
    const struct hy_serve *serve;
    struct hy_server_quota *quotas; /* of the service; NULL: only the single client has a quota */
    struct hy_serve_driver what;    /* the opened library and its settings */
    struct hy_host host;            /* passed to the driver */
    const struct hy_host *inner;    /* created by serve->hosts; `host` forwards to it */
    struct hy_plugin *plugin;       /* NULL: the built-in driver */
    void *built_in;                 /* its instance, or NULL */
    const struct hy_host *driver_host; /* host of the built-in driver */
    struct hy_server_device *devices;
    uint32_t device_count;
};

/* A client and its resources. */
struct hy_server {
    struct hy_server_driver *driver;
    struct hy_server_user *user; /* NULL: private process, without users */
    struct hy_arena arena;       /* for the strings of OPEN */
    struct hy_server_quota quotas;
    struct hy_body_budget bodies; /* limit on long bodies, charged to the quota */
    struct hy_server_memories memories;
    struct hy_server_objects objects;
    struct hy_server_asks asks;

    pthread_mutex_t control_lock; /* for sending */
    struct hy_socket control;
    struct hy_outgoing control_frame;
    struct hy_incoming received; /* belongs to the client's control thread or the main thread */
    bool has_hello;              /* HELLO has been received */
    /* Checks the capacity for a client that has opened the driver, and counts the client from then
     * on; NULL: no check. Errors: EXHAUSTED. */
    enum hy_code (*admit)(struct hy_server *server, struct hy_error *err);
    bool is_counted;

    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t channel_has_ended;
    LIST_HEAD(, hy_server_channel) channels;
    uint32_t channel_count;
    bool is_ending;      /* no channel is opened any more, and existing channels end */
    uint32_t cancelled;  /* cancels calls of the client that outlive their channel; see driver.h */
    uint32_t references; /* users of the client, including its serving thread */
    void (*destroy)(struct hy_server *server); /* for hy_server_put; without the lock */

    LIST_ENTRY(hy_server) entry; /* in the list of clients of a shared service */
};

/* ---- The driver: driver.c, driver_info.c ----------------------------------------------------- */

/* Enters the sandbox and opens the driver in this process. The strings of `what` must outlive the
 * driver. */
HY_MUST_CHECK enum hy_code hy_server_driver_open(struct hy_server_driver *driver,
                                                 const struct hy_serve_driver *what,
                                                 struct hy_error *err);
void hy_server_driver_close(struct hy_server_driver *driver);
const char *hy_server_driver_name(const struct hy_server_driver *driver);
uint32_t hy_server_driver_abi(const struct hy_server_driver *driver);

/* Returns true if the device of the table supports HY_POOL_HARDWARE_BUFFER. */
bool hy_server_supports_images(const struct hy_server_driver *driver,
                               const struct hy_device *table);

/* Returns true if the driver asks its host before each allocation; the server charges nothing for
 * such a driver. */
bool hy_server_driver_asks(const struct hy_server_driver *driver);

/* ---- One client: client_session.c ------------------------------------------------------------ */

/* Initializes a client, which takes ownership of the socket `control`. */
void hy_server_init(struct hy_server *server, struct hy_server_driver *driver, int control);

/* Serves the client's control socket until the client disconnects or breaks the protocol. Returns
 * false if the client did not complete HELLO and OPEN. */
bool hy_server_talk(struct hy_server *server);

/* The two halves of hy_server_talk. hy_server_handshake reads HELLO or OPEN until the deadline (0:
 * without waiting); hy_server_converse handles all later messages. */
enum hy_server_handshake_state {
    HY_SERVER_HANDSHAKE_CONTINUES,
    HY_SERVER_HANDSHAKE_DONE,
    HY_SERVER_HANDSHAKE_FAILED, /* the client has been notified if possible */
};
enum hy_server_handshake_state hy_server_handshake(struct hy_server *server, int64_t deadline);
void hy_server_converse(struct hy_server *server);

/* Frees the client's resources and its socket. No other thread may use the client any more. */
void hy_server_finish(struct hy_server *server);

/* Add and drop a reference (client.c); dropping the last reference frees the client. Both accept
 * NULL. */
void hy_server_hold(struct hy_server *server);
void hy_server_put(struct hy_server *server);

/* Sends the packed control frame. The caller holds control_lock. */
void hy_server_send(struct hy_server *server);

/* Ends a broken connection: sends the reason and disconnects. */
void hy_server_give_up(struct hy_server *server, const char *reason);

/* Notifies the client of the service's end, without waiting for a client that does not read. The
 * client then makes no new calls, and is disconnected after its running calls have been
 * answered. */
void hy_server_notify_end(struct hy_server *server, const char *reason);
void hy_server_hang_up(struct hy_server *server);

/* ---- Its first questions: open.c ------------------------------------------------------------- */

/* Handles OPEN in the frame `heard`: opens the requested driver, or compares the request with the
 * driver that is already open, and replies. Returns false after a failure reply. */
bool hy_server_open(struct hy_server *server);

/* Handles DESCRIBE. */
void hy_server_describe(struct hy_server *server);

#endif
