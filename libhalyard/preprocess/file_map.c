#include "libhalyard/preprocess/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
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
        return hy_fail(err, HY_BAD_DATA, "%s: a directory, not a file%s", path,
                       faccessat(fd, "saved_model.pb", F_OK, 0) == 0
                           ? "; convert a SavedModel to .tflite with "
                             "tf.lite.TFLiteConverter.from_saved_model"
                           : "");
    if (!S_ISREG(info.st_mode))
        return hy_fail(err, HY_BAD_DATA, "%s: not a regular file", path);
    if ((uint64_t)info.st_size > max_length || (uint64_t)info.st_size > SIZE_MAX)
        return hy_fail(err, HY_BAD_DATA,
                       "%s: the file has %" PRIu64 " bytes, the limit is %" PRIu64, path,
                       (uint64_t)info.st_size, max_length);
    *length = (size_t)info.st_size;
    return HY_OK;
}

/* ---- Standard input -------------------------------------------------------------------------- */

#define INITIAL_CAPACITY 65536u

/* Reads a pipe to its end, into a mapping that grows as needed. */
static enum hy_code read_all(int fd, uint64_t max_length, struct hy_file *out, struct hy_error *err)
{
    const char *const name = "standard input";
    size_t capacity = INITIAL_CAPACITY, length = 0;
    char *bytes = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ssize_t got = 0;

    while (bytes != MAP_FAILED && length <= max_length &&
           (got = read(fd, bytes + length, capacity - length)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        length += (size_t)got;
        if (length == capacity) {
            char *more = mremap(bytes, capacity, 2 * capacity, MREMAP_MAYMOVE);
            if (more == MAP_FAILED)
                munmap(bytes, capacity);
            bytes = more;
            capacity *= 2;
        }
    }
    if (bytes == MAP_FAILED)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s: %zu bytes", name, capacity);

    enum hy_code code = HY_OK;
    if (got < 0)
        code = hy_fail(err, HY_FAILED, "%s: %s", name, strerror(errno));
    else if (length > max_length)
        code = hy_fail(err, HY_BAD_DATA, "%s: more bytes than the limit of %" PRIu64, name,
                       max_length);
    if (code != HY_OK || length == 0) {
        munmap(bytes, capacity);
        *out = (struct hy_file){.bytes = ""};
        return code;
    }
    mremap(bytes, capacity, length, 0); /* releases the pages after the last byte */
    *out = (struct hy_file){.bytes = bytes, .length = length};
    return HY_OK;
}

static bool is_regular(int fd)
{
    struct stat info;
    return fstat(fd, &info) != 0 || S_ISREG(info.st_mode);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static enum hy_code map_open_file(int fd, const char *path, uint64_t max_length,
                                  struct hy_file *out, struct hy_error *err)
{
    size_t length = 0;
    enum hy_code code = check_kind_and_size(fd, path, max_length, &length, err);
    if (code != HY_OK)
        return code;
    if (length == 0) {
        *out = (struct hy_file){.bytes = ""}; /* the contents of a tensor without elements */
        return HY_OK;
    }
    void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return hy_fail(err, HY_FAILED, "%s: cannot map %zu bytes: %s", path, length,
                       strerror(errno));
    *out = (struct hy_file){.bytes = bytes, .length = length};
    return HY_OK;
}

enum hy_code hy_file_map(const char *path, uint64_t max_length, struct hy_file *out,
                         struct hy_error *err)
{
    if (strcmp(path, "-") == 0)
        return is_regular(STDIN_FILENO)
                   ? map_open_file(STDIN_FILENO, "standard input", max_length, out, err)
                   : read_all(STDIN_FILENO, max_length, out, err);

    /* Opening a FIFO would wait for a writer; O_NONBLOCK lets it come to the check below. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(errno));

    const enum hy_code code = map_open_file(fd, path, max_length, out, err);
    close(fd);
    return code;
}

void hy_file_unmap(struct hy_file *file)
{
    if (file->length > 0)
        munmap((void *)file->bytes, file->length);
    *file = (struct hy_file){0};
}
