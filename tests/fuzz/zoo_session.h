#ifndef HY_TESTS_FUZZ_ZOO_SESSION_H
#define HY_TESTS_FUZZ_ZOO_SESSION_H

#include <stddef.h>
#include <stdint.h>

/* Opens a file through the public library, asks all that a network can be asked, and, where
 * `run_bytes` are enough for a run, runs a session. Any result code is right. */
void hy_zoo_session_try(const uint8_t *bytes, size_t length, uint64_t max_memory,
                        uint64_t run_bytes);

#endif
