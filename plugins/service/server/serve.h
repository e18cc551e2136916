#ifndef HY_SERVICE_SERVE_H
#define HY_SERVICE_SERVE_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/hosts.h"
#include "plugins/service/queue/burst_wait.h"

#include <stdatomic.h>

/* The driver to open. The strings must stay valid during the serving. */
struct hy_serve_driver {
    const char *library;             /* absolute path; "": the built-in driver */
    const char *arguments;           /* JSON */
    const char *const *device_files; /* absolute paths of the device files used by the driver */
    uint32_t device_file_count;
    uint32_t manifest_kind; /* enum hy_manifest_kind */
    uint32_t capabilities;  /* enum hy_manifest_capability: bits */
};

/* Counters of clients and calls. A call is counted when its channel has ended. Executions of bursts
 * are calls, unless the driver serves the bursts itself. */
struct hy_serve_tally {
    atomic_uint_least64_t clients;
    atomic_uint_least64_t calls; /* with executions of bursts */
};

/* Settings of the process, shared by all connections. All members must outlive the serving. */
struct hy_serve {
    int control; /* client or door; the process ends when the peer disconnects */

    /* Hosts for the driver. Log lines, and cache calls for a client's files, are forwarded to the
     * client; all other calls go to these hosts. */
    const struct hy_plugin_hosts *hosts;
    const struct hy_driver *built_in;

    enum hy_burst_wait burst_wait; /* wait mode of burst requests */

    /* Bytes that the driver may allocate for all clients together; 0: no limit. */
    uint64_t memory_limit;

    /* Shared services only, else 0; in ns. A driver call longer than hang_timeout_ns is logged.
     * alive_ns is the interval of liveness messages to the listener; 0: the watchdog's own
     * interval. */
    int64_t hang_timeout_ns;
    int64_t alive_ns;

    void *context;
    /* Sandbox steps, called on the serving thread: confine before the library is loaded, while the
     * process has no other thread of Halyard, and confine_further after the driver has been
     * created. Both never fail. describe_sandbox reports missing restrictions, may be called on any
     * thread, and returns a text that stays valid during the serving. */
    void (*confine)(void *context, const struct hy_serve_driver *driver);
    void (*confine_further)(void *context, const struct hy_serve_driver *driver);
    const char *(*describe_sandbox)(void *context);

    /* Receives log lines of the process, see hy_serve_note; NULL: the lines go to the client. */
    void (*note)(int32_t level, const char *text);

    /* Descriptor of the page in which the parent process reports the end of this process to
     * clients; -1: none. */
    int end_page;

    /* Shared services only: the path of the service for error texts, and counters. */
    const char *listen_address;
    struct hy_serve_tally *tally; /* NULL: no counting */
};

/*
 * Serves a single client, which names the driver to open. Serves until the client disconnects or
 * breaks the protocol, and frees the client's resources. The process must end soon after the
 * client: this function ends the process if a driver call does not return. Takes ownership of
 * `control`. Returns the exit status.
 */
int hy_serve(const struct hy_serve *serve);

/*
 * Serves a driver to many clients. `control` is a door (accept_channel.h): the listener is notified
 * when the driver is open, and sends a connected socket for each client. Serves until the listener
 * disconnects, or until no client has been connected for `idle_seconds` (0: no limit); the process
 * then ends as in hy_serve. Users and clients have quotas (quotas.def). Returns the exit status.
 */
int hy_serve_many(const struct hy_serve *serve, const struct hy_serve_driver *driver,
                  uint32_t idle_seconds);

/* Logs a line to the client for which the calling thread works (caller.h). Without a client, or if
 * sending fails, the line goes to hy_serve_note. Thread-safe. */
void hy_serve_log(int32_t level, const char *text);

/* Logs a line about the service: to `note`, else to the single client, else to stderr. Thread-
 * safe. */
void hy_serve_note(int32_t level, const char *text);

#endif
