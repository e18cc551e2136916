#include "libhalyard/preprocess/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum hy_code check_kind_and_size(int fd, const char *path, uint64_t max_length,
                                        size_t *length, struct hy_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return hy_fail(err, HY_BAD_DATA, "%s: a folder, not a file%s", path,
                       faccessat(fd, "saved_model.pb", F_OK, 0) == 0
                           ? "; convert a SavedModel to .tflite with "
                             "tf.lite.TFLiteConverter.from_saved_model"
                           : "");
    if (!S_ISREG(info.st_mode))
        return hy_fail(err, HY_BAD_DATA, "%s: not a regular file", path);
    if ((uint64_t)info.st_size > max_length || (uint64_t)info.st_size > SIZE_MAX)
        return hy_fail(err, HY_BAD_DATA, "%s: %" PRIu64 " bytes, at most %" PRIu64 " are read",
                       path, (uint64_t)info.st_size, max_length);
    *length = (size_t)info.st_size;
    return HY_OK;
}

enum hy_code hy_file_map(const char *path, uint64_t max_length, struct hy_file *out,
                         struct hy_error *err)
{
    /* Opening a FIFO would wait for a writer; O_NONBLOCK lets it come to the check below. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(errno));

    size_t length = 0;
    enum hy_code code = check_kind_and_size(fd, path, max_length, &length, err);
    if (code == HY_OK && length == 0) {
        *out = (struct hy_file){.bytes = ""}; /* the contents of a tensor without elements */
    } else if (code == HY_OK) {
        void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED)
            code = hy_fail(err, HY_FAILED, "%s: cannot map %zu bytes: %s", path, length,
                           strerror(errno));
        else
            *out = (struct hy_file){.bytes = bytes, .length = length};
    }
    close(fd);
    return code;
}

void hy_file_unmap(struct hy_file *file)
{
    if (file->length > 0)
        munmap((void *)file->bytes, file->length);
    *file = (struct hy_file){0};
}
