#include "runtime/profile/profiles.h"

#include "runtime/log.h"
#include "runtime/profile/cpu_identity.h"

#include <string.h>

static const char *build_id_of(const struct hy_runtime_device *device)
{
    return device->info.build_id ? device->info.build_id : "";
}

/* The difference to the measured build; NULL: none. */
static const char *find_change(const struct hy_profile_record *record,
                               const struct hy_runtime_device *device, const char *cpu)
{
    if (strcmp(record->version, device->info.version) != 0)
        return "version of the driver";
    if (strcmp(record->build_id, build_id_of(device)) != 0)
        return "build of the driver";
    return strcmp(record->cpu, cpu) != 0 ? "processor" : NULL;
}

static void attach(const struct hy_profile_file *file, struct hy_runtime_device *device,
                   const char *cpu)
{
    const struct hy_profile_record *record = hy_profile_file_find(file, device->info.name);
    if (!record)
        return;

    const char *change = find_change(record, device, cpu);
    if (!change)
        device->profile = &record->profile;
    else
        hy_log(HY_LOG_WARNING, "profile",
               "the measured times of %s are for another %s and are not used; measure again with "
               "halyard bench --profile",
               device->info.name, change);
}

enum hy_code hy_profiles_attach(const char *dir, struct hy_profile_file *file,
                                struct hy_runtime_device *devices, uint32_t count,
                                struct hy_error *err)
{
    char cpu[HY_CPU_IDENTITY_SIZE];
    struct hy_error why;

    enum hy_code code = hy_profile_file_read(dir, file, &why);
    if (code == HY_OUT_OF_MEMORY)
        return hy_fail(err, code, "%s", why.text);
    if (code != HY_OK)
        hy_log(HY_LOG_WARNING, "profile", "measured times are ignored: %s", why.text);
    if (file->count > 0)
        hy_cpu_identity(cpu);
    for (uint32_t i = 0; file->count > 0 && i < count; i++)
        attach(file, &devices[i], cpu);
    return HY_OK;
}

enum hy_code hy_profiles_begin(const struct hy_runtime_device *device, struct hy_profile_file *ret,
                               struct hy_error *err)
{
    char cpu[HY_CPU_IDENTITY_SIZE];
    struct hy_profile_record *record;

    hy_cpu_identity(cpu);
    enum hy_code code = hy_profile_file_put(ret, device->info.name, device->info.version,
                                            build_id_of(device), cpu, &record, err);
    if (code != HY_OK || !device->profile)
        return code;
    return hy_profile_copy(&record->profile, device->profile, err);
}
