#ifndef HY_TESTS_UNIT_LIBHALYARD_SESSION_NETWORKS_H
#define HY_TESTS_UNIT_LIBHALYARD_SESSION_NETWORKS_H

#include <halyard/session.h>

#include <stdbool.h>
#include <stdint.h>

/* Networks for tests of sessions, made in memory. */
struct test_network {
    uint8_t *bytes;
    size_t length;
    struct halyard_network *network;
};

/* float32[1,2]: sum = a + b. The first extent is unknown in the file's shape signature. */
bool test_network_sum(struct test_network *out);

/* Two independent outputs: `first` = RELU(x) of float32[1,4], and `last`, a slow product of two
 * matrices of `extent` x `extent`. Input 0 is x, inputs 1 and 2 are the matrices. */
bool test_network_long(int32_t extent, struct test_network *out);

/* int64[2]: sum = a + b. */
bool test_network_wide(struct test_network *out);

/* float32[3,2]: rows of an eight-row table, selected by int32[3]. */
bool test_network_lookup(struct test_network *out);

/* int32, as the file says: ONE_HOT of an index alone, so that the real extent is input 1. */
bool test_network_one_hot(struct test_network *out);

/* int32: count = 0; while (count < limit) count += 1. */
bool test_network_loop(struct test_network *out);

/* float32[2] with two signatures. "accumulate" adds "addend" to a variable and returns the "total";
 * the variable starts as 1, 2. "double" adds x to itself. */
bool test_network_signatures(struct test_network *out);

/* A network with the unknown operator "CUSTOM Strange". */
bool test_network_custom(struct test_network *out);

void test_network_close(struct test_network *network); /* accepts an empty struct */

/* The path of a file of examples/digits. */
void digits_path(char *path, size_t size, const char *file);

/* Opens the digits network of the project. On failure records a test failure and returns false. */
bool open_digits(struct halyard_network **network);

#endif
