#include "tools/check_driver/target.h"

#include <halyard/halyard.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/api_result.h"

static bool is_manifest(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending && strcmp(ending, ".json") == 0;
}

static enum hy_code real_path(const char *path, char out[PATH_MAX], struct hy_error *err)
{
    if (realpath(path, out))
        return HY_OK;
    return hy_fail(err, HY_FAILED, "cannot read %s: %s", path, strerror(errno));
}

/* The runtime loads drivers by manifest only. */
static enum hy_code make_manifest(struct hy_target *target, struct hy_error *err)
{
    const char *position = getenv("TMPDIR");
    int length = snprintf(target->dir, sizeof target->dir, "%s/halyard-check-XXXXXX",
                          position && *position == '/' ? position : "/tmp");
    if (length >= (int)sizeof target->dir - 16 || !mkdtemp(target->dir)) {
        target->dir[0] = '\0';
        return hy_fail(err, HY_FAILED, "cannot create a directory for a manifest: %s",
                       strerror(errno));
    }
    stpcpy(stpcpy(target->manifest, target->dir), "/driver.json");
    return hy_target_write(target, target->manifest, err);
}

/* The loader's errors come before the errors of the values below. */
static void read_manifest(const char *path, struct hy_target *out)
{
    struct hy_error err;
    if (hy_api_result(halyard_check_manifest(path), "check_manifest", &err) != HY_OK)
        snprintf(out->fault, sizeof out->fault, "%s", halyard_last_error());
    else if (hy_target_read(path, out, &err) != HY_OK)
        snprintf(out->fault, sizeof out->fault, "%s", err.text);
}

enum hy_code hy_target_find(const char *path, const char *arguments, struct hy_target *out,
                            struct hy_error *err)
{
    const bool has_manifest = is_manifest(path);
    char given[PATH_MAX];
    enum hy_code code = real_path(path, given, err);

    if (code == HY_OK && has_manifest) {
        strcpy(out->manifest, given);
        read_manifest(given, out);
    } else if (code == HY_OK) {
        strcpy(out->library, given);
    }
    if (code == HY_OK && (arguments || !out->arguments))
        code = hy_target_set_arguments(arguments ? arguments : "{}", out, err);
    if (code == HY_OK && (arguments || !has_manifest) && !*out->fault)
        code = make_manifest(out, err);
    return code;
}

void hy_target_finish(struct hy_target *target)
{
    if (target->dir[0]) {
        unlink(target->manifest);
        rmdir(target->dir);
    }
    free(target->arguments);
    memset(target, 0, sizeof *target);
}
