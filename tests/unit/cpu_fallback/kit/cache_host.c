#include "cache_host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kit/test_host.h"

#define ALIGNMENT ((size_t)64)

/* What one cache_restore gave out. */
struct handle {
    struct hy_bytes model, data;
    void *mapping; /* of the data, or NULL */
    size_t mapped;
};

static void *heap_copy(const void *bytes, uint64_t length)
{
    void *copy;

    if (posix_memalign(&copy, ALIGNMENT, length ? length : 1) != 0)
        abort();
    if (length > 0)
        memcpy(copy, bytes, length);
    return copy;
}

static int32_t save(void *context, const struct hy_cache_files *files, const struct hy_bytes *model,
                    const struct hy_bytes *data)
{
    struct hy_cache_host *self = context;

    if (self->save_status != HY_STATUS_OK)
        return self->save_status;
    if (files->model_count != 1 || files->data_count != 1 || !files->token)
        return HY_STATUS_INVALID_ARGUMENT;
    free(self->model);
    free(self->data);
    self->model = heap_copy(model->data, model->length);
    self->data = heap_copy(data->data, data->length);
    self->model_length = model->length;
    self->data_length = data->length;
    self->saved++;
    return HY_STATUS_OK;
}

/* Ends as near to a page that cannot be read as its alignment lets it. */
static void map_data(const struct hy_cache_host *self, struct handle *handle)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t capacity = (self->data_length + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    const size_t pages = (capacity + page - 1) / page * page;

    handle->mapped = pages + page;
    handle->mapping =
        mmap(NULL, handle->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (handle->mapping == MAP_FAILED)
        abort();
    uint8_t *bytes = (uint8_t *)handle->mapping + pages - capacity;
    memcpy(bytes, self->data, self->data_length);
    if ((pages > 0 && mprotect(handle->mapping, pages, PROT_READ) != 0) ||
        mprotect((uint8_t *)handle->mapping + pages, page, PROT_NONE) != 0)
        abort();
    handle->data = (struct hy_bytes){bytes, self->data_length};
}

static int32_t restore(void *context, const struct hy_cache_files *files,
                       struct hy_restored *restored)
{
    struct hy_cache_host *self = context;

    if (!self->model || files->model_count != 1 || files->data_count != 1 || !files->token)
        return HY_STATUS_GENERAL_FAILURE;
    struct handle *handle = calloc(1, sizeof *handle);
    if (!handle) /* tests let allocations fail */
        return HY_STATUS_GENERAL_FAILURE;
    handle->model =
        (struct hy_bytes){heap_copy(self->model, self->model_length), self->model_length};
    if (self->memory == HY_CACHE_PAGES)
        map_data(self, handle);
    else
        handle->data =
            (struct hy_bytes){heap_copy(self->data, self->data_length), self->data_length};
    restored->model = &handle->model;
    restored->data = &handle->data;
    restored->handle = handle;
    self->restored++;
    return HY_STATUS_OK;
}

static void release(void *context, struct hy_restored *restored)
{
    struct hy_cache_host *self = context;
    struct handle *handle = restored->handle;

    free((void *)handle->model.data);
    if (handle->mapping)
        munmap(handle->mapping, handle->mapped);
    else
        free((void *)handle->data.data);
    free(handle);
    self->released++;
}

void hy_cache_host_init(struct hy_cache_host *host)
{
    *host = (struct hy_cache_host){.host = *hy_test_host()};
    host->host.context = host;
    host->host.cache_save = save;
    host->host.cache_restore = restore;
    host->host.cache_release = release;
}

void hy_cache_host_finish(struct hy_cache_host *host)
{
    free(host->model);
    free(host->data);
    *host = (struct hy_cache_host){0};
}

static const int32_t no_file[] = {-1}; /* this host keeps none */
static const uint8_t token[HY_TOKEN_SIZE] = {1};

static struct hy_prepare_options begin(struct hy_runner *runner)
{
    if (runner->prepared)
        runner->table->prepared_destroy(runner->prepared);
    runner->prepared = NULL;
    runner->message[0] = '\0';
    return (struct hy_prepare_options){
        .struct_size = sizeof(struct hy_prepare_options),
        .preference = HY_PREFER_FAST_SINGLE_ANSWER,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = runner->deadline,
        .model_cache = no_file,
        .data_cache = no_file,
        .model_cache_count = 1,
        .data_cache_count = 1,
        .token = token,
        .message = {runner->message, sizeof runner->message},
    };
}

int32_t hy_cache_host_prepare(struct hy_runner *runner, const struct hy_model *model)
{
    const struct hy_prepare_options options = begin(runner);

    return runner->table->prepare(runner->device, model, &options, &runner->prepared);
}

int32_t hy_cache_host_restore(struct hy_runner *runner)
{
    const struct hy_prepare_options options = begin(runner);

    return runner->table->prepare_from_cache(runner->device, &options, &runner->prepared);
}
