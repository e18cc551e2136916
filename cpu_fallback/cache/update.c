#include "cpu_fallback/cache/cpu_cache.h"
#include "cpu_fallback/cache/write.h"

bool hy_cpu_cache_can_update(const struct hy_cpu_device *device,
                             const struct hy_prepare_options *options)
{
    const struct hy_host *host = device->host;

    return hy_cpu_cache_is_offered(device) && HY_HAS(host, cache_begin) &&
           HY_HAS(host, cache_commit) && options->token &&
           options->model_cache_count == HY_CPU_CACHE_FILES &&
           options->data_cache_count == HY_CPU_CACHE_FILES;
}

/* Writes to new files of the host. A commit makes them the entry; without a commit the host removes
 * them. */
static enum hy_code save(const struct hy_host *host, const uint8_t *token,
                         const struct hy_cpu_cache_files *written, struct hy_error *err)
{
    int32_t model_file = -1, data_file = -1;
    void *update = NULL;
    const struct hy_bytes model = {written->model.capacity.bytes, written->model.length};
    const struct hy_bytes data = {written->data.bytes, written->data_length};
    const struct hy_cache_files files = {
        .struct_size = sizeof files,
        .model_count = HY_CPU_CACHE_FILES,
        .data_count = HY_CPU_CACHE_FILES,
        .token = token,
        .model = &model_file,
        .data = &data_file,
    };
    int32_t status = host->cache_begin(host->context, token, &model_file, &data_file, &update);

    if (status == HY_STATUS_OK) {
        status = host->cache_save(host->context, &files, &model, &data);
        const int32_t committed =
            host->cache_commit(host->context, update, status == HY_STATUS_OK ? 1 : 0);
        status = status == HY_STATUS_OK ? committed : status;
    }
    if (status != HY_STATUS_OK)
        return hy_fail(err, HY_FAILED, "the host refuses an update of the cache files (status %d)",
                       status);
    return HY_OK;
}

enum hy_code hy_cpu_cache_update(const struct hy_cpu_device *device, const uint8_t *token,
                                 const struct hy_cpu_prepared *prepared, struct hy_error *err)
{
    struct hy_cpu_cache_files written = {0};
    enum hy_code code =
        hy_cpu_cache_write(prepared, hy_cpu_cache_identity_of(device).text, true, &written, err);

    if (code == HY_OK)
        code = save(device->host, token, &written, err);
    hy_cpu_cache_files_finish(&written);
    return code;
}
