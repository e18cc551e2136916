#ifndef HY_TESTS_CACHING_APART_H
#define HY_TESTS_CACHING_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Runs parts of a test in child processes, since a process reads its environment, devices and state
 * directory only once. The test program itself must never call the library.
 */
#define APART_NOT_HERE 77 /* the machine does not permit the test */

/* Returns false from a part and prints the location. */
#define APART_CHECK(condition) \
    do { \
        if (!(condition)) \
            return apart_fail(__FILE__, __LINE__, #condition); \
    } while (0)

bool apart_fail(const char *file, int line, const char *condition); /* returns false */
_Noreturn void apart_give_up(void);                                 /* exits with APART_NOT_HERE */

/* Starts a child process. The kernel kills the child when the test program ends. */
pid_t apart_start(bool (*part)(void *context), void *context);
/* Waits for a child. Returns 0 for success, APART_NOT_HERE, or another value for a failure or a
 * signal. */
int apart_end(pid_t child);
int apart_run(bool (*part)(void *context), void *context);

/* Zeroed memory shared by the test and its parts until the program ends. NULL if out of memory. */
void *apart_shared(size_t size);

#endif
