#ifndef HY_TESTS_ATTACKS_LIVE_H
#define HY_TESTS_ATTACKS_LIVE_H

#include "bystander.h"
#include "plugins/service/wire/session.h"
#include "service/shared/shared_service.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Services under attack, as processes of their own: halyard-driverd with halyard-cpu or with the
 * sample driver, shared by the attacker and by a bystander, or private to the attacker. Where this
 * process is root's the attacker is another user. Whatever does not hold ends the program with a
 * line on stderr and without a process left behind.
 */
enum live_driver { LIVE_CPU, LIVE_SAMPLE, LIVE_DRIVERS };

/* Starts the shared services that are not there yet, with a bystander each; they end with the
 * program, and their logs must be free of reports of sanitizers then. */
void live_start(enum live_driver driver);

/* What OPEN has to say. */
const struct hy_opening *live_opening(enum live_driver driver);
const char *live_socket(enum live_driver driver);

/* A connection of the attacker's. */
int live_connect(enum live_driver driver);

/* From here on this thread makes its connections as the attacker, or as before. */
void live_be_attacker(bool is_attacker);

/* The same for a private service, which must have ended by live_await_private: in a bounded time,
 * and by itself. */
int live_start_private(void);
void live_await_private(void);

/* Nobody attacks: what the service holds is noted. */
void live_note_rest(enum live_driver driver);

/* Nobody attacks any more: the same process is there, holds no more than was noted, lets the
 * attacker's user have as much as before, and the bystander is served. */
void live_expect_rest(enum live_driver driver);

/* Ends the program: "NAME: what did not hold". */
void live_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
