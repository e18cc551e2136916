#ifndef HY_TESTS_FUZZ_ZOO_SESSION_H
#define HY_TESTS_FUZZ_ZOO_SESSION_H

#include <stddef.h>
#include <stdint.h>

/* Opens a file through the public library, asks all that a network can be asked, and runs a session
 * where the tensors of a run have `run_bytes` at most: on the device of this name, or, where that
 * is NULL, as the planner chooses. Any result code is right. Gives the number of runs that
 * succeeded. */
unsigned hy_zoo_session_try(const uint8_t *bytes, size_t length, uint64_t max_memory,
                            uint64_t run_bytes, const char *device);

#endif
