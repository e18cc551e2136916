#ifndef HY_TESTS_WIRE_FUZZED_FRAMES_H
#define HY_TESTS_WIRE_FUZZED_FRAMES_H

#include <stddef.h>
#include <stdint.h>

enum hy_wire_sender { CLIENT, HOST };

/*
 * Datagrams from a hostile peer, sent and received as frames and read as what they say they are. An
 * input is 8 bytes, then header and body. The bytes: how many descriptors go along; 1 where the
 * body goes in a sealed file; 1 where the header goes as it is, else its counts are put right; five
 * that mean nothing.
 */
int hy_wire_fuzz_frame(const uint8_t *data, size_t size, enum hy_wire_sender sender);

/* A real frame, for the caller to free; NULL behind the last. */
uint8_t *hy_wire_fuzz_seed(unsigned index, size_t *length, enum hy_wire_sender sender);

#endif
