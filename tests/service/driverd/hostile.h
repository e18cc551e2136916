#ifndef HY_TESTS_HOSTILE_H
#define HY_TESTS_HOSTILE_H

/* What the library hostile.c does when asked: 0 if it could, else the errno. `argument` is a path
 * where the deed is about one. -1: it knows no such deed. */
typedef int (*hostile_act_fn)(const char *deed, const char *argument);

#define HOSTILE_SYMBOL "hostile_act"

#endif
