#ifndef HY_RUNTIME_SUPPORT_LIBRARY_OBSERVER_H
#define HY_RUNTIME_SUPPORT_LIBRARY_OBSERVER_H

#include "runtime/compile/observer.h"

/* The observer of the app's compilations: calls the diagnostics callbacks and writes the reports of
 * HALYARD_REPORT. */
extern const struct hy_observer hy_app_observer;

#endif
