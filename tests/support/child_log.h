#ifndef HY_TESTS_SUPPORT_CHILD_LOG_H
#define HY_TESTS_SUPPORT_CHILD_LOG_H

#include <stddef.h>

/*
 * Calls `act` in a child with these values of HALYARD_LOG and HALYARD_LOG_FORMAT, which a process
 * reads once. `text` gets what the child writes to standard error, up to `size` - 1 bytes. A child
 * that does not end well is a recorded failure.
 */
void hy_child_log(const char *setting, const char *format, void (*act)(void), char *text,
                  size_t size);

#endif
