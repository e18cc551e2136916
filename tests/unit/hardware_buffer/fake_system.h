#ifndef HY_TESTS_UNIT_HARDWARE_BUFFER_FAKE_SYSTEM_H
#define HY_TESTS_UNIT_HARDWARE_BUFFER_FAKE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A fake system with devices for dma-bufs, for machines without such devices. A dma-buf is
 * anonymous memory, registered as a dma-buf. Counts allocations and CPU accesses.
 */
enum fake_devices { FAKE_NONE, FAKE_HEAP, FAKE_UDMABUF };

struct fake_counts {
    uint32_t allocations;
    uint32_t starts;
    uint32_t ends;
    uint64_t last_start; /* flags of the latest start and end */
    uint64_t last_end;
};

/* Activates the fake system. Resets the counts and forgets all dma-bufs. */
void fake_system_start(enum fake_devices devices);
void fake_system_stop(void); /* restores the real system */

/* Makes the next `count` device calls fail with -`number`, an errno value. */
void fake_system_fail(int number, uint32_t count);

/* Makes one device call fail after `later` successful calls. */
void fake_system_fail_after(int number, uint32_t later);

/* Limits the size of a dma-buf; larger requests fail with ENOMEM. 0 means no limit. */
void fake_system_limit(uint64_t bytes);

struct fake_counts fake_system_counts(void);

/* Anonymous memory registered as a dma-buf. */
int fake_dma_buf(uint64_t bytes);

#endif
