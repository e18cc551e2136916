#include "common/make_dirs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kit/test.h"

static mode_t mode_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? info.st_mode & 0777 : 0;
}

TEST(make_dirs, all_that_are_missing_are_made)
{
    char dir[] = "/tmp/halyard-test-XXXXXX", path[64], above[64];
    REQUIRE(mkdtemp(dir) != NULL);
    snprintf(above, sizeof above, "%s/a", dir);
    snprintf(path, sizeof path, "%s//a/b/", dir);

    EXPECT_INT(hy_make_dirs(path, 0700), 0);
    EXPECT_INT(mode_of(above), 0700);
    EXPECT_INT(mode_of(path), 0700);
    EXPECT_INT(hy_make_dirs(path, 0755), 0); /* they stay as they are */
    EXPECT_INT(mode_of(path), 0700);
    EXPECT(rmdir(path) == 0 && rmdir(above) == 0 && rmdir(dir) == 0);
}

TEST(make_dirs, what_is_in_the_way_is_told)
{
    EXPECT_INT(hy_make_dirs("/dev/null/a/b", 0700), ENOTDIR);
    EXPECT_INT(hy_make_dirs("/proc/halyard/a", 0700), ENOENT);
}
