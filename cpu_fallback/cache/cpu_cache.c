#include "cpu_fallback/cache/cpu_cache.h"

#include "cpu_fallback/cache/read.h"
#include "cpu_fallback/cache/write.h"

/* Gets the cache files of the options. False: there are none to use. */
static bool find_files(const struct hy_cpu_device *device, const struct hy_prepare_options *options,
                       struct hy_cache_files *files)
{
    if (!hy_cpu_cache_is_offered(device) || !options->token ||
        options->model_cache_count != HY_CPU_CACHE_FILES ||
        options->data_cache_count != HY_CPU_CACHE_FILES || !options->model_cache ||
        !options->data_cache)
        return false;
    *files = (struct hy_cache_files){
        .struct_size = sizeof *files,
        .model_count = options->model_cache_count,
        .data_count = options->data_cache_count,
        .token = options->token,
        .model = options->model_cache,
        .data = options->data_cache,
    };
    return true;
}

void hy_cpu_cache_save(const struct hy_cpu_device *device, const struct hy_prepare_options *options,
                       const struct hy_cpu_prepared *prepared)
{
    const struct hy_host *host = device->host;
    struct hy_cpu_cache_files written = {0};
    struct hy_cache_files files;
    struct hy_error err;

    if (!find_files(device, options, &files))
        return;
    enum hy_code code =
        hy_cpu_cache_write(prepared, hy_cpu_cache_identity_of(device).text, false, &written, &err);
    if (code == HY_OK) {
        const struct hy_bytes model = {written.model.capacity.bytes, written.model.length};
        const struct hy_bytes data = {written.data.bytes, written.data_length};
        int32_t status = host->cache_save(host->context, &files, &model, &data);
        if (status != HY_STATUS_OK)
            code = hy_fail(&err, HY_FAILED, "the host refuses the cache files (status %d)", status);
    }
    hy_cpu_cache_files_finish(&written);
    if (code != HY_OK) {
        (void)hy_error_prefix(&err, code, "%s: not cached", device->name);
        host->log(host->context, HY_LOG_WARNING, err.text);
    }
}

/* The cache files of a restored model. */
struct restored {
    const struct hy_host *host;
    struct hy_restored files;
};

static void release(void *resource)
{
    struct restored *restored = resource;
    const struct hy_host *host = restored->host;

    host->cache_release(host->context, &restored->files);
    hy_cpu_free(restored);
}

/* Opens a private copy of the model cache, and maps the data cache. */
static enum hy_code open_files(const struct hy_cpu_device *device,
                               const struct hy_prepare_options *options, struct restored **out,
                               struct hy_error *err)
{
    const struct hy_host *host = device->host;
    struct restored *restored;
    struct hy_cache_files files;

    if (!find_files(device, options, &files))
        return hy_fail(err, HY_FAILED, "no cache files of %s", device->name);
    restored = hy_cpu_calloc(host, 1, sizeof *restored);
    if (!restored)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a cached model");
    restored->host = host;
    restored->files.struct_size = sizeof restored->files;
    int32_t status = host->cache_restore(host->context, &files, &restored->files);
    if (status != HY_STATUS_OK) {
        hy_cpu_free(restored);
        return hy_fail(err, HY_FAILED, "the host cannot verify the cache files (status %d)",
                       status);
    }
    *out = restored;
    return HY_OK;
}

static enum hy_code compile(const struct hy_cpu_device *device, const struct hy_restored *files,
                            struct hy_cpu_prepared **out, struct hy_error *err)
{
    struct hy_cpu_restored_model restored_model;
    enum hy_code code =
        hy_cpu_cache_read(&files->model[0], &files->data[0], hy_cpu_cache_identity_of(device).text,
                          device->l2_bytes, device->host, &restored_model, err);

    if (code == HY_OK) {
        const struct hy_cpu_setup setup = {
            .host = device->host,
            .kernels = device->kernels,
            .threads = device->threads,
            .l2_bytes = device->l2_bytes,
            .compiled_view = restored_model.compiled_view,
            .body_views = restored_model.body_views,
        };
        code = hy_cpu_prepared_create(&restored_model.model, &setup, out, err);
        if (code == HY_OK)
            (*out)->is_tuned = restored_model.is_tuned;
    }
    hy_cpu_restored_model_finish(&restored_model);
    return code;
}

enum hy_code hy_cpu_cache_restore(const struct hy_cpu_device *device,
                                  const struct hy_prepare_options *options,
                                  struct hy_cpu_prepared **out, struct hy_error *err)
{
    struct restored *restored;
    struct hy_cpu_prepared *made;
    enum hy_code code = open_files(device, options, &restored, err);

    if (code != HY_OK)
        return code;
    code = compile(device, &restored->files, &made, err);
    if (code != HY_OK) {
        release(restored);
        return code;
    }
    made->owner = (struct hy_cpu_owner){release, restored};
    *out = made;
    return HY_OK;
}
