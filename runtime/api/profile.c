/* halyard.h: times measured on the devices of this machine. */
#include "halyard/halyard.h"
#include "runtime/compile/compilation.h"
#include "runtime/handle/device_check.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"
#include "runtime/plan/cost/record.h"
#include "runtime/profile/profiles.h"
#include "runtime/state_dir.h"

#include <stdio.h>
#include <stdlib.h>

struct halyard_profile {
    const struct hy_runtime_device *device;
    struct hy_profile_file file; /* with one record */
    char *path;                  /* path of the last store */
};

int halyard_profile_create(const ANeuralNetworksDevice *device, struct halyard_profile **ret)
{
    static const char name[] = "profile_create";
    struct hy_error err;

    if (!ret)
        return hy_api_null(name, "profile");
    *ret = NULL;
    const int known = hy_api_check_device(name, device);
    if (known != ANEURALNETWORKS_NO_ERROR)
        return known;

    struct halyard_profile *profile = calloc(1, sizeof *profile);
    if (!profile)
        return hy_api_result(name, hy_fail(&err, HY_OUT_OF_MEMORY, "profile"), &err);
    profile->device = hy_device_of(device);
    enum hy_code code = hy_profiles_begin(profile->device, &profile->file, &err);
    if (code == HY_OK)
        *ret = profile;
    else
        halyard_profile_free(profile);
    return hy_api_result(name, code, &err);
}

void halyard_profile_free(struct halyard_profile *profile)
{
    if (!profile)
        return;
    hy_profile_file_finish(&profile->file);
    free(profile->path);
    free(profile);
}

int halyard_profile_set_launch(struct halyard_profile *profile, uint64_t ns)
{
    static const char name[] = "profile_set_launch";
    struct hy_error err;

    if (!profile)
        return hy_api_null(name, "profile");
    return hy_api_result(
        name, hy_profile_set_launch(&profile->file.records[0].profile, (double)ns, &err), &err);
}

static enum hy_code add(struct halyard_profile *profile, const struct hy_plan *plan,
                        uint32_t number, uint64_t ns, struct hy_error *err)
{
    if (number > = plan->support_matrix.operation_count)
        return hy_fail(err, HY_BAD_DATA, "operation %u does not exist, the model has %u", number,
                       plan->support_matrix.operation_count);
    const uint32_t operation = plan->index_of[number];
    const struct hy_runtime_device *device = plan->steps[plan->step_of[operation]].device;
    if (device != profile->device)
        return hy_fail(err, HY_BAD_DATA, "operation %u runs on %s, the profile is for %s", number,
                       device->info.name, profile->device->info.name);
    return hy_plan_record(plan, operation, (double)ns, &profile->file.records[0].profile, err);
}

int halyard_profile_add(struct halyard_profile *profile, const ANeuralNetworksCompilation *handle,
                        uint32_t operation, uint64_t ns)
{
    static const char name[] = "profile_add";
    const struct hy_compilation *own = hy_compilation_of(handle);
    struct hy_error err;

    if (!profile)
        return hy_api_null(name, "profile");
    if (!own)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_compilation_check_finished(own, &err);
    if (code == HY_OK)
        code = add(profile, own->plan, operation, ns, &err);
    return hy_api_result(name, code, &err);
}

static enum hy_code save(struct halyard_profile *profile, struct hy_error *err)
{
    const struct hy_environment *environment = hy_environment();
    char *dir = NULL, *path = NULL;
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");

    enum hy_code code = hy_state_dir_make(environment, hy_state_parents, &dir, err);
    if (code == HY_OK)
        code = hy_profile_file_update(dir, &profile->file.records[0], err);
    if (code == HY_OK && asprintf(&path, "%s/%s", dir, HY_PROFILE_FILE_NAME) < 0)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "path of the profile");
    free(dir);
    if (code != HY_OK)
        return code;
    free(profile->path);
    profile->path = path;
    return HY_OK;
}

int halyard_profile_save(struct halyard_profile *profile, const char **path)
{
    static const char name[] = "profile_save";
    struct hy_error err;

    if (!profile)
        return hy_api_null(name, "profile");
    enum hy_code code = save(profile, &err);
    if (code == HY_OK && path)
        *path = profile->path;
    return hy_api_result(name, code, &err);
}
