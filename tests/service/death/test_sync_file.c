/* A driver in a process of its own whose fence is a sync_file of the kernel, which the process
 * plays. */
#include "life.h"
#include "test.h"

#include <stdlib.h>

enum { PATIENCE = 120 };

/* What a fenced execution of such a driver gives. */
static int32_t execute_with_status(const char *status, char words[HY_ERROR_TEXT_SIZE])
{
    struct life life;

    setenv("HALYARD_TEST_SYNC_STATUS", status, 1);
    const bool is_open = life_open_driver(&life, FAULTY_DRIVER, "{\"full\":1}", PATIENCE);
    EXPECT(is_open);
    if (!is_open)
        return HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(life_prepare(&life), HY_STATUS_OK);
    const int32_t result = life_execute_fenced(&life);
    snprintf(words, HY_ERROR_TEXT_SIZE, "%s", life.words);
    life_close(&life);
    return result;
}

TEST(service_sync_file, fence_of_a_driver_that_ended_in_error_fails_the_execution)
{
    char words[HY_ERROR_TEXT_SIZE] = "";

    EXPECT_INT(execute_with_status("1", words), HY_STATUS_OK);
    EXPECT_INT(execute_with_status("0", words), HY_STATUS_OK);
    EXPECT_INT(execute_with_status("-5", words), HY_STATUS_GENERAL_FAILURE);
    EXPECT_STR(words, "the fence is in error");
}
