#include "common/absolute_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kit/test.h"

TEST(absolute_path, relative_one_is_meant_from_the_folder_of_now)
{
    char dir[PATH_MAX], want[PATH_MAX + 8];
    REQUIRE(getcwd(dir, sizeof dir) != NULL);
    snprintf(want, sizeof want, "%s/a/b", dir);

    char *path = hy_absolute_path("a/b");
    REQUIRE(chdir("/") == 0);
    EXPECT(path && strcmp(path, want) == 0);
    EXPECT_INT(chdir(dir), 0);
    free(path);
}

TEST(absolute_path, absolute_one_stays)
{
    char *path = hy_absolute_path("/a/../b");

    EXPECT(path && strcmp(path, "/a/../b") == 0);
    free(path);
}

TEST(absolute_path, folder_that_is_gone_is_an_error)
{
    char dir[PATH_MAX], gone[] = "/tmp/halyard-test-XXXXXX";

    REQUIRE(getcwd(dir, sizeof dir) != NULL);
    REQUIRE(mkdtemp(gone) && chdir(gone) == 0 && rmdir(gone) == 0);
    errno = 0;
    EXPECT(!hy_absolute_path("a"));
    EXPECT_INT(errno, ENOENT);
    EXPECT_INT(chdir(dir), 0);
}
