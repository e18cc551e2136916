#include "plugins/discovery/manifest.h"

#include "common/system_code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum hy_code check_file(int fd, struct hy_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return hy_fail(err, HY_FAILED, "manifest: %s", strerror(errno));
    if (!S_ISREG(info.st_mode))
        return hy_fail(err, HY_BAD_DATA, "manifest is not a regular file");
    if (info.st_size > (off_t)HY_MANIFEST_MAX_BYTES)
        return hy_fail(err, HY_BAD_DATA, "manifest has %lld bytes, at most %u are allowed",
                       (long long)info.st_size, HY_MANIFEST_MAX_BYTES);
    return HY_OK;
}

/* Reads up to `room` bytes, or to the end of the file. */
static ssize_t read_all(int fd, char *text, size_t space)
{
    size_t length = 0;
    while (length < space) {
        ssize_t got = read(fd, text + length, space - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    return (ssize_t)length;
}

static enum hy_code read_and_parse(int fd, char *text, const char *path, const struct hy_host *host,
                                   struct hy_manifest *out, struct hy_error *err)
{
    /* Reading a byte more than the maximum detects a file that has grown since the check of its
     * size. */
    ssize_t length = read_all(fd, text, HY_MANIFEST_MAX_BYTES + 1);
    if (length < 0)
        return hy_fail(err, HY_FAILED, "manifest: %s", strerror(errno));
    if (length > (ssize_t)HY_MANIFEST_MAX_BYTES)
        return hy_fail(err, HY_BAD_DATA, "manifest grew above %u bytes", HY_MANIFEST_MAX_BYTES);
    return hy_manifest_parse(text, (size_t)length, path, host, out, err);
}

enum hy_code hy_manifest_read(const char *path, const struct hy_host *host, struct hy_manifest *out,
                              struct hy_error *err)
{
    /* O_NONBLOCK: opening a FIFO must not block. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        const int reason = errno;
        return hy_fail(err, hy_system_code(reason, HY_FAILED), "manifest: %s", strerror(reason));
    }

    enum hy_code code = check_file(fd, err);
    if (code == HY_OK) {
        char *text = malloc(HY_MANIFEST_MAX_BYTES + 1);
        code = text ? read_and_parse(fd, text, path, host, out, err)
                    : hy_fail(err, HY_OUT_OF_MEMORY, "manifest %s", path);
        free(text);
    }
    close(fd);
    return code;
}

void hy_manifest_finish(struct hy_manifest *manifest)
{
    if (!manifest)
        return;
    free(manifest->library_path);
    free(manifest->arguments);
    free(manifest->name);
    free(manifest->description);
    free(manifest->socket);
    free(manifest->socket_user);
    for (uint32_t i = 0; i < manifest->device_file_count; i++)
        free(manifest->device_files[i]);
    free(manifest->device_files);
    memset(manifest, 0, sizeof *manifest);
}

enum hy_code hy_manifest_library(const struct hy_manifest *manifest, const char *manifest_path,
                                 const char *plugin_dir, char **out, struct hy_error *err)
{
    const char *library = manifest->library_path;
    char *path = NULL;
    int length;

    if (library[0] == '/') {
        length = asprintf(&path, "%s", library);
    } else if (strchr(library, '/')) {
        const char *slash = strrchr(manifest_path, '/');
        if (manifest_path[0] != '/')
            return hy_fail(err, HY_BAD_DATA, "manifest path %s is not absolute", manifest_path);
        length = asprintf(&path, "%.*s/%s", (int)(slash - manifest_path), manifest_path, library);
    } else if (plugin_dir && plugin_dir[0] == '/') {
        length = asprintf(&path, "%s/%s", plugin_dir, library);
    } else {
        return hy_fail(err, HY_BAD_DATA,
                       "library_path \"%s\" is a bare name, and no plugin directory is set",
                       library);
    }
    if (length < 0)
        return hy_fail(err, HY_OUT_OF_MEMORY, "path of %s", library);
    *out = path;
    return HY_OK;
}
