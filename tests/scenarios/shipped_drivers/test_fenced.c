/* Executions that wait for descriptors and end a fence. */
#include "opened_driver.h"

#include "tests/kit/test.h"

#include <dirent.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* One fenced execution. */
struct launched {
    struct opened_driver opened;
    struct opened_request request;
    int32_t fence;
    void *fenced;
};

static bool open_fixture(struct launched *launched)
{
    launched->fence = -1;
    launched->fenced = NULL;
    if (!opened_open(&launched->opened, HY_DRIVER_ABI))
        return false;
    EXPECT(launched->opened.table->execute_fenced != NULL);
    opened_request_init(&launched->request, &launched->opened, 0, 1, 2);
    opened_fill(&launched->opened, 0, 3);
    opened_fill(&launched->opened, 1, 4);
    return launched->opened.table->execute_fenced;
}

/* The views end with the call. */
static int32_t launch(struct launched *launched, const int32_t *wait_for, uint32_t count)
{
    const int32_t status = launched->opened.table->execute_fenced(
        launched->opened.prepared, &launched->request.view, &launched->request.options, wait_for,
        count, &launched->fence, &launched->fenced);
    memset(launched->request.pools, 0xff, sizeof launched->request.pools);
    memset(launched->request.arguments, 0xff, sizeof launched->request.arguments);
    return status;
}

static void finish(struct launched *launched)
{
    if (launched->fenced)
        launched->opened.table->fenced_destroy(launched->fenced);
    if (launched->fence >= 0)
        close(launched->fence);
    opened_close(&launched->opened);
}

/* What the fence polls once it is over. */
static short wait_for_end(const struct launched *launched)
{
    struct pollfd look = {.fd = launched->fence, .events = POLLIN};
    return poll(&look, 1, -1) == 1 ? look.revents : 0;
}

static bool is_over(const struct launched *launched)
{
    struct pollfd look = {.fd = launched->fence, .events = POLLIN};
    return poll(&look, 1, 0) == 1;
}

static int32_t final_status(const struct launched *launched)
{
    struct hy_fenced_result result = {.struct_size = sizeof result, .status = -1};
    EXPECT_INT(launched->opened.table->fenced_result(launched->fenced, &result), HY_STATUS_OK);
    return result.status;
}

static void expect_success(const struct launched *launched)
{
    const short events = wait_for_end(launched);
    EXPECT((events & POLLIN) && !(events & (POLLERR | POLLNVAL)));
    EXPECT_INT(final_status(launched), HY_STATUS_OK);
    EXPECT(opened_value(&launched->opened, 2) == 7);
}

static void expect_failure(const struct launched *launched, int32_t status)
{
    EXPECT(wait_for_end(launched) & POLLERR);
    EXPECT_INT(final_status(launched), status);
    EXPECT(opened_value(&launched->opened, 2) == 0);
}

TEST(driver_fenced, execution_without_descriptors_ends_its_fence)
{
    struct launched launched;
    if (open_fixture(&launched)) {
        EXPECT_INT(launch(&launched, NULL, 0), HY_STATUS_OK);
        expect_success(&launched);
    }
    finish(&launched);
}

/* The descriptors are the caller's to close. */
TEST(driver_fenced, execution_waits_for_each_descriptor)
{
    const int gates[] = {eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC)};
    const int32_t wait_for[] = {dup(gates[0]), dup(gates[1])};
    struct launched launched;
    if (open_fixture(&launched)) {
        struct hy_fenced_result early = {.struct_size = sizeof early};
        EXPECT_INT(launch(&launched, wait_for, 2), HY_STATUS_OK);
        close(wait_for[0]);
        close(wait_for[1]);
        EXPECT_INT(eventfd_write(gates[1], 1), 0);
        EXPECT(!is_over(&launched));
        EXPECT_INT(launched.opened.table->fenced_result(launched.fenced, &early),
                   HY_STATUS_GENERAL_FAILURE);
        EXPECT(opened_value(&launched.opened, 2) == 0);
        EXPECT_INT(eventfd_write(gates[0], 1), 0);
        expect_success(&launched);
    }
    finish(&launched);
    close(gates[0]);
    close(gates[1]);
}

TEST(driver_fenced, descriptor_in_error_fails_the_execution)
{
    int ends[2];
    struct launched launched;
    REQUIRE(pipe(ends) == 0);
    close(ends[1]);
    if (open_fixture(&launched)) {
        EXPECT_INT(launch(&launched, &ends[0], 1), HY_STATUS_OK);
        expect_failure(&launched, HY_STATUS_GENERAL_FAILURE);
    }
    finish(&launched);
    close(ends[0]);
}

TEST(driver_fenced, descriptor_that_is_not_open_is_refused)
{
    const int32_t none = -1;
    struct launched launched;
    if (open_fixture(&launched))
        EXPECT_INT(launch(&launched, &none, 1), HY_STATUS_INVALID_ARGUMENT);
    EXPECT(launched.fenced == NULL);
    finish(&launched);
}

TEST(driver_fenced, deadline_ends_the_wait)
{
    const int32_t gate = eventfd(0, EFD_CLOEXEC);
    struct launched launched;
    if (open_fixture(&launched)) {
        launched.request.options.deadline = 1;
        EXPECT_INT(launch(&launched, &gate, 1), HY_STATUS_OK);
        expect_failure(&launched, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    }
    finish(&launched);
    close(gate);
}

TEST(driver_fenced, word_that_nobody_waits_ends_the_wait)
{
    const int32_t gate = eventfd(0, EFD_CLOEXEC);
    uint32_t cancelled = 0;
    struct launched launched;
    if (open_fixture(&launched)) {
        launched.request.options.cancelled = &cancelled;
        EXPECT_INT(launch(&launched, &gate, 1), HY_STATUS_OK);
        EXPECT(!is_over(&launched));
        __atomic_store_n(&cancelled, 1, __ATOMIC_RELAXED);
        expect_failure(&launched, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    }
    finish(&launched);
    close(gate);
}

/* It counts from when the descriptors are signalled, not from the call. */
TEST(driver_fenced, duration_limits_the_execution_alone)
{
    const int32_t gate = eventfd(0, EFD_CLOEXEC);
    struct launched launched;
    if (open_fixture(&launched)) {
        launched.request.options.duration = UINT64_C(3600000000000);
        EXPECT_INT(launch(&launched, &gate, 1), HY_STATUS_OK);
        EXPECT_INT(eventfd_write(gate, 1), 0);
        expect_success(&launched);
    }
    finish(&launched);
    if (open_fixture(&launched)) {
        launched.request.options.duration = 1;
        EXPECT_INT(launch(&launched, NULL, 0), HY_STATUS_OK);
        EXPECT(wait_for_end(&launched) & POLLERR);
        const int32_t status = final_status(&launched);
        EXPECT(status == HY_STATUS_MISSED_DEADLINE_TRANSIENT ||
               status == HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    }
    finish(&launched);
    close(gate);
}

TEST(driver_fenced, wrong_request_fails)
{
    struct launched launched;
    if (open_fixture(&launched)) {
        launched.request.arguments[0].location.offset = 8;
        const int32_t status = launch(&launched, NULL, 0);
        if (status == HY_STATUS_OK)
            expect_failure(&launched, HY_STATUS_INVALID_ARGUMENT);
        else
            EXPECT_INT(status, HY_STATUS_INVALID_ARGUMENT);
    }
    finish(&launched);
    if (open_fixture(&launched)) {
        launched.request.arguments[0].rank = HY_MAX_RANK + 1;
        EXPECT_INT(launch(&launched, NULL, 0), HY_STATUS_INVALID_ARGUMENT);
    }
    finish(&launched);
}

TEST(driver_fenced, times_are_told_when_they_are_asked_for)
{
    for (uint32_t measure = 0; measure < 2; measure++) {
        struct hy_fenced_result result = {.struct_size = sizeof result};
        struct launched launched;
        if (open_fixture(&launched)) {
            launched.request.options.measure = measure;
            EXPECT_INT(launch(&launched, NULL, 0), HY_STATUS_OK);
            expect_success(&launched);
            EXPECT_INT(launched.opened.table->fenced_result(launched.fenced, &result),
                       HY_STATUS_OK);
            EXPECT_INT(result.launched_in_driver != HY_NO_TIME, measure);
            EXPECT(!measure || result.fenced_in_driver <= result.launched_in_driver);
            EXPECT(result.fenced_on_device == HY_NO_TIME ||
                   result.fenced_on_device <= result.fenced_in_driver);
        }
        finish(&launched);
    }
}

static unsigned count_descriptors(void)
{
    unsigned count = 0;
    DIR *open = opendir("/proc/self/fd");
    while (open && readdir(open))
        count++;
    if (open)
        closedir(open);
    return count;
}

/* Destroying waits for the end. */
TEST(driver_fenced, what_is_destroyed_leaves_no_descriptor)
{
    const int32_t gate = eventfd(1, EFD_CLOEXEC);
    struct launched launched;
    if (open_fixture(&launched)) {
        const unsigned before = count_descriptors();
        for (unsigned i = 0; i < 20; i++) {
            opened_request_init(&launched.request, &launched.opened, 0, 1, 2);
            EXPECT_INT(launch(&launched, &gate, 1), HY_STATUS_OK);
            launched.opened.table->fenced_destroy(launched.fenced);
            launched.fenced = NULL;
            close(launched.fence);
            launched.fence = -1;
            EXPECT(opened_value(&launched.opened, 2) == 7);
        }
        EXPECT_INT(count_descriptors(), before);
    }
    finish(&launched);
    close(gate);
}
