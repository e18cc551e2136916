#include "plugins/service/queue/burst_wait.h"

#include <string.h>

#include "halyard/driver.h"
#include "plugins/service/queue/queue_burst.h"

bool hy_burst_wait_parse(const char *text, enum hy_burst_wait *ret)
{
    static const char *const names[] = {
        [HY_BURST_WAIT_ADAPTIVE] = "adaptive",
        [HY_BURST_WAIT_BLOCK] = "block",
        [HY_BURST_WAIT_POLL] = "poll",
    };

    *ret = HY_BURST_WAIT_ADAPTIVE;
    for (unsigned i = 0; text && i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) {
            *ret = (enum hy_burst_wait)i;
            return true;
        }
    }
    return text == NULL;
}

static struct hy_burst_wait_rules rules(enum hy_burst_wait wait, uint64_t polling_ns)
{
    if (wait == HY_BURST_WAIT_POLL)
        return (struct hy_burst_wait_rules){.spin_ns = polling_ns, .polls = true};
    return (struct hy_burst_wait_rules){
        .spin_ns = wait == HY_BURST_WAIT_BLOCK ? 0 : HY_QUEUE_USUAL_SPIN_NS};
}

struct hy_burst_wait_rules hy_burst_wait_of_client(enum hy_burst_wait wait)
{
    return rules(wait, UINT64_MAX);
}

/* The client may never send another request: a polling service sleeps after HY_MAX_AWAKE_NS. */
struct hy_burst_wait_rules hy_burst_wait_of_service(enum hy_burst_wait wait)
{
    return rules(wait, HY_MAX_AWAKE_NS);
}
