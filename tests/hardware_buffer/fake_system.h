#ifndef HY_TESTS_HARDWARE_BUFFER_FAKE_SYSTEM_H
#define HY_TESTS_HARDWARE_BUFFER_FAKE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A machine with devices that make dma-bufs, for machines that have none: a dma-buf is anonymous
 * memory here that is written down as one. Uses by the CPU are counted.
 */
enum fake_devices { FAKE_NONE, FAKE_HEAP, FAKE_UDMABUF };

struct fake_counts {
    uint32_t allocations;
    uint32_t starts;
    uint32_t ends;
    uint64_t last_start; /* flags of the last of each */
    uint64_t last_end;
};

/* From now on. Counts are 0 again, and all that was a dma-buf is one no more. */
void fake_system_start(enum fake_devices devices);
void fake_system_stop(void); /* the real one again */

/* The next `count` calls of the devices give the negative of `number`, an errno value. */
void fake_system_fail(int number, uint32_t count);

/* The same for the one that comes after `later` more calls. */
void fake_system_fail_later(int number, uint32_t later);

/* The device makes dma-bufs of so many bytes at most, and says ENOMEM to more; 0: no limit. */
void fake_system_limit(uint64_t bytes);

struct fake_counts fake_system_counts(void);

/* Anonymous memory that counts as a dma-buf. */
int fake_dma_buf(uint64_t bytes);

#endif
