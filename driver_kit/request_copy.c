#include "driver_kit/request_copy.h"

#include <stdlib.h>

/* The arrays of the copy, in one block in this order. Extents and images are sized for the maximum.
 */
struct copy {
    struct hy_request request;
    struct hy_image *images;
    struct hy_pool *pools;
    struct hy_argument *arguments;
    uint32_t (*dims)[HY_MAX_RANK];
};

/* A larger count is invalid. The limit also prevents an overflow of the block size. */
#define MOST (UINT32_C(1) << 24)

static struct copy *allocate(uint32_t arguments, uint32_t pools)
{
    const size_t bytes = sizeof(struct copy) +
                         pools * (sizeof(struct hy_image) + sizeof(struct hy_pool)) +
                         arguments * (sizeof(struct hy_argument) + sizeof(uint32_t[HY_MAX_RANK]));
    struct copy *copy = malloc(bytes);
    if (!copy)
        return NULL;
    copy->images = (struct hy_image *)(copy + 1);
    copy->pools = (struct hy_pool *)(copy->images + pools);
    copy->arguments = (struct hy_argument *)(copy->pools + pools);
    copy->dims = (uint32_t(*)[HY_MAX_RANK])(copy->arguments + arguments);
    return copy;
}

static void copy_arguments(struct copy *copy, const struct hy_argument *from, uint32_t first,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct hy_argument *to = &copy->arguments[first + i];
        *to = from[i];
        if (to->rank > 0)
            memcpy(copy->dims[first + i], to->dims, to->rank * sizeof *to->dims);
        to->dims = to->rank > 0 ? copy->dims[first + i] : NULL;
    }
}

static void copy_pools(struct copy *copy, const struct hy_request *request)
{
    for (uint32_t i = 0; i < request->pool_count; i++) {
        copy->pools[i] = request->pools[i];
        if (!request->pools[i].image)
            continue;
        copy->images[i] = *request->pools[i].image;
        copy->pools[i].image = &copy->images[i];
    }
}

static bool are_whole(const struct hy_argument *arguments, uint32_t count)
{
    bool is_whole = count == 0 || arguments;
    for (uint32_t i = 0; is_whole && i < count; i++)
        is_whole =
            arguments[i].rank == 0 || (arguments[i].rank <= HY_MAX_RANK && arguments[i].dims);
    return is_whole;
}

bool hy_request_is_whole(const struct hy_request *request)
{
    return HY_REACHES(request, pools) && request->input_count <= MOST &&
           request->output_count <= MOST && request->pool_count <= MOST &&
           are_whole(request->inputs, request->input_count) &&
           are_whole(request->outputs, request->output_count) &&
           (request->pool_count == 0 || request->pools);
}

struct hy_request *hy_request_copy(const struct hy_request *request)
{
    const uint32_t inputs = request->input_count, outputs = request->output_count;
    struct copy *copy = allocate(inputs + outputs, request->pool_count);
    if (!copy)
        return NULL;
    copy_arguments(copy, request->inputs, 0, inputs);
    copy_arguments(copy, request->outputs, inputs, outputs);
    copy_pools(copy, request);
    copy->request = (struct hy_request){
        .struct_size = sizeof copy->request,
        .input_count = inputs,
        .output_count = outputs,
        .pool_count = request->pool_count,
        .inputs = copy->arguments,
        .outputs = copy->arguments + inputs,
        .pools = copy->pools,
    };
    return &copy->request;
}
