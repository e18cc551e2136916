#ifndef HY_TESTS_VICTIM_H
#define HY_TESTS_VICTIM_H

#include <stdbool.h>
#include <sys/types.h>

/* An idle process of the current user, and its state before the deeds of a driver. */
struct victim {
    pid_t pid;
    char number[16]; /* its pid as text */
    int priority, policy;
};

bool victim_start(struct victim *victim);
bool victim_is_unharmed(const struct victim *victim); /* alive, with the same scheduling */
void victim_end(struct victim *victim);

#endif
