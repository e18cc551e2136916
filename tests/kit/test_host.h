#ifndef HY_TESTS_TEST_HOST_H
#define HY_TESTS_TEST_HOST_H

#include "halyard/driver.h"

/*
 * A host for driver tests. Maps pools of kind HOST and logs nothing. Runs parallel tasks
 * sequentially in reverse order, since no task may depend on another, and reports three threads.
 */
const struct hy_host *hy_test_host(void);

/* Number of `parallel` calls of the host. */
uint32_t hy_test_host_parallel_calls(void);

#endif
