#include "driver_kit/message.h"
#include "tests/kit/test.h"

TEST(message, is_cut_to_the_size_of_the_caller)
{
    char text[6] = "?????";
    const struct hy_message message = {.text = text, .size = sizeof text};

    hy_message_write(&message, "input %d is wrong", 7);
    EXPECT_STR(text, "input");
}

TEST(message, without_memory_is_ignored)
{
    char text[2] = "?";
    const struct hy_message none = {.text = NULL, .size = 2}, empty = {.text = text, .size = 0};

    hy_message_write(&none, "words");
    hy_message_write(&empty, "words");
    EXPECT_STR(text, "?");
}
