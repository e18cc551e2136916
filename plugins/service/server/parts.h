#ifndef HY_SERVICE_SERVER_PARTS_H
#define HY_SERVICE_SERVER_PARTS_H

/* What the files of this folder share: the driver that is served, and each client. */
#include "common/list.h"
#include "plugins/plugin.h"
#include "plugins/service/server/calls/ask.h"
#include "plugins/service/server/clients/ration.h"
#include "plugins/service/server/clients/users.h"
#include "plugins/service/server/objects.h"
#include "plugins/service/server/serve.h"
#include "plugins/service/wire/answer.h"
#include "plugins/service/wire/transport/frame.h"

struct hy_server_channel;

struct hy_server_device {
    struct hy_device table; /* a copy, zero-filled to the full size */
    void *device;
    struct hy_device_info info; /* checked copies */
    struct hy_capabilities capabilities;
};

/* The driver of this process, opened once. Constant from then on. */
struct hy_server_driver {
    const struct hy_serve *serve;
    struct hy_ration *ration;    /* of the service; NULL: of the one client */
    struct hy_serve_driver what; /* has been opened */
    struct hy_host host;         /* the driver's */
    const struct hy_host *inner; /* by serve->hosts: what it is a face of */
    struct hy_plugin *plugin;    /* NULL: the built-in driver */
    void *built_in;              /* its instance, or NULL */
    const struct hy_host *lent;  /* to the built-in driver */
    struct hy_server_device *devices;
    uint32_t device_count;
};

/* One client, and what it has here. */
struct hy_server {
    struct hy_server_driver *driver;
    struct hy_server_user *user; /* NULL: nobody else has clients here */
    struct hy_arena arena;       /* of the words of OPEN */
    struct hy_ration ration;
    struct hy_body_budget bodies; /* of the ration */
    struct hy_server_memories memories;
    struct hy_server_objects objects;
    struct hy_server_asks asks;

    pthread_mutex_t control_lock; /* of sending */
    struct hy_socket control;
    struct hy_outgoing control_frame;
    struct hy_incoming heard; /* the main thread's, or that of the client */
    bool has_greeted;         /* HELLO has come */
    /* NULL, or whether there is room for the client, which has opened the driver, and is counted
     * from then on. Errors: EXHAUSTED. */
    enum hy_code (*admit)(struct hy_server *server, struct hy_error *err);
    bool is_counted;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t channel_has_ended;
    LIST_HEAD(, hy_server_channel) channels;
    uint32_t channel_count;
    bool is_ending;      /* no channel is opened any more, and those that are there end */
    uint32_t cancelled;  /* of calls of the client that outlive their channel's; see driver.h */
    uint32_t references; /* what acts for the client, and what serves it */
    void (*destroy)(struct hy_server *server); /* without the lock; by the last of them */

    LIST_ENTRY(hy_server) entry; /* of the clients, where there are many */
};

/* ---- The driver: driver.c, driver_info.c ----------------------------------------------------- */

/* Confines this process and opens the driver in it. `what` lives as long as the driver. */
HY_MUST_CHECK enum hy_code hy_server_driver_open(struct hy_server_driver *driver,
                                                 const struct hy_serve_driver *what,
                                                 struct hy_error *err);
void hy_server_driver_close(struct hy_server_driver *driver);
const char *hy_server_driver_name(const struct hy_server_driver *driver);
uint32_t hy_server_driver_abi(const struct hy_server_driver *driver);

/* Whether the device of the table has named HY_POOL_HARDWARE_BUFFER. */
bool hy_server_takes_images(const struct hy_server_driver *driver, const struct hy_device *table);

/* The driver asks its host before it allocates: nothing is charged for it here. */
bool hy_server_driver_asks(const struct hy_server_driver *driver);

/* ---- One client: client_session.c ------------------------------------------------------------ */

/* `control` becomes the client's. */
void hy_server_init(struct hy_server *server, struct hy_server_driver *driver, int control);

/* Talks to it from its first message until it hangs up or breaks the protocol; false: it got no
 * further than the first words. */
bool hy_server_talk(struct hy_server *server);

/* The two halves of it. First: one of its first words, HELLO or OPEN, heard by the deadline (0: if
 * it is there). Then: all the others. */
enum hy_server_greeting {
    HY_SERVER_GREETING_GOES_ON,
    HY_SERVER_GREETING_DONE,
    HY_SERVER_GREETING_FAILED, /* it has been told where it can hear */
};
enum hy_server_greeting hy_server_greet(struct hy_server *server, int64_t deadline);
void hy_server_converse(struct hy_server *server);

/* Frees all that it held, and its socket; nobody uses it any more. */
void hy_server_finish(struct hy_server *server);

/* client.c: counts who acts for it; the last one frees the client itself. Both take NULL. */
void hy_server_hold(struct hy_server *server);
void hy_server_put(struct hy_server *server);

/* Sends what has been packed into the control frame, with its lock held. */
void hy_server_send(struct hy_server *server);

/* The connection is of no use any more: says so, and hangs up. */
void hy_server_give_up(struct hy_server *server, const char *reason);

/* The service ends: says so, without waiting for a client that does not read. The client makes no
 * call any more, and is hung up on when those that are there are answered. */
void hy_server_tell_end(struct hy_server *server, const char *reason);
void hy_server_hang_up(struct hy_server *server);

/* ---- Its first questions: open.c ------------------------------------------------------------- */

/* Opens the driver that the frame `heard` asks for, or sees whether it is the one that is open, and
 * answers. False: it is not, which the client has been told. */
bool hy_server_open(struct hy_server *server);

/* Answers DESCRIBE. */
void hy_server_describe(struct hy_server *server);

#endif
