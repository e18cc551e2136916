#ifndef HY_TESTS_SCENARIOS_ATTACKS_LIVE_H
#define HY_TESTS_SCENARIOS_ATTACKS_LIVE_H

#include "bystander.h"
#include "plugins/service/wire/session.h"
#include "tests/scenarios/service/shared/shared_service.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Services under attack, each in its own process: halyard-driverd with halyard-cpu or with the
 * sample driver. The attacker shares a service with a bystander, or has a private service. If this
 * process runs as root, the attacker is another user. A failed check kills the services and ends
 * the program with a line on stderr.
 */
enum live_driver { LIVE_CPU, LIVE_SAMPLE, LIVE_DRIVERS };

/* Starts the shared service of the driver with a bystander, unless the service runs already. The
 * service ends with the program. Its log must be free of sanitizer reports. */
void live_start(enum live_driver driver);

/* The contents of OPEN for the driver. */
const struct hy_opening *live_opening(enum live_driver driver);
const char *live_socket(enum live_driver driver);

/* Opens a connection of the attacker; the caller closes the descriptor. */
int live_connect(enum live_driver driver);

/* Chooses the user for later connections of this thread: the attacker or the original user. */
void live_be_attacker(bool is_attacker);

/* Starts a private service and returns the control socket. live_await_private expects the service
 * to exit in bounded time and without a signal. */
int live_start_private(void);
void live_await_private(void);

/* Records the resources of an idle service before an attack. */
void live_note_rest(enum live_driver driver);

/* Call after an attack. Expects the same service process with no more resources than recorded. The
 * attacker's user must have the full quota again, and the bystander must still be served. */
void live_expect_rest(enum live_driver driver);

/* Prints "NAME: what failed" and ends the program. */
void live_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
