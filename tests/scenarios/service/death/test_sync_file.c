/* A driver in a process of its own whose fence is a sync_file of the kernel, which the process
 * plays. */
#include "lifecycle.h"
#include "tests/kit/test.h"

#include <stdlib.h>

enum { TIMEOUT_S = 120 };

/* What a fenced execution of such a driver gives. */
static int32_t execute_with_status(const char *status, char message[HY_ERROR_TEXT_SIZE])
{
    struct lifecycle lifecycle;

    setenv("HALYARD_TEST_SYNC_STATUS", status, 1);
    const bool is_open =
        lifecycle_open_driver(&lifecycle, FAULTY_DRIVER, "{\"full\":1}", TIMEOUT_S);
    EXPECT(is_open);
    if (!is_open)
        return HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(lifecycle_prepare(&lifecycle), HY_STATUS_OK);
    const int32_t result = lifecycle_execute_fenced(&lifecycle);
    snprintf(message, HY_ERROR_TEXT_SIZE, "%s", lifecycle.error_text);
    lifecycle_close(&lifecycle);
    return result;
}

TEST(service_sync_file, fence_of_a_driver_that_ended_in_error_fails_the_execution)
{
    char message[HY_ERROR_TEXT_SIZE] = "";

    EXPECT_INT(execute_with_status("1", message), HY_STATUS_OK);
    EXPECT_INT(execute_with_status("0", message), HY_STATUS_OK);
    EXPECT_INT(execute_with_status("-5", message), HY_STATUS_GENERAL_FAILURE);
    EXPECT_STR(message, "the fence is in error");
}
