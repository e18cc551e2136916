#include "tests/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/preprocess/input.h"

/* A new file with these contents; unlink() it. */
static void make_file(char path[64], const void *bytes, size_t length)
{
    strcpy(path, "/tmp/halyard-file-XXXXXX");
    const int fd = mkstemp(path);
    if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
        hy_test_fail(__FILE__, __LINE__, "cannot write %s", path);
    close(fd);
}

TEST(file_map, contents_are_mapped)
{
    char path[64];
    make_file(path, "contents", 8);
    struct hy_file file = {0};
    EXPECT_INT(hy_file_map(path, 8, &file, NULL), HY_OK);
    EXPECT_INT(file.length, 8);
    EXPECT(file.bytes && memcmp(file.bytes, "contents", 8) == 0);
    hy_file_unmap(&file);
    hy_file_unmap(&file);
    unlink(path);
}

TEST(file_map, an_empty_file_is_no_bytes)
{
    char path[64];
    struct hy_file file = {0};
    make_file(path, "", 0);
    EXPECT_INT(hy_file_map(path, 7, &file, NULL), HY_OK);
    EXPECT(file.bytes && file.length == 0);
    hy_file_unmap(&file);
    unlink(path);
}

TEST(file_map, missing_long_and_special_files_are_rejected)
{
    char path[64];
    struct hy_file file = {0};
    struct hy_error err = {0};
    make_file(path, "contents", 8);
    EXPECT_INT(hy_file_map(path, 7, &file, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "8 bytes, at most 7 are read");
    unlink(path);
    EXPECT_INT(hy_file_map(path, 7, &file, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "No such file");
    REQUIRE(mkfifo(path, 0600) == 0);
    EXPECT_INT(hy_file_map(path, 7, &file, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "not a regular file");
    unlink(path);
    EXPECT_INT(hy_file_map("/tmp", 7, &file, &err), HY_BAD_DATA);
    EXPECT(file.bytes == NULL);
}
