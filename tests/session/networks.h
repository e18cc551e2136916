#ifndef HY_TESTS_SESSION_NETWORKS_H
#define HY_TESTS_SESSION_NETWORKS_H

#include <halyard/session.h>

#include <stdbool.h>
#include <stdint.h>

/* Networks for tests of sessions, made in memory. */
struct test_network {
    uint8_t *bytes;
    size_t length;
    struct halyard_network *network;
};

/* float32[1,2]: sum = a + b. The first extent is open in the file's shape signature. */
bool test_network_sum(struct test_network *out);

/* Outputs `first` = RELU(x) of float32[1,4], and at once `last`, the product of two matrices of
 * `extent` x `extent`, which takes long: input 0 is x, 1 and 2 are the matrices. */
bool test_network_long(int32_t extent, struct test_network *out);

/* int64[2]: sum = a + b. */
bool test_network_wide(struct test_network *out);

/* float32[3,2]: the rows of a table of eight that int32[3] names. */
bool test_network_lookup(struct test_network *out);

/* int32, as the file says: ONE_HOT of an index alone, so that the real extent is input 1. */
bool test_network_one_hot(struct test_network *out);

/* int32: count = 0; while (count < limit) count += 1. */
bool test_network_loop(struct test_network *out);

/* float32[2], two signatures: "accumulate" adds "addend" to a variable that begins as 1, 2 and
 * gives the "total"; "double" adds x to itself. */
bool test_network_signatures(struct test_network *out);

/* An operator that nobody knows: "CUSTOM Strange". */
bool test_network_custom(struct test_network *out);

void test_network_close(struct test_network *network); /* takes one that was not made */

/* The path of a file of examples/digits. */
void digits_path(char *path, size_t size, const char *file);

/* The digits network of the project; false is a recorded failure. */
bool open_digits(struct halyard_network **network);

#endif
