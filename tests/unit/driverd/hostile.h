#ifndef HY_TESTS_HOSTILE_H
#define HY_TESTS_HOSTILE_H

/* The entry of the library hostile.c. Runs a deed and returns 0, an errno value, or -1 for an
 * unknown deed. `argument` is a path for deeds with a path. */
typedef int (*hostile_act_fn)(const char *deed, const char *argument);

#define HOSTILE_SYMBOL "hostile_act"

#endif
