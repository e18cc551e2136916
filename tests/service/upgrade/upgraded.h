#ifndef HY_TESTS_SERVICE_UPGRADED_H
#define HY_TESTS_SERVICE_UPGRADED_H

#include "service/shared/shared_service.h"

/* A shared service of a driver that is upgraded: its manifest acme.json and its library lie in the
 * folder of the service, where apps and halyard-driverd find them by name. */
struct upgraded {
    struct shared_service service;
    char library[96], manifest[96], cache[96], state[96];
    int listening; /* the socket, where it is handed over; -1: the service makes it */
};

/* With this build; `is_handed` as a service manager has it, which listens itself. Before anything
 * reads the environment, which it sets. */
bool upgraded_init(struct upgraded *upgraded, const char *build, bool is_handed);
void upgraded_finish(struct upgraded *upgraded);

/* Puts the build in the place of the one that is there, as installers do: by rename. */
bool upgraded_install(struct upgraded *upgraded, const char *build);

bool upgraded_start(struct upgraded *upgraded);
int upgraded_stop(struct upgraded *upgraded); /* the exit status */

/* Waits until the driver is in the middle of an execution (build_driver.c). */
bool upgraded_is_executing(const struct upgraded *upgraded);

#endif
