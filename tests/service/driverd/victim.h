#ifndef HY_TESTS_VICTIM_H
#define HY_TESTS_VICTIM_H

#include <stdbool.h>
#include <sys/types.h>

/* A process of this user's that does nothing, and what it was like before a driver came. */
struct victim {
    pid_t pid;
    char number[16]; /* its pid as text */
    int priority, policy;
};

bool victim_start(struct victim *victim);
bool victim_is_unharmed(const struct victim *victim); /* it lives, and is as quick as before */
void victim_end(struct victim *victim);

#endif
