#ifndef HY_TESTS_SERVICE_PROTECTIONS_H
#define HY_TESTS_SERVICE_PROTECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Memory of files, made with each protection, in each role, through the public API. The functions
 * record failures, with the names of the devices.
 */

/* Compiles a model for these devices alone and runs it in each way, with its constant, its input
 * and its outputs in memory of each protection that allows the role. An operation reads one of the
 * outputs again; `is_split`: in another step, which the sample driver leaves to the second of two
 * devices. */
void protections_compute(const char *const *names, uint32_t count, bool is_split);

/* The other protections are refused where the memory is given its role. */
void protections_refused(const char *name);

/* Copies between files, and to and from memory that the device may keep. */
void protections_copy(const char *name);

#endif
