#ifndef HY_PLUGINS_DISCOVERY_MANIFEST_H
#define HY_PLUGINS_DISCOVERY_MANIFEST_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

#define HY_MANIFEST_MAX_BYTES        65536u
#define HY_MANIFEST_MAX_DEPTH        16u  /* of arrays and objects in one another */
#define HY_MANIFEST_MAX_TEXT         255u /* bytes of name and description */
#define HY_MANIFEST_MAX_PATH         4095u
#define HY_MANIFEST_MAX_SOCKET       107u /* bytes of the path of a socket */
#define HY_MANIFEST_MAX_DEVICE_FILES 64u

/* How the library is used. */
enum hy_manifest_kind {
    HY_MANIFEST_IN_PROCESS, /* a driver, in this process */
    HY_MANIFEST_NNAPI_SL,   /* a support library of the Neural Networks API, in this process */
};

/* What a driver in a process of root's may keep of root's powers: bits. */
enum hy_manifest_capability {
    HY_MANIFEST_IPC_LOCK = 1, /* CAP_IPC_LOCK: any amount of locked memory */
    HY_MANIFEST_SYS_NICE = 2, /* CAP_SYS_NICE: real-time threads and high priorities */
    HY_MANIFEST_CAPABILITIES = 3,
};

/* What a manifest says, checked. Specified in docs/manifest.md. */
struct hy_manifest {
    char *library_path; /* as written: see hy_manifest_library */
    char *arguments;    /* compact JSON with sorted keys, so equal arguments are equal texts */
    char *name;         /* for people; "" if left out */
    char *description;  /* for people; "" if left out */
    enum hy_manifest_kind kind;
    int32_t priority;
    uint32_t abi; /* of the driver; a support library that names none gets the host's */
    bool isolate; /* it asks for a process of its own */
    char *socket; /* absolute path at which a shared service listens that runs it; "": none does */
    char *socket_user;     /* who may run that besides root and the user of the app; "": nobody */
    uint32_t capabilities; /* HY_MANIFEST_IPC_LOCK, ...: asked for, for a process of its own */
    uint32_t device_file_count;
    char **device_files; /* absolute paths that it may open there; NULL if there are none */
};

/*
 * Parses the text of a manifest. Unknown members are ignored, with a warning in the host's log that
 * names `path` and the member that was meant. Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_manifest_parse(const char *text, size_t length, const char *path,
                                             const struct hy_host *host, struct hy_manifest *out,
                                             struct hy_error *err);

/*
 * Reads and parses a manifest file. Symbolic links are followed; what they lead to must be a
 * regular file of at most HY_MANIFEST_MAX_BYTES. Errors: HY_BAD_DATA, HY_FAILED (the file cannot be
 * read), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_manifest_read(const char *path, const struct hy_host *host,
                                            struct hy_manifest *out, struct hy_error *err);

/* NULL and zeroed manifests are fine. */
void hy_manifest_finish(struct hy_manifest *manifest);

/*
 * Where the library is: library_path itself if absolute; below the folder of the manifest if it
 * holds a '/'; else in `plugin_folder` (absolute, or NULL). `manifest_path` is absolute, so the
 * working directory and the search path of dlopen never take part. The caller frees `*out`.
 */
HY_MUST_CHECK enum hy_code hy_manifest_library(const struct hy_manifest *manifest,
                                               const char *manifest_path, const char *plugin_folder,
                                               char **out, struct hy_error *err);

#endif
