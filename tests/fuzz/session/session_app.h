#ifndef HY_TESTS_SESSION_APP_H
#define HY_TESTS_SESSION_APP_H

#include "halyard/driver.h"
#include "plugins/service/client/service.h"

/*
 * What apps have a service do: models, executions of each kind, buffers, bursts, caches. It takes
 * any answer, and goes on with what it has. Runs the same way each time.
 */
enum { SESSION_APPS = 10 };

/* App number `index` < SESSION_APPS. */
void session_app_run(struct hy_service *service, unsigned index);

/* The host of such an app: new memfds are its cache files, locks are always free. */
const struct hy_host *session_app_host(void);

#endif
