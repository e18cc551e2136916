#include "common/random.h"
#include "tests/kit/test.h"

enum { COUNT = 10000 };

TEST(random, numbers_are_those_of_splitmix64)
{
    struct hy_random random = {1234567};

    EXPECT(hy_random_next(&random) == UINT64_C(6457827717110365317));
    EXPECT(hy_random_next(&random) == UINT64_C(3203168211198807973));
    EXPECT(hy_random_next(&random) == UINT64_C(9817491932198370423));
}

TEST(random, below_has_every_number_below_the_limit)
{
    struct hy_random random = {1};
    unsigned counts[7] = {0};

    for (int i = 0; i < COUNT; i++)
        counts[hy_random_below(&random, 7)]++;
    for (int i = 0; i < 7; i++)
        EXPECT(counts[i] > COUNT / 7 * 9 / 10 && counts[i] < COUNT / 7 * 11 / 10);
}

TEST(random, between_has_both_ends)
{
    struct hy_random random = {2};
    int32_t least = INT32_MAX, most = INT32_MIN;

    for (int i = 0; i < COUNT; i++) {
        const int32_t number = hy_random_between(&random, -3, 4);
        least = number < least ? number : least;
        most = number > most ? number : most;
        EXPECT_INT(hy_random_between(&random, INT32_MAX, INT32_MAX), INT32_MAX);
    }
    EXPECT_INT(least, -3);
    EXPECT_INT(most, 4);
}

TEST(random, one_in_so_many_times)
{
    struct hy_random random = {3};
    int count = 0;

    for (int i = 0; i < COUNT; i++)
        count += hy_random_one_in(&random, 10);
    EXPECT(count > COUNT / 10 * 9 / 10 && count < COUNT / 10 * 11 / 10);
}

TEST(random, reals_fill_the_range)
{
    struct hy_random random = {4};
    float least = 9, most = -9;

    for (int i = 0; i < COUNT; i++) {
        const float number = hy_random_real(&random, -1, 1);
        EXPECT(number >= -1 && number < 1);
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    EXPECT(least < -0.99f && most > 0.99f);
}
