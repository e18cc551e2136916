#include "environment.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct hy_environment environment;

/* Copied, because the app may change its environment while we still look at it. */
static const char *kept(const char *value)
{
    return value && *value ? strdup(value) : NULL;
}

static const char *path(const char *name)
{
    return kept(secure_getenv(name));
}

static void read_all(void)
{
    environment.log = kept(getenv("HALYARD_LOG"));
    environment.drivers_select = kept(getenv("HALYARD_DRIVERS_SELECT"));
    environment.drivers_disable = kept(getenv("HALYARD_DRIVERS_DISABLE"));
    environment.driver_files = path("HALYARD_DRIVER_FILES");
    environment.add_driver_files = path("HALYARD_ADD_DRIVER_FILES");
    environment.home = path("HOME");
    environment.xdg_config_home = path("XDG_CONFIG_HOME");
    environment.xdg_data_home = path("XDG_DATA_HOME");
}

const struct hy_environment *hy_environment(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_all);
    return &environment;
}
