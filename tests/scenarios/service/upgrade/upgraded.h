#ifndef HY_TESTS_SERVICE_UPGRADED_H
#define HY_TESTS_SERVICE_UPGRADED_H

#include "tests/scenarios/service/shared/shared_service.h"

/* A shared service of a driver before and after an upgrade. The manifest acme.json and the library
 * lie in the service's directory, where apps and halyard-driverd find the files by name. */
struct upgraded {
    struct shared_service service;
    char library[96], manifest[96], cache[96], state[96];
    int listening; /* the listening socket with `is_handed`; -1: created by the service */
};

/* Starts the service with a build of the driver. With `is_handed` the test listens and passes the
 * socket, like a service manager. Sets environment variables, so call before any reading of the
 * environment. */
bool upgraded_init(struct upgraded *upgraded, const char *build, bool is_handed);
void upgraded_finish(struct upgraded *upgraded);

/* Replaces the installed build by rename, like an installer. */
bool upgraded_install(struct upgraded *upgraded, const char *build);

bool upgraded_start(struct upgraded *upgraded);
int upgraded_stop(struct upgraded *upgraded); /* the exit status */

/* Waits for a running execution of the driver (build_driver.c). */
bool upgraded_is_executing(const struct upgraded *upgraded);

#endif
