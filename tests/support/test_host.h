#ifndef HY_TESTS_TEST_HOST_H
#define HY_TESTS_TEST_HOST_H

#include "halyard/driver.h"

/*
 * A host for drivers under test: maps pools of kind HOST, calls parallel tasks one after the other
 * in reverse order (no task may count on another), says it has three threads, keeps quiet.
 */
const struct hy_host *hy_test_host(void);

/* How often its `parallel` has been called. */
uint32_t hy_test_host_parallel_calls(void);

#endif
