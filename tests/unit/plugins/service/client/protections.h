#ifndef HY_TESTS_SERVICE_PROTECTIONS_H
#define HY_TESTS_SERVICE_PROTECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Tests file memory with each protection in each role, through the public API. Failures are
 * recorded with the names of the devices.
 */

/* Compiles a model for the given devices only and runs the model in each way. The constant, the
 * input and the outputs lie in memory with every allowed protection. An operation reads an output
 * again; with `is_split` in a second step on the second device, since the sample driver refuses the
 * operation. */
void protections_compute(const char *const *names, uint32_t count, bool is_split);

/* Expects a refusal if the protection does not allow the role, at the setting of the argument or
 * constant. */
void protections_refused(const char *name);

/* Copies between files, and between files and memory from descriptors. */
void protections_copy(const char *name);

#endif
