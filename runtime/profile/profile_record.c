/* The records of a profile file, in memory. */
#include "runtime/profile/profile_file.h"

#include "common/array.h"

#include <stdlib.h>
#include <string.h>

static void finish_record(struct hy_profile_record *record)
{
    free(record->device);
    free(record->version);
    free(record->build_id);
    free(record->cpu);
    hy_profile_finish(&record->profile);
    *record = (struct hy_profile_record){0};
}

void hy_profile_file_finish(struct hy_profile_file *file)
{
    for (uint32_t i = 0; i < file->count; i++)
        finish_record(&file->records[i]);
    free(file->records);
    *file = (struct hy_profile_file){0};
}

struct hy_profile_record *hy_profile_file_find(const struct hy_profile_file *file,
                                               const char *device)
{
    for (uint32_t i = 0; i < file->count; i++) {
        if (strcmp(file->records[i].device, device) == 0)
            return &file->records[i];
    }
    return NULL;
}

static enum hy_code copy_text(const char *what, const char *text, char **ret, struct hy_error *err)
{
    const size_t length = strlen(text);
    if (length > HY_PROFILE_FILE_MAX_TEXT)
        return hy_fail(err, HY_BAD_DATA, "%s has %zu bytes, at most %u are allowed", what, length,
                       HY_PROFILE_FILE_MAX_TEXT);
    *ret = strdup(text);
    return *ret ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "%s", what);
}

/* The emptied slot of the device, or a new slot at the end. */
static enum hy_code find_record(struct hy_profile_file *file, const char *device,
                                struct hy_profile_record **ret, struct hy_error *err)
{
    struct hy_profile_record *old = hy_profile_file_find(file, device);
    if (old) {
        finish_record(old);
        *ret = old;
        return HY_OK;
    }
    if (file->count >= HY_PROFILE_FILE_MAX_DEVICES)
        return hy_fail(err, HY_BAD_DATA, "more than %u devices", HY_PROFILE_FILE_MAX_DEVICES);
    struct hy_profile_record *records = hy_array_grow(file->records, file->count, sizeof *records);
    if (!records)
        return hy_fail(err, HY_OUT_OF_MEMORY, "record of %s", device);
    file->records = records;
    *ret = &records[file->count];
    **ret = (struct hy_profile_record){0};
    return HY_OK;
}

enum hy_code hy_profile_file_put(struct hy_profile_file *file, const char *device,
                                 const char *version, const char *build_id, const char *cpu,
                                 struct hy_profile_record **ret, struct hy_error *err)
{
    struct hy_profile_record record = {0}, *position = NULL;

    enum hy_code code = copy_text("device", device, &record.device, err);
    if (code == HY_OK)
        code = copy_text("version", version, &record.version, err);
    if (code == HY_OK)
        code = copy_text("build_id", build_id, &record.build_id, err);
    if (code == HY_OK)
        code = copy_text("cpu", cpu, &record.cpu, err);
    if (code == HY_OK)
        code = find_record(file, device, &position, err);
    if (code != HY_OK) {
        finish_record(&record);
        return code;
    }
    if (position == file->records + file->count)
        file->count++;
    *position = record;
    *ret = position;
    return HY_OK;
}
