/* What the values of HALYARD_BURST_WAIT mean to the two ends. */
#include "halyard/driver.h"
#include "plugins/service/queue/burst_wait.h"
#include "tests/kit/test.h"

TEST(burst_wait, value_is_one_of_three_names)
{
    static const char *const wrong[] = {"", "Poll", "poll ", "polling", "blocking", "0", "spin"};
    enum hy_burst_wait wait = HY_BURST_WAIT_POLL;

    EXPECT(hy_burst_wait_parse(NULL, &wait) && wait == HY_BURST_WAIT_ADAPTIVE);
    EXPECT(hy_burst_wait_parse("poll", &wait) && wait == HY_BURST_WAIT_POLL);
    EXPECT(hy_burst_wait_parse("block", &wait) && wait == HY_BURST_WAIT_BLOCK);
    EXPECT(hy_burst_wait_parse("adaptive", &wait) && wait == HY_BURST_WAIT_ADAPTIVE);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wait = HY_BURST_WAIT_POLL;
        EXPECT(!hy_burst_wait_parse(wrong[i], &wait));
        EXPECT_INT(wait, HY_BURST_WAIT_ADAPTIVE);
    }
}

TEST(burst_wait, service_that_polls_gives_up_when_the_burst_is_idle)
{
    const struct hy_burst_wait_rules client = hy_burst_wait_of_client(HY_BURST_WAIT_POLL);
    const struct hy_burst_wait_rules service = hy_burst_wait_of_service(HY_BURST_WAIT_POLL);

    EXPECT(client.polls && client.spin_ns > HY_MAX_AWAKE_NS);
    EXPECT(service.polls && service.spin_ns == HY_MAX_AWAKE_NS);
}

TEST(burst_wait, ends_that_block_never_look)
{
    const struct hy_burst_wait_rules client = hy_burst_wait_of_client(HY_BURST_WAIT_BLOCK);
    const struct hy_burst_wait_rules service = hy_burst_wait_of_service(HY_BURST_WAIT_BLOCK);

    EXPECT(!client.polls && client.spin_ns == 0);
    EXPECT(!service.polls && service.spin_ns == 0);
}
