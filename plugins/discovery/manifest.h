#ifndef HY_PLUGINS_DISCOVERY_MANIFEST_H
#define HY_PLUGINS_DISCOVERY_MANIFEST_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

#define HY_MANIFEST_MAX_BYTES        65536u
#define HY_MANIFEST_MAX_DEPTH        16u  /* nesting of arrays and objects */
#define HY_MANIFEST_MAX_TEXT         255u /* bytes of name and description */
#define HY_MANIFEST_MAX_PATH         4095u
#define HY_MANIFEST_MAX_SOCKET       107u /* bytes of the path of a socket */
#define HY_MANIFEST_MAX_DEVICE_FILES 64u

/* The kind of library. */
enum hy_manifest_kind {
    HY_MANIFEST_IN_PROCESS, /* a driver, in this process */
    HY_MANIFEST_NNAPI_SL,   /* a support library of the Neural Networks API, in this process */
};

/* Capabilities of root that a driver in a service process run by root may keep: bits. */
enum hy_manifest_capability {
    HY_MANIFEST_IPC_LOCK = 1, /* CAP_IPC_LOCK: any amount of locked memory */
    HY_MANIFEST_SYS_NICE = 2, /* CAP_SYS_NICE: real-time threads and high priorities */
    HY_MANIFEST_CAPABILITIES = 3,
};

/* A parsed and checked manifest. docs/manifest.md specifies the format. */
struct hy_manifest {
    char *library_path; /* as written; hy_manifest_library resolves the path */
    char *arguments;    /* compact JSON with sorted keys, so equal arguments are equal texts */
    char *name;         /* for people; "" if left out */
    char *description;  /* for people; "" if left out */
    enum hy_manifest_kind kind;
    int32_t priority;
    uint32_t abi;      /* of the driver; a support library without one gets the host's */
    bool isolate;      /* the driver asks for a process of its own */
    char *socket;      /* absolute path of the shared service's socket; "": no shared service */
    char *socket_user; /* user, besides root and the app's user, who may run the shared service; "":
                          no further user */
    uint32_t capabilities; /* HY_MANIFEST_IPC_LOCK, ...: bits requested for a service process */
    uint32_t device_file_count;
    char **device_files; /* absolute paths that the service process may open; NULL if none */
};

/*
 * Parses the text of a manifest. Unknown members are ignored; the host's log gets a warning with
 * `path` and the most similar known member. Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_manifest_parse(const char *text, size_t length, const char *path,
                                             const struct hy_host *host, struct hy_manifest *out,
                                             struct hy_error *err);

/*
 * Reads and parses a manifest file. Symbolic links are followed; the target must be a regular file
 * of at most HY_MANIFEST_MAX_BYTES. Errors: HY_BAD_DATA, HY_FAILED (the file cannot be read),
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_manifest_read(const char *path, const struct hy_host *host,
                                            struct hy_manifest *out, struct hy_error *err);

/* Frees the members. Accepts NULL and zeroed manifests. */
void hy_manifest_finish(struct hy_manifest *manifest);

/*
 * Resolves the path of the library: library_path itself if absolute; relative to the manifest's
 * directory if library_path contains a '/'; otherwise inside `plugin_dir` (absolute, or NULL).
 * `manifest_path` is absolute. Neither the working directory nor the search path of dlopen is used.
 * The caller frees `*out`.
 */
HY_MUST_CHECK enum hy_code hy_manifest_library(const struct hy_manifest *manifest,
                                               const char *manifest_path, const char *plugin_dir,
                                               char **out, struct hy_error *err);

#endif
