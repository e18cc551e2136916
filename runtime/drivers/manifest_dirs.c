#include "runtime/drivers/manifest_dirs.h"

#include "plugins/discovery/discovery.h"
#include "runtime/environment.h"

enum hy_code hy_manifest_dirs_create(char ***ret, struct hy_error *err)
{
    const struct hy_environment *environment = hy_environment();
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");

    const struct hy_discovery_environment from = {
        .xdg_config_home = environment->xdg_config_home,
        .xdg_config_dirs = environment->xdg_config_dirs,
        .xdg_data_home = environment->xdg_data_home,
        .xdg_data_dirs = environment->xdg_data_dirs,
        .home = environment->home,
        .sysconf_dir = HALYARD_SYSCONF_DIR,
        .data_dir = HALYARD_DATA_DIR,
    };
    return hy_discovery_dirs_create(&from, ret, err);
}
