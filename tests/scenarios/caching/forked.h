#ifndef HY_TESTS_SCENARIOS_CACHING_FORKED_H
#define HY_TESTS_SCENARIOS_CACHING_FORKED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Runs parts of a test in child processes, since a process reads its environment, devices and state
 * directory only once. The test program itself must never call the library.
 */
#define FORKED_NOT_HERE 77 /* the machine does not permit the test */

/* Returns false from a part and prints the location. */
#define FORKED_CHECK(condition) \
    do { \
        if (!(condition)) \
            return forked_fail(__FILE__, __LINE__, #condition); \
    } while (0)

bool forked_fail(const char *file, int line, const char *condition); /* returns false */
_Noreturn void forked_give_up(void); /* exits with FORKED_NOT_HERE */

/* Starts a child process. The kernel kills the child when the test program ends. */
pid_t forked_start(bool (*function)(void *context), void *context);
/* Waits for a child. Returns 0 for success, FORKED_NOT_HERE, or another value for a failure or a
 * signal. */
int forked_end(pid_t child);
int forked_run(bool (*function)(void *context), void *context);

/* Zeroed memory shared by the test and its parts until the program ends. NULL if out of memory. */
void *forked_shared(size_t size);

#endif
