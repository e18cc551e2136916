#ifndef HY_RUNTIME_DRIVERS_CRASH_RECORD_H
#define HY_RUNTIME_DRIVERS_CRASH_RECORD_H

#include "runtime/drivers/process_identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identifies the build of a driver library. A difference in any member means another build. The
 * device number of the file system is not compared, because containers and reboots change the
 * number. */
struct hy_driver_build {
    char driver[256];   /* file name of the manifest without ".json" */
    char library[1024]; /* path */
    uint64_t inode, size;
    int64_t modified_seconds, modified_nanoseconds;
};

/* The end of a process inside a driver call. `number` depends on the cause. */
enum hy_crash_cause {
    HY_CRASH_UNKNOWN = 0, /* end not observed; the process may still live */
    HY_CRASH_SIGNAL = 1,  /* `number` is the signal */
    HY_CRASH_EXIT = 2,    /* `number` is the exit status */
    HY_CRASH_HANG = 3,    /* killed after `number` ms without a return */
};

/*
 * The driver that a process opens, or was opening at its end. Files hold the bytes of this struct;
 * only processes of one machine and user share the files.
 */
struct hy_crash_record {
    char magic[8];
    uint32_t size;
    uint32_t cause; /* HY_CRASH_* */
    int32_t number;
    uint32_t reserved;
    int64_t time; /* begin of the opening, seconds since 1970 */
    struct hy_process_identity process;
    struct hy_driver_build build;
    char call[48];      /* driver function of the last call; "": none */
    char last_line[96]; /* last output line of the process if observed, or "" */
};

/* False: the file does not exist, or a name is too long. */
bool hy_driver_build_read(const char *driver, const char *library, struct hy_driver_build *ret);
bool hy_driver_build_is_same(const struct hy_driver_build *a, const struct hy_driver_build *b);

/* Initializes a record for an opening by this process. */
void hy_crash_record_init(struct hy_crash_record *record, const struct hy_process_identity *process,
                          const struct hy_driver_build *build);

/* True if the process of the record has ended or counts as ended. A process that cannot be seen
 * from here counts as ended after an hour. `own` is this process. */
bool hy_crash_record_is_orphaned(const struct hy_crash_record *record,
                                 const struct hy_process_identity *own);

/* True also for a record from the future, as after a clock change. */
bool hy_crash_record_is_older(const struct hy_crash_record *record, int64_t seconds);

/* True if the observed end is typical for a driver fault: an exit, SIGSEGV, SIGBUS, SIGABRT, SIGILL
 * or SIGFPE. */
bool hy_crash_record_is_fault(const struct hy_crash_record *record);

/* Parses the bytes of a file. Rejects a record with an observed end that is no fault. False: the
 * bytes are no valid record. */
bool hy_crash_record_parse(const void *bytes, size_t size, struct hy_crash_record *ret);

#endif
