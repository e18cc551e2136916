#ifndef HY_TESTS_WIRE_EXPECTED_H
#define HY_TESTS_WIRE_EXPECTED_H

#include "plugins/service/wire/pack.h"

/* The expected bytes of a body, built in pieces of 8 bytes. */
struct expected {
    uint8_t bytes[1024];
    size_t size;
};

void word(struct expected *expected, uint64_t value);

/* Two 32-bit numbers; the first has the lower address. */
void pair(struct expected *expected, uint32_t first, uint32_t second);
void floats(struct expected *expected, float first, float second);
void number_and_float(struct expected *expected, uint32_t first, float second);
void float_and_number(struct expected *expected, float first, uint32_t second);
void text(struct expected *expected, const char *string);

/* The pool of a token for driver-managed memory. */
void token_pool(struct expected *expected, uint32_t token);

/* Compares the bytes and finishes the pack. */
void expect_bytes(struct hy_pack *pack, const struct expected *expected, const char *what);

#endif
