#include "tools/output_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/make_dirs.h"

static enum hy_code write_file(const char *path, const struct hy_session_tensor *tensor,
                               struct hy_error *err)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return hy_fail(err, HY_FAILED, "cannot write %s: %s", path, strerror(errno));

    const size_t written = fwrite(tensor->bytes, 1, tensor->length, file);
    const int closed = fclose(file); /* where a full disk shows at last */
    if (written != tensor->length || closed != 0)
        return hy_fail(err, HY_FAILED, "cannot write %zu bytes to %s: %s", tensor->length, path,
                       strerror(errno));
    return HY_OK;
}

static enum hy_code make_dir(const char *dir, struct hy_error *err)
{
    const int failure = hy_make_dirs(dir, S_IRWXU | S_IRWXG | S_IRWXO);

    return failure == 0 ? HY_OK
                        : hy_fail(err, HY_FAILED, "cannot create the directory %s: %s", dir,
                                  strerror(failure));
}

enum hy_code hy_output_files_write(const struct hy_session *session, const char *dir,
                                   struct hy_error *err)
{
    enum hy_code code = make_dir(dir, err);
    for (uint32_t i = 0; code == HY_OK && i < hy_session_output_count(session); i++) {
        char *path;
        if (asprintf(&path, "%s/out%u.bin", dir, i) < 0)
            return hy_fail(err, HY_OUT_OF_MEMORY, "path of output %u", i);
        const struct hy_session_tensor output = hy_session_output(session, i);
        code = write_file(path, &output, err);
        free(path);
    }
    return code;
}
