/* Which name was meant. */
#include "common/near_name.h"

#include "tests/kit/test.h"

static const char *const names[] = {
    "HALYARD_ISOLATE", "HALYARD_DRIVER_FILES", "HALYARD_CPU_THREADS", "HALYARD_LOG", "bench", "run",
    "check-driver"};

static const char *near(const char *name)
{
    const char *found = hy_near_name(name, names, sizeof names / sizeof *names);
    return found ? found : "none";
}

TEST(near_name, differs_in_up_to_two_letters)
{
    EXPECT_STR(near("HALYARD_ISLOATE"), "HALYARD_ISOLATE");
    EXPECT_STR(near("HALYARD_LOGS"), "HALYARD_LOG");
    EXPECT_STR(near("bnech"), "bench");
    EXPECT_STR(near("runn"), "run");
    EXPECT_STR(near("chekc-driver"), "check-driver");
    EXPECT_STR(near("branches"), "none");
}

TEST(near_name, differs_in_its_end)
{
    EXPECT_STR(near("HALYARD_ISOLATION"), "HALYARD_ISOLATE");
    EXPECT_STR(near("HALYARD_ISOLATED_ALL"), "HALYARD_ISOLATE");
}

TEST(near_name, has_all_the_words)
{
    EXPECT_STR(near("HALYARD_THREADS"), "HALYARD_CPU_THREADS");
    EXPECT_STR(near("HALYARD_FILES"), "HALYARD_DRIVER_FILES");
    EXPECT_STR(near("HALYARD_SHARED_DIR"), "none");
    EXPECT_STR(near("HALYARD_"), "none");
}

TEST(near_name, is_none_for_a_right_name_and_for_short_and_long_ones)
{
    EXPECT_STR(near("bench"), "none");
    EXPECT_STR(near("an"), "none");
    EXPECT_STR(near(""), "none");
    EXPECT_STR(near("HALYARD_A_NAME_THAT_IS_LONGER_THAN_ALL_OF_THEM_AND_MORE"), "none");
}
