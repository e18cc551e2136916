#ifndef HY_RUNTIME_DRIVERS_CRASH_RECORD_H
#define HY_RUNTIME_DRIVERS_CRASH_RECORD_H

#include "runtime/drivers/process_identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The library of a driver as it is now: where any of this differs, it is another build. */
struct hy_driver_build {
    char driver[256];   /* name of the manifest's file, without ".json" */
    char library[1024]; /* path */
    uint64_t device, inode, size;
    int64_t modified_seconds, modified_nanoseconds;
};

/* How a process has ended inside a call. */
enum hy_crash_cause {
    HY_CRASH_UNKNOWN = 0, /* nobody has seen it; the process may also live */
    HY_CRASH_SIGNAL = 1,  /* of this number */
    HY_CRASH_EXIT = 2,    /* with this number as the status */
    HY_CRASH_HANG = 3,    /* it did not come back for this number of seconds, and was killed */
    HY_CRASH_CAUSE_COUNT
};

/*
 * A driver that a process opens, or had opened when it ended. Files have it as it is; only
 * processes of one machine and user share them.
 */
struct hy_crash_record {
    char magic[8];
    uint32_t size;
    uint32_t cause; /* HY_CRASH_* */
    int32_t number;
    uint32_t reserved;
    int64_t time; /* seconds since 1970, when the opening began */
    struct hy_process_identity process;
    struct hy_driver_build build;
    char call[48]; /* function of the driver that was called last; "": none is */
};

/* False: there is no such file, or a name is too long. */
bool hy_driver_build_read(const char *driver, const char *library, struct hy_driver_build *ret);
bool hy_driver_build_is_same(const struct hy_driver_build *a, const struct hy_driver_build *b);

/* A record of an opening that begins, by this process. */
void hy_crash_record_init(struct hy_crash_record *record, const struct hy_process_identity *process,
                          const struct hy_driver_build *build);

/* `*ret` is a whole record. False: the bytes are none. */
bool hy_crash_record_parse(const void *bytes, size_t size, struct hy_crash_record *ret);

/* Whether a fault of the driver raises the signal: SIGSEGV does, SIGKILL does not. */
bool hy_crash_signal_counts(int32_t number);

#endif
