#ifndef HY_TESTS_ATTACKS_BYSTANDER_H
#define HY_TESTS_ATTACKS_BYSTANDER_H

#include "plugins/service/wire/session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/*
 * A client that does nothing wrong while others attack its service: a thread that computes sums,
 * one after the other, over a connection of its own, and looks at each.
 */
struct bystander {
    const char *socket;
    const struct hy_opening *opening;
    bool may_be_refused; /* attackers are of the same user, and take what the user may have */
    void (*fail)(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
    atomic_uint sums; /* that were right */
    atomic_bool stops;
    pthread_t thread;
};

/* The members above `sums` are set before. */
bool bystander_start(struct bystander *bystander);
void bystander_stop(struct bystander *bystander);

#endif
