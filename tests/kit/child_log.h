#ifndef HY_TESTS_KIT_CHILD_LOG_H
#define HY_TESTS_KIT_CHILD_LOG_H

#include <stddef.h>

/*
 * Calls `act` in a child process with the given HALYARD_LOG and HALYARD_LOG_FORMAT, since a process
 * reads the variables only once. `text` receives up to `size` - 1 bytes of the child's standard
 * error. An abnormal end of the child is recorded as a test failure.
 */
void hy_child_log(const char *setting, const char *format, void (*act)(void), char *text,
                  size_t size);

#endif
