#ifndef HY_RUNTIME_DRIVERS_PROCESS_IDENTITY_H
#define HY_RUNTIME_DRIVERS_PROCESS_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#define HY_PROCESS_PLACE_SIZE 64

/* A process, also after its end: its number goes to another one then. Fit for files. */
struct hy_process_identity {
    int32_t process;
    uint32_t reserved;
    uint64_t start;                    /* clock ticks since the machine was booted */
    char place[HY_PROCESS_PLACE_SIZE]; /* boot and process namespace in which the number counts */
};

enum hy_process_state {
    HY_PROCESS_LIVES,
    HY_PROCESS_HAS_ENDED,
    HY_PROCESS_IS_ELSEWHERE, /* another container, machine or boot: it cannot be seen from here */
};

/* This process. False: /proc does not tell, or is that of another process namespace; then the
 * number alone is right. */
bool hy_process_identity_read(struct hy_process_identity *ret);

/* `own` is this process. A zombie has ended; a process lives that cannot be looked at, say for want
 * of a descriptor. */
enum hy_process_state hy_process_identity_state(const struct hy_process_identity *identity,
                                                const struct hy_process_identity *own);

#endif
