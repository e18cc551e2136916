/* What the driver keeps with the cache engine of its host: nothing of use, and only where a fault
 * asks for it. */
#include "faulty.h"

static const char key[] = "faulty";

/* Takes a blob that it has been told of for one that it can load. */
static int32_t load_trustingly(const struct hy_host *host)
{
    char bytes[8];
    uint64_t length = 0, loaded = 0;
    if (host->blob_load(host->context, key, sizeof key, NULL, 0, &length) != HY_STATUS_OK)
        return HY_STATUS_OK;
    if (length == 0) {
        (void)host->blob_store(host->context, key, sizeof key, "blob", 4);
        return HY_STATUS_OK;
    }
    if (host->blob_load(host->context, key, sizeof key, bytes, sizeof bytes, &loaded) !=
            HY_STATUS_OK ||
        loaded != length)
        return HY_STATUS_GENERAL_FAILURE;
    return HY_STATUS_OK;
}

int32_t faulty_blobs_use(const struct device *device)
{
    const struct hy_host *host = device->instance->host;
    if (!HY_HAS(host, blob_store) || !HY_HAS(host, blob_load))
        return HY_STATUS_OK;
    if (has_fault(device, "blob-needs-engine"))
        return host->blob_store(host->context, key, sizeof key, "blob", 4);
    return has_fault(device, "blob-trusts") ? load_trustingly(host) : HY_STATUS_OK;
}
