#ifndef HY_TESTS_SCENARIOS_ATTACKS_BYSTANDER_H
#define HY_TESTS_SCENARIOS_ATTACKS_BYSTANDER_H

#include "plugins/service/wire/session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/*
 * An honest client of a service under attack. A thread computes sums over its own connection and
 * checks each sum.
 */
struct bystander {
    const char *socket;
    const struct hy_opening *opening;
    /* the attackers run as the same user and may use up the quota of the user */
    bool may_be_refused;
    void (*fail)(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
    atomic_uint sums; /* right sums so far */
    atomic_bool stops;
    pthread_t thread;
};

/* The caller sets the members above `sums` first. */
bool bystander_start(struct bystander *bystander);
void bystander_stop(struct bystander *bystander);

#endif
