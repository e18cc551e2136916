#include "common/status.h"
#include "tests/kit/test.h"

#include <string.h>

static const enum hy_code codes[] = {
#define CODE(code, name, status) HY_##code,
#include "common/status.def"
};

static const int32_t statuses[] = {
#define STATUS(status, code) HY_STATUS_##status,
#include "common/status.def"
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

TEST(status, every_status_comes_back_as_itself)
{
    for (size_t i = 0; i < COUNT(statuses); i++)
        EXPECT_INT(hy_status_of(hy_code_of(statuses[i])), statuses[i]);
    EXPECT_INT(COUNT(statuses), 10);
}

TEST(status, codes_without_a_status_of_their_own_take_the_nearest)
{
    EXPECT_INT(hy_status_of(HY_OUT_OF_MEMORY), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_INT(hy_status_of(HY_UNEXPECTED_NULL), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(hy_status_of(HY_BAD_STATE), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(hy_status_of(HY_UNMAPPABLE), HY_STATUS_GENERAL_FAILURE);
    for (size_t i = 0; i < COUNT(codes); i++)
        EXPECT_INT(hy_status_of(codes[i]) == HY_STATUS_OK, codes[i] == HY_OK);
}

TEST(status, what_is_none_is_a_general_failure)
{
    EXPECT_INT(hy_code_of(-7), HY_FAILED);
    EXPECT_INT(hy_status_of((enum hy_code)99), HY_STATUS_GENERAL_FAILURE);
    EXPECT_STR(hy_status_name(-7), "unknown status");
    EXPECT(!hy_status_is_known(-7) && hy_status_is_known(HY_STATUS_OK) &&
           hy_status_is_known(HY_STATUS_DEAD_OBJECT));
    EXPECT_STR(hy_status_name(HY_STATUS_DEAD_OBJECT), "DEAD_OBJECT");
}

TEST(status, text_of_a_failure_goes_where_there_is_room)
{
    struct hy_error err = {.text = "input 3 is short"};
    char text[6] = "";
    const struct hy_message message = {.text = text, .size = sizeof text};
    const struct hy_message none = {.text = text, .size = 0};

    EXPECT_INT(hy_status_report(HY_OK, &err, &message), HY_STATUS_OK);
    EXPECT_STR(text, "");
    EXPECT_INT(hy_status_report(HY_BAD_DATA, &err, &none), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_STR(text, "");
    EXPECT_INT(hy_status_report(HY_BAD_DATA, &err, NULL), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(hy_status_report(HY_BAD_DATA, &err, &message), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_STR(text, "input");
}
