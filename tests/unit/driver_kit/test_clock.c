/* The clock of deadlines. */
#include "driver_kit/clock.h"
#include "tests/kit/test.h"

TEST(driver_kit_clock, deadline_passes_and_no_deadline_never_does)
{
    EXPECT(!hy_deadline_is_past(HY_NO_DEADLINE));
    EXPECT(hy_deadline_is_past(hy_boottime() - 1));
    EXPECT(!hy_deadline_is_past(hy_boottime() + INT64_C(60000000000)));
    EXPECT(!hy_deadline_is_past(INT64_MAX));
}
