#ifndef HY_TESTS_CACHING_APART_H
#define HY_TESTS_CACHING_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Parts of a test that run in a process of their own, since a process looks at its environment, its
 * devices and its state folder once. The test program itself never calls the library then.
 */
#define APART_NOT_HERE 77 /* this machine does not let us try */

/* Leaves a part with false, saying where. */
#define APART_CHECK(condition) \
    do { \
        if (!(condition)) \
            return apart_fail(__FILE__, __LINE__, #condition); \
    } while (0)

bool apart_fail(const char *file, int line, const char *condition); /* false */
_Noreturn void apart_give_up(void);                                 /* NOT_HERE */

/* Starts it; the child ends with the test program. */
pid_t apart_start(bool (*part)(void *context), void *context);
/* Waits for it. 0: it was true; NOT_HERE; else it failed, or a signal ended it. */
int apart_end(pid_t child);
int apart_run(bool (*part)(void *context), void *context);

/* Zeroed memory that the test and its parts share, until the program ends. NULL: none. */
void *apart_shared(size_t size);

#endif
