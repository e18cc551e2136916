#ifndef HY_SERVICE_WIRE_SESSION_H
#define HY_SERVICE_WIRE_SESSION_H

#include "plugins/service/wire/pack.h"

#include <stdint.h>

/* Bodies about the connection as a whole: HELLO, OPEN, CHANNEL, LOG, BYE. */

/* HELLO, the same both ways. The reader fails when the versions of the protocol differ. */
struct hy_hello {
    uint32_t abi;  /* HY_DRIVER_ABI */
    int32_t pid;   /* of the sender, as it sees itself */
    int32_t pidfd; /* of the sender: borrowed; -1: none */
};

void hy_hello_pack(struct hy_pack *out, const struct hy_hello *hello);
void hy_hello_unpack(struct hy_unpack *in, struct hy_hello *hello);

/* OPEN: which driver to load, and what it may have. */
struct hy_opening {
    const char *library;   /* absolute path; "": the built-in driver */
    const char *arguments; /* of the manifest, as JSON text */
    const char *const *device_files;
    uint32_t device_file_count;
    uint32_t manifest_kind; /* enum hy_manifest_kind: what the library is */
    uint32_t capabilities;  /* enum hy_manifest_capability: bits */
};

void hy_opening_pack(struct hy_pack *out, const struct hy_opening *opening);
void hy_opening_unpack(struct hy_unpack *in, struct hy_opening *opening);

/* The answer to OPEN. */
struct hy_opened {
    const char *driver;  /* hy_driver.name */
    const char *sandbox; /* what confines the host: "seccomp+landlock 7", "none: reason" */
    uint32_t abi;        /* hy_driver.abi */
    uint32_t device_count;
};

void hy_opened_pack(struct hy_pack *out, const struct hy_opened *opened);
void hy_opened_unpack(struct hy_unpack *in, struct hy_opened *opened);

/* CHANNEL: one end of a socket pair. */
void hy_channel_pack(struct hy_pack *out, int fd);
void hy_channel_unpack(struct hy_unpack *in, int *fd);

/* LOG: one line of the driver's or the host's. */
void hy_log_line_pack(struct hy_pack *out, int32_t level, const char *text);
void hy_log_line_unpack(struct hy_unpack *in, int32_t *level, const char **text);

/* BYE: why the host ends. */
void hy_farewell_pack(struct hy_pack *out, const char *text);
void hy_farewell_unpack(struct hy_unpack *in, const char **text);

/* Deadlines of calls that have nothing else to say: WAIT, REUSABLE_EXECUTE. */
void hy_deadline_pack(struct hy_pack *out, int64_t deadline);
void hy_deadline_unpack(struct hy_unpack *in, int64_t *deadline);

#endif
