#ifndef HY_SERVICE_SERVE_H
#define HY_SERVICE_SERVE_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/hosts.h"
#include "plugins/service/queue/burst_wait.h"

#include <stdatomic.h>

/* What is opened; the strings live as long as the serving. */
struct hy_serve_driver {
    const char *library;             /* absolute path; "": the built-in driver */
    const char *arguments;           /* JSON */
    const char *const *device_files; /* that the driver needs, absolute paths */
    uint32_t device_file_count;
    uint32_t manifest_kind; /* enum hy_manifest_kind */
    uint32_t capabilities;  /* enum hy_manifest_capability: bits */
};

/* What was served so far; a call counts when its channel has ended. */
struct hy_serve_tally {
    atomic_uint_least64_t clients;
    atomic_uint_least64_t calls; /* with the executions of bursts, unless a driver serves those */
};

/* What belongs to the process and not to a conversation. All of it outlives the serving. */
struct hy_serve {
    int control; /* when it hangs up, the process ends: the socket of the client, or the door */

    /* Hosts for the driver. The log, and cache calls that concern files of a client, are led to
     * the client; everything else is theirs. */
    const struct hy_plugin_hosts *hosts;
    const struct hy_driver *built_in;

    enum hy_burst_wait burst_wait; /* for requests of bursts */

    /* Bytes that the driver may allocate for all clients together; 0: any amount. */
    uint64_t memory_limit;

    /* Of a service for many, else 0: how long a call of the driver may take before the log tells of
     * it; and how often the door is told that the process is alive, 0: as often as it suits. */
    int64_t patience_ns;
    int64_t alive_ns;

    void *context;
    /* Called on the thread that serves: before the library is loaded, while the process has no
     * other thread of ours, and again when the driver has been created. They do not fail: what
     * cannot be had is told by `describe_sandbox`, on any thread, whose text lives as long as the
     * serving. */
    void (*confine)(void *context, const struct hy_serve_driver *driver);
    void (*confine_further)(void *context, const struct hy_serve_driver *driver);
    const char *(*describe_sandbox)(void *context);

    /* Takes lines of the process's own, see hy_serve_note; NULL: they go to the client. */
    void (*note)(int32_t level, const char *text);

    /* Where the parent of this process tells of its end, for clients; -1: nowhere. */
    int end_page;

    /* Of a service for many: where clients find it, for words; and where it counts. */
    const char *place;
    struct hy_serve_tally *tally; /* NULL: nobody counts */
};

/*
 * One client, which says what driver is to be opened: talks to it from its first message until it
 * hangs up or breaks the protocol, and frees all that it held. The process has to end soon after
 * the client, whatever the driver does: where a call into the driver does not come back by itself,
 * this function ends the process. Gives the exit status. `control` becomes its own.
 */
int hy_serve(const struct hy_serve *serve);

/*
 * A driver for many clients at once. `control` is a door (door.h): it is told when the driver is
 * open, and hands in a connected socket for each client. Serves until the door hangs up, or there
 * has been no client for so many seconds (0: for ever), and ends the process as above. What users
 * and clients may have is limited (rations.def). Gives the exit status.
 */
int hy_serve_many(const struct hy_serve *serve, const struct hy_serve_driver *driver,
                  uint32_t idle_seconds);

/* One line for the log of the client for whom this thread works (acting.h); else, and where it
 * cannot be sent, as hy_serve_note. From any thread. */
void hy_serve_log(int32_t level, const char *text);

/* One line about the service itself: to `note`, else to the one client there is, else to stderr.
 * From any thread. */
void hy_serve_note(int32_t level, const char *text);

#endif
