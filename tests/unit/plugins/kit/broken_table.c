/* A driver library whose table is wrong in the way that the build says: TABLE initialises it, and
 * NO_TABLE gives none at all. */
#include <halyard/driver.h>

#define SIZE sizeof(struct hy_driver)

#ifdef NO_TABLE
const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    (void)host_abi;
    return NULL;
}
#else
static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    (void)host, (void)arguments, (void)message, (void)instance;
    return HY_STATUS_GENERAL_FAILURE;
}

static const struct hy_driver driver = {.create = create, TABLE};

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    (void)host_abi;
    return &driver;
}
#endif
