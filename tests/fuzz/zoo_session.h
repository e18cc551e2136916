#ifndef HY_TESTS_FUZZ_ZOO_SESSION_H
#define HY_TESTS_FUZZ_ZOO_SESSION_H

#include <stddef.h>
#include <stdint.h>

/* Opens a file through the public library and calls all query functions of the network. Runs a
 * session for each signature whose tensors need at most `run_bytes` bytes, on the named device or,
 * with NULL, on the planner's choice. Any result code is valid. Returns the number of successful
 * runs. */
unsigned hy_zoo_session_try(const uint8_t *bytes, size_t length, uint64_t max_memory,
                            uint64_t run_bytes, const char *device);

#endif
