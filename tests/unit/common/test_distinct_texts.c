/* Which texts are told once. */
#include "common/distinct_texts.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

TEST(distinct_texts, text_is_new_once)
{
    struct hy_distinct_texts texts = {0};

    EXPECT_INT(hy_distinct_texts_add(&texts, "operand 1"), HY_TEXT_NEW);
    EXPECT_INT(hy_distinct_texts_add(&texts, "operand 2"), HY_TEXT_NEW);
    EXPECT_INT(hy_distinct_texts_add(&texts, ""), HY_TEXT_NEW);
    EXPECT_INT(hy_distinct_texts_add(&texts, "operand 1"), HY_TEXT_KNOWN);
    EXPECT_INT(hy_distinct_texts_add(&texts, "operand 2"), HY_TEXT_KNOWN);
    EXPECT_INT(hy_distinct_texts_add(&texts, ""), HY_TEXT_KNOWN);
}

TEST(distinct_texts, last_one_there_is_room_for_is_marked_and_no_other_is_new)
{
    struct hy_distinct_texts texts = {0};
    char text[32];

    for (uint32_t i = 0; i < HY_DISTINCT_TEXTS + 10; i++) {
        snprintf(text, sizeof text, "operand %u", i);
        EXPECT_INT(hy_distinct_texts_add(&texts, text), i + 1 < HY_DISTINCT_TEXTS ? HY_TEXT_NEW
                                                        : i + 1 == HY_DISTINCT_TEXTS
                                                            ? HY_TEXT_NEW_LAST
                                                            : HY_TEXT_KNOWN);
    }
    EXPECT_INT(hy_distinct_texts_add(&texts, "operand 0"), HY_TEXT_KNOWN);
}

#define TEXTS 20

struct adder {
    struct hy_distinct_texts *texts;
    unsigned fresh; /* how many texts were new to this thread */
};

static void add_texts(void *argument)
{
    struct adder *adder = argument;
    char text[32];

    for (int i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "operand %d", i);
        adder->fresh += hy_distinct_texts_add(adder->texts, text) == HY_TEXT_NEW;
    }
}

TEST(distinct_texts, text_is_new_to_one_of_many_threads)
{
    for (int round = 0; round < 20; round++) {
        struct hy_distinct_texts texts = {0};
        struct adder adders[4] = {{&texts, 0}, {&texts, 0}, {&texts, 0}, {&texts, 0}};

        REQUIRE(hy_threads_run(4, add_texts, adders, sizeof *adders));
        EXPECT_INT(adders[0].fresh + adders[1].fresh + adders[2].fresh + adders[3].fresh, TEXTS);
    }
}
