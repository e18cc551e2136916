#include "plugins/service/server/calls/restore.h"

#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/clients/quota.h"
#include "plugins/service/server/clients/users.h"

#include <stdlib.h>
#include <sys/stat.h>

/* The handle given to the driver in hy_restored.handle. */
struct charged {
    const struct hy_host *host; /* the host that made the copies */
    void *handle;               /* the host's own handle */
    struct hy_server_reservation *memory;
};

/* Maximum size counted per file; no quota is larger. */
#define MOST_BYTES (UINT64_C(1) << 40)

/* Files without a readable size are not read by the host either. */
static uint64_t bytes_of(const int32_t *files, uint32_t count)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < count && i < HY_MAX_CACHE_FILES; i++) {
        struct stat info;
        if (fstat(files[i], &info) == 0 && info.st_size > 0)
            bytes += (uint64_t)info.st_size < MOST_BYTES ? (uint64_t)info.st_size : MOST_BYTES;
    }
    return bytes;
}

static int32_t restore(const struct hy_host *host, const struct hy_cache_files *files,
                       struct charged *charged, struct hy_restored *restored)
{
    const uint64_t bytes =
        bytes_of(files->model, files->model_count) + bytes_of(files->data, files->data_count);
    struct hy_error ignored;

    if (hy_server_reserve(hy_server_caller(), bytes, &charged->memory, &ignored) != HY_OK)
        return HY_STATUS_GENERAL_FAILURE; /* the client then compiles the model again */
    const int32_t status = host->cache_restore(host->context, files, restored);
    if (status != HY_STATUS_OK) {
        hy_server_release(charged->memory);
        return status;
    }
    charged->host = host;
    charged->handle = restored->handle;
    restored->handle = charged;
    return HY_STATUS_OK;
}

static int32_t cache_restore(void *context, const struct hy_cache_files *files,
                             struct hy_restored *restored)
{
    const struct hy_host *host = hy_server_users_caller_host();

    (void)context;
    if (!restored || !HY_REACHES(restored, handle) || !files || !HY_REACHES(files, data))
        return HY_STATUS_INVALID_ARGUMENT;
    struct charged *charged = host ? calloc(1, sizeof *charged) : NULL;
    if (!charged)
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = restore(host, files, charged, restored);
    if (status != HY_STATUS_OK)
        free(charged);
    return status;
}

static void cache_release(void *context, struct hy_restored *restored)
{
    (void)context;
    if (!restored || !restored->handle)
        return;
    struct charged *charged = restored->handle;
    restored->handle = charged->handle;
    charged->host->cache_release(charged->host->context, restored);
    hy_server_release(charged->memory);
    free(charged);
}

void hy_server_restore_fill(struct hy_host *face, const struct hy_host *inner)
{
    if (!HY_HAS(inner, cache_restore) || !HY_HAS(inner, cache_release))
        return;
    face->cache_restore = cache_restore;
    face->cache_release = cache_release;
}
