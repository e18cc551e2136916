#include "tests/kit/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
    EXPECT_CONTAINS(err.text, "the file has 8 bytes, the limit is 7");
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

/* Standard input is this descriptor until `restore`; returns what it was. */
static int replace_input(int fd)
{
    const int before = dup(STDIN_FILENO);
    dup2(fd, STDIN_FILENO);
    close(fd);
    return before;
}

static void restore_input(int before)
{
    dup2(before, STDIN_FILENO);
    close(before);
}

/* A pipe that a child fills. */
static int make_pipe(size_t length)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    if (fork() == 0) {
        close(ends[0]);
        for (size_t i = 0; i < length; i++) {
            const char byte = (char)(i / 1000);
            if (write(ends[1], &byte, 1) != 1)
                break;
        }
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

TEST(file_map, dash_is_standard_input_to_its_end)
{
    static const size_t lengths[] = {0, 10, 65536, 70000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct hy_file file = {0};
        const int before = replace_input(make_pipe(lengths[i]));
        EXPECT_INT(hy_file_map("-", 70000, &file, NULL), HY_OK);
        restore_input(before);
        REQUIRE(file.length == lengths[i]);
        const char *bytes = file.bytes;
        for (size_t j = 0; j < file.length; j++)
            if (bytes[j] != (char)(j / 1000))
                hy_test_fail(__FILE__, __LINE__, "byte %zu of %zu", j, file.length);
        hy_file_unmap(&file);
        wait(NULL);
    }
}

TEST(file_map, standard_input_that_is_too_long_or_a_file_is_told_from_the_rest)
{
    struct hy_file file = {0};
    struct hy_error err = {0};
    int before = replace_input(make_pipe(70000));
    EXPECT_INT(hy_file_map("-", 69999, &file, &err), HY_BAD_DATA);
    EXPECT_STR(err.text, "standard input: more bytes than the limit of 69999");
    restore_input(before);
    wait(NULL);

    char path[64];
    make_file(path, "contents", 8);
    before = replace_input(open(path, O_RDONLY));
    EXPECT_INT(hy_file_map("-", 8, &file, &err), HY_OK);
    EXPECT(file.length == 8 && memcmp(file.bytes, "contents", 8) == 0);
    hy_file_unmap(&file);
    EXPECT_INT(hy_file_map("-", 7, &file, &err), HY_BAD_DATA);
    EXPECT_STR(err.text, "standard input: the file has 8 bytes, the limit is 7");
    restore_input(before);
    unlink(path);
}
