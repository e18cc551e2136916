#ifndef HY_TESTS_SESSION_APP_H
#define HY_TESTS_SESSION_APP_H

#include "halyard/driver.h"
#include "plugins/service/client/service.h"

/*
 * Plays an app with a service: models, executions of each kind, buffers, bursts, caches. The app
 * accepts any reply and continues with the remaining objects. Each run is deterministic.
 */
enum { SESSION_APPS = 10 };

/* App number `index` < SESSION_APPS. */
void session_app_run(struct hy_service *service, unsigned index);

/* The host of an app. Its cache files are new memfds, and its locks are always free. */
const struct hy_host *session_app_host(void);

#endif
