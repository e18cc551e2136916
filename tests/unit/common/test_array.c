#include "common/array.h"
#include "tests/kit/test.h"

#include <malloc.h>

TEST(array, room_for_one_more_at_every_count)
{
    uint64_t *numbers = NULL;

    for (uint32_t count = 0; count < 100; count++) {
        uint64_t *grown = hy_array_grow(numbers, count, sizeof *grown);
        EXPECT(grown != NULL);
        numbers = grown;
        EXPECT(malloc_usable_size(numbers) >= (count + 1) * sizeof *numbers);
        numbers[count] = count;
    }
    for (uint32_t i = 0; i < 100; i++)
        EXPECT_INT(numbers[i], i);
    free(numbers);
}

TEST(array, room_stays_enough_when_elements_leave_and_come_back)
{
    uint64_t *numbers = NULL;

    for (uint32_t most = 40; most > 0; most--) {
        for (uint32_t count = most == 40 ? 0 : most / 2; count < most; count++) {
            numbers = hy_array_grow(numbers, count, sizeof *numbers);
            EXPECT(malloc_usable_size(numbers) >= (count + 1) * sizeof *numbers);
            numbers[count] = count;
        }
    }
    free(numbers);
}

TEST(array, allocates_only_when_the_count_reaches_a_power_of_two)
{
    char elements[1]; /* no memory of malloc: an allocation would fail loudly */

    EXPECT(hy_array_grow(elements, 1, 1) == elements);
    EXPECT(hy_array_grow(elements, 7, 1) == elements);
    EXPECT(hy_array_grow(elements, 9, 1) == elements);
    EXPECT(hy_array_grow(elements, 0x80000001u, 1) == elements);
}

TEST(array, old_array_stays_when_the_new_one_is_too_large)
{
    volatile size_t size = SIZE_MAX / 4;
    uint64_t *numbers = hy_array_grow(NULL, 0, sizeof *numbers);
    void *volatile old = numbers;

    REQUIRE(numbers);
    numbers[7] = 7;
    EXPECT(hy_array_grow(old, 0x80000000u, size) == NULL);
    EXPECT_INT(((uint64_t *)old)[7], 7);
    free(old);
}
