#ifndef HY_TESTS_WIRE_FUZZED_FRAMES_H
#define HY_TESTS_WIRE_FUZZED_FRAMES_H

#include <stddef.h>
#include <stdint.h>

enum hy_wire_sender { CLIENT, HOST };

/*
 * Sends and receives datagrams of a hostile peer as frames, and reads the bodies by kind. The input
 * has 8 control bytes, a header and a body. Control byte 0 is the number of descriptors. Byte 1 is
 * 1 for a body in a sealed file. Byte 2 is 1 for an unchanged header; otherwise the counts of the
 * header are corrected. Five bytes are unused.
 */
int hy_wire_fuzz_frame(const uint8_t *data, size_t size, enum hy_wire_sender sender);

/* A real frame, freed by the caller; NULL behind the last. */
uint8_t *hy_wire_fuzz_seed(unsigned index, size_t *length, enum hy_wire_sender sender);

#endif
