/* Requests that are given once and run many times. */
#include "opened_driver.h"

#include "tests/kit/test.h"

static bool create(struct opened_driver *opened, struct opened_request *request, void **reusable)
{
    *reusable = NULL;
    if (!opened_open(opened, HY_DRIVER_ABI))
        return false;
    EXPECT(opened->table->reusable_create != NULL);
    if (!opened->table->reusable_create)
        return false;
    opened_request_init(request, opened, 0, 1, 2);
    EXPECT_INT(opened->table->reusable_create(opened->prepared, &request->view, &request->options,
                                              reusable),
               HY_STATUS_OK);
    return *reusable;
}

TEST(driver_reusable, contents_change_between_runs)
{
    struct opened_driver opened;
    struct opened_request request;
    void *reusable;
    if (create(&opened, &request, &reusable)) {
        for (unsigned i = 0; i < 5; i++) {
            opened_fill(&opened, 0, (float)i);
            opened_fill(&opened, 1, 2);
            EXPECT_INT(opened.table->reusable_execute(reusable, HY_NO_DEADLINE, &request.result),
                       HY_STATUS_OK);
            EXPECT(opened_value(&opened, 2) == (float)i + 2);
            EXPECT_INT(request.shape.dims[0], OPENED_EXTENT);
        }
        opened.table->reusable_destroy(reusable);
    }
    opened_close(&opened);
}

/* It comes with each run. */
TEST(driver_reusable, deadline_is_that_of_the_run)
{
    struct opened_driver opened;
    struct opened_request request;
    void *reusable;
    if (create(&opened, &request, &reusable)) {
        const int32_t expired_status = opened.table->reusable_execute(reusable, 1, &request.result);
        EXPECT(expired_status == HY_STATUS_MISSED_DEADLINE_TRANSIENT ||
               expired_status == HY_STATUS_MISSED_DEADLINE_PERSISTENT);
        EXPECT_INT(opened.table->reusable_execute(reusable, HY_NO_DEADLINE, &request.result),
                   HY_STATUS_OK);
        opened.table->reusable_destroy(reusable);
    }
    opened_close(&opened);
}
