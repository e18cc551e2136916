#ifndef HY_TESTS_SCENARIOS_CLIENTS_WITNESS_H
#define HY_TESTS_SCENARIOS_CLIENTS_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Counters of the library in use by a client. The library is opened by its SONAME, so the counters
 * come from the copy already loaded by the client. A loaded library stays in the process.
 */
struct hy_witness {
    uint64_t execution_count; /* sum over all devices, see halyard.h */
    uint64_t operation_count;
};

/* Returns false after recording a test failure if the library is missing or foreign. */
bool hy_witness_ask(struct hy_witness *witness);

#endif
