#ifndef HY_RUNTIME_DRIVERS_PROCESS_IDENTITY_H
#define HY_RUNTIME_DRIVERS_PROCESS_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#define HY_PROCESS_NAMESPACE_SIZE 64

/* Identifies a process even after its end, when another process may get the process number.
 * Suitable for files. */
struct hy_process_identity {
    int32_t process;
    uint32_t reserved;
    uint64_t start;                           /* clock ticks since boot */
    char position[HY_PROCESS_NAMESPACE_SIZE]; /* boot and process namespace of the number */
};

enum hy_process_state {
    HY_PROCESS_LIVES,
    HY_PROCESS_HAS_ENDED,
    HY_PROCESS_IS_ELSEWHERE, /* another container, machine or boot; not visible from here */
};

/* Reads the identity of this process. False: /proc is unreadable or of another process namespace;
 * only the process number is valid then. */
bool hy_process_identity_read(struct hy_process_identity *ret);

/* `own` is this process. A zombie counts as ended. A process counts as living if its state cannot
 * be read, for example without free descriptors. */
enum hy_process_state hy_process_identity_state(const struct hy_process_identity *identity,
                                                const struct hy_process_identity *own);

#endif
