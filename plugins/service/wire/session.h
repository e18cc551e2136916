#ifndef HY_SERVICE_WIRE_SESSION_H
#define HY_SERVICE_WIRE_SESSION_H

#include "plugins/service/wire/fields.h"

#include <stdint.h>

/* Bodies about the connection as a whole: HELLO, OPEN, LOG. */

/* HELLO, the same both ways. The reader fails when the versions of the protocol differ. */
struct hy_hello {
    uint32_t abi; /* HY_DRIVER_ABI */
    int32_t pid;  /* of the sender, as it sees itself */
    /* Of the sender: borrowed; -1: none. */
    int32_t pidfd;
    int32_t end_page; /* plugins/service/process/end_page.h */
};

HY_STRUCT(hello);

/* OPEN: which driver to load, and what it may have. */
struct hy_opening {
    const char *library;   /* absolute path; "": the built-in driver */
    const char *arguments; /* of the manifest, as JSON text */
    const char *const *device_files;
    uint32_t device_file_count;
    uint32_t manifest_kind; /* enum hy_manifest_kind: what the library is */
    uint32_t capabilities;  /* enum hy_manifest_capability: bits */
};

HY_STRUCT(opening);

/* The answer to OPEN. */
struct hy_opened {
    const char *driver;  /* hy_driver.name */
    const char *sandbox; /* what confines the host: "seccomp+landlock 7", "none: reason" */
    uint32_t abi;        /* hy_driver.abi */
    uint32_t device_count;
};

HY_STRUCT(opened);

/* LOG: one line of the driver's or the host's. */
struct hy_log_line {
    int32_t level; /* HY_LOG_* */
    const char *text;
};

HY_STRUCT(log_line);

/* WAIT, REUSABLE_EXECUTE. */
struct hy_deadline {
    int64_t at; /* ns of CLOCK_BOOTTIME, or HY_NO_DEADLINE */
};

HY_STRUCT(deadline);

/* CHANNEL is a descriptor: one end of a socket pair. BYE is a text: why the host ends. */
#define HY_WIRE_BYE_HANG_UP 0u
#define HY_WIRE_BYE_END     1u /* a shared service, which answers the calls that it has first */

#endif
