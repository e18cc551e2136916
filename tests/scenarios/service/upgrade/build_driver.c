/*
 * A build of the sample driver for tests: version and build id are those that the sample was
 * compiled with. LEVEL is its feature level; with PAUSE_MS an execution takes so long, and the
 * thread that does it bears a name meanwhile by which others find it.
 */
#include <halyard/driver.h>

#include <sys/prctl.h>
#include <time.h>

const struct hy_driver *sample_query(uint32_t host_abi);

static const struct hy_driver *sample;
static const struct hy_device *own; /* the table of the one device */

static int32_t describe(void *device, struct hy_device_info *info)
{
    const int32_t status = own->describe(device, info);

    info->feature_level = LEVEL;
    return status;
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    struct timespec left = {.tv_nsec = PAUSE_MS * 1000000L};

    prctl(PR_SET_NAME, "executing");
    while (nanosleep(&left, &left) != 0)
        ;
    prctl(PR_SET_NAME, "idle");
    return own->execute(prepared, request, options, result);
}

/* Everything goes through execute then. */
static void slow_down(struct hy_device *table)
{
    table->execute = execute;
    table->burst_open = NULL;
    table->burst_execute = NULL;
    table->burst_release = NULL;
    table->burst_close = NULL;
    table->reusable_create = NULL;
    table->reusable_execute = NULL;
    table->reusable_destroy = NULL;
}

static int32_t device(void *instance, uint32_t index, const struct hy_device **table, void **self)
{
    static struct hy_device changed;

    const int32_t status = sample->device(instance, index, &own, self);
    if (status != HY_STATUS_OK)
        return status;
    changed = *own;
    changed.describe = describe;
    if (PAUSE_MS > 0)
        slow_down(&changed);
    *table = &changed;
    return HY_STATUS_OK;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static struct hy_driver driver;

    sample = sample_query(host_abi);
    if (!sample)
        return NULL;
    driver = *sample;
    driver.device = device;
    return &driver;
}
