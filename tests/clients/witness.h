#ifndef HY_TESTS_CLIENTS_WITNESS_H
#define HY_TESTS_CLIENTS_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the library that a client found has done for it. It is opened by its own name, also where
 * the client found an older one in front of it, and is the same: it stays in the process once it
 * was opened.
 */
struct hy_witness {
    uint64_t execution_count; /* of all devices, see halyard.h */
    uint64_t operation_count;
};

/* False is a recorded failure: the library is not there, or is none of ours. */
bool hy_witness_ask(struct hy_witness *witness);

#endif
