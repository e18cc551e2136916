#ifndef HY_SERVICE_WIRE_SESSION_H
#define HY_SERVICE_WIRE_SESSION_H

#include "plugins/service/wire/fields.h"

#include <stdint.h>

/* Bodies for the whole connection: HELLO, OPEN, LOG. */

/* HELLO, with the same body in both directions. The reader fails when the protocol versions
 * differ. */
struct hy_hello {
    uint32_t abi; /* HY_DRIVER_ABI */
    int32_t pid;  /* of the sender, in the sender's PID namespace */
    /* Descriptors of the sender, borrowed; -1: none. */
    int32_t pidfd;
    int32_t end_page; /* plugins/service/process/end_page.h */
};

HY_STRUCT(hello);

/* OPEN: the driver to load, and its permissions. */
struct hy_opening {
    const char *library;   /* absolute path; "": the built-in driver */
    const char *arguments; /* of the manifest, as JSON text */
    const char *const *device_files;
    uint32_t device_file_count;
    uint32_t manifest_kind; /* enum hy_manifest_kind of the library */
    uint32_t capabilities;  /* enum hy_manifest_capability: bits */
};

HY_STRUCT(opening);

/* The reply to OPEN. */
struct hy_opened {
    const char *driver;  /* hy_driver.name */
    const char *sandbox; /* the sandbox of the host: "seccomp+landlock 7", "none: reason" */
    uint32_t abi;        /* hy_driver.abi */
    uint32_t device_count;
};

HY_STRUCT(opened);

/* LOG: a line from the driver or the host. */
struct hy_log_line {
    int32_t level; /* HY_LOG_* */
    const char *text;
};

HY_STRUCT(log_line);

/* The body of WAIT and REUSABLE_EXECUTE. */
struct hy_deadline {
    int64_t at; /* ns of CLOCK_BOOTTIME, or HY_NO_DEADLINE */
};

HY_STRUCT(deadline);

/* The body of CHANNEL is a descriptor: one end of a socket pair. The body of BYE is a text with the
 * reason for the host's end. */
#define HY_WIRE_BYE_HANG_UP 0u
#define HY_WIRE_BYE_END     1u /* a shared service ends after answering all calls received so far */

#endif
