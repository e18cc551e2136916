#ifndef HY_PLUGINS_SETTINGS_CHECK_H
#define HY_PLUGINS_SETTINGS_CHECK_H

#include "plugins/discovery/discovery.h"
#include "plugins/discovery/refusal_list.h"
#include "plugins/discovery/unmatched.h"

/*
 * Adds a refusal for each name in HALYARD_ISOLATE, _SERVICE_SOCKETS, _DRIVERS_SELECT or
 * _DRIVERS_DISABLE that matches no driver: the setting has no effect, and the user must learn of
 * the mistake. The refusal has the variable's name instead of a manifest path. `manifests` holds
 * the names of all manifests found, `devices` the names of all devices opened. Fails only with
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_settings_check(const struct hy_discovery *discovery,
                                             struct hy_name_list *manifests,
                                             const struct hy_name_list *devices,
                                             struct hy_refusal_list *refusals,
                                             struct hy_error *err);

#endif
