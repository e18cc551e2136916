#ifndef HY_RUNTIME_DRIVERS_CRASH_RECORD_H
#define HY_RUNTIME_DRIVERS_CRASH_RECORD_H

#include "runtime/drivers/process_identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The library of a driver as it is now: where any of this differs, it is another build. The number
 * of its file system does not count: containers and boots change it. */
struct hy_driver_build {
    char driver[256];   /* name of the manifest's file, without ".json" */
    char library[1024]; /* path */
    uint64_t inode, size;
    int64_t modified_seconds, modified_nanoseconds;
};

/* How a process has ended inside a call. */
enum hy_crash_cause {
    HY_CRASH_UNKNOWN = 0, /* nobody has seen it; the process may also live */
    HY_CRASH_SIGNAL = 1,  /* of this number */
    HY_CRASH_EXIT = 2,    /* with this number as the status */
    HY_CRASH_HANG = 3,    /* it did not come back for this number of ms, and was killed */
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
    char call[48];  /* function of the driver that was called last; "": none is */
    char words[96]; /* the last line that the process wrote, where somebody has seen it; or "" */
};

/* False: there is no such file, or a name does not fit. */
bool hy_driver_build_read(const char *driver, const char *library, struct hy_driver_build *ret);
bool hy_driver_build_is_same(const struct hy_driver_build *a, const struct hy_driver_build *b);

/* A record of an opening that begins, by this process. */
void hy_crash_record_init(struct hy_crash_record *record, const struct hy_process_identity *process,
                          const struct hy_driver_build *build);

/* Whether its process has ended, or has to be taken for ended: an opening that cannot be seen from
 * here may take an hour. `own` is this process. */
bool hy_crash_record_is_left_behind(const struct hy_crash_record *record,
                                    const struct hy_process_identity *own);

/* True also for a record of the future: somebody has set the clock back. */
bool hy_crash_record_is_older(const struct hy_crash_record *record, int64_t seconds);

/* Whether the end of the process, if somebody has seen it, is one that a driver's fault brings
 * about: an exit, SIGSEGV, SIGBUS, SIGABRT, SIGILL or SIGFPE. */
bool hy_crash_record_is_fault(const struct hy_crash_record *record);

/* `*ret` is a whole record of a file: an end that somebody has seen is a fault. False: the bytes
 * are none. */
bool hy_crash_record_parse(const void *bytes, size_t size, struct hy_crash_record *ret);

#endif
