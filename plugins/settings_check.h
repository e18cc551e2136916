#ifndef HY_PLUGINS_SETTINGS_CHECK_H
#define HY_PLUGINS_SETTINGS_CHECK_H

#include "plugins/discovery/discovery.h"
#include "plugins/discovery/refusal_list.h"
#include "plugins/discovery/unmatched.h"

/*
 * Settings that name a driver which is not there do nothing, and who relies on such a setting has
 * to know: HALYARD_ISOLATE, _SERVICE_SOCKETS, _DRIVERS_SELECT and _DRIVERS_DISABLE become refusals,
 * one for each name without a match, with the variable in the place of the manifest. `manifests`
 * are the names of all that were found, `devices` those of all that were opened. Fails only with
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_settings_check(const struct hy_discovery *discovery,
                                             struct hy_name_list *manifests,
                                             const struct hy_name_list *devices,
                                             struct hy_refusal_list *refusals,
                                             struct hy_error *err);

#endif
