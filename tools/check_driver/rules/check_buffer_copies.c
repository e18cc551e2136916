/* Copies into buffers and out of them: B37. */
#include <stdlib.h>
#include <string.h>

#include "tools/check_driver/buffer_case.h"

static const struct {
    uint32_t kind;
    const char *name;
    bool is_duty;
} kinds[] = {
    {HY_POOL_ASHMEM, "ASHMEM", true},
    {HY_POOL_MMAP_FD, "MMAP_FD at an offset", true},
    {HY_POOL_HARDWARE_BUFFER_BLOB, "HARDWARE_BUFFER_BLOB", true},
    {HY_POOL_HOST, "HOST", false},
};

/* Input 0 of the model, and as many bytes to read them back. */
struct content {
    const uint8_t *bytes;
    uint8_t *copy;
    size_t size;
};

static void expect(struct hy_buffer_case *test_case, const char *description, int32_t status,
                   int32_t wanted)
{
    if (status != wanted)
        hy_buffer_case_report(test_case, "%s: %s", description, hy_status_text(status));
}

static void expect_content(struct hy_buffer_case *test_case, const struct hy_buffer *buffer,
                           const struct content *content, const char *description)
{
    const int32_t status =
        hy_buffer_read(test_case->check, buffer, HY_POOL_ASHMEM, content->copy, content->size);
    if (status != HY_STATUS_OK)
        hy_buffer_case_report(test_case, "%s, the contents cannot be copied out: %s", description,
                              hy_status_text(status));
    else if (memcmp(content->copy, content->bytes, content->size) != 0)
        hy_buffer_case_report(test_case,
                              "%s, the contents copied out differ from the contents copied in",
                              description);
}

/* ---- Shared memory --------------------------------------------------------------------------- */

static void check_sizes(struct hy_buffer_case *test_case, const struct content *content)
{
    struct hy_check *check = test_case->check;
    const struct hy_buffer *buffer = &test_case->input;
    expect(test_case, "copying in one byte too few",
           hy_buffer_write(check, buffer, HY_POOL_ASHMEM, content->bytes, content->size - 1),
           HY_STATUS_INVALID_ARGUMENT);
    expect(test_case, "copying in one byte too many",
           hy_buffer_write(check, buffer, HY_POOL_ASHMEM, content->copy, content->size + 1),
           HY_STATUS_INVALID_ARGUMENT);
    expect(test_case, "buffer_copy_from",
           hy_buffer_write(check, buffer, HY_POOL_ASHMEM, content->bytes, content->size),
           HY_STATUS_OK);
    expect(test_case, "copying out to memory one byte too small",
           hy_buffer_read(check, buffer, HY_POOL_ASHMEM, content->copy, content->size - 1),
           HY_STATUS_INVALID_ARGUMENT);
    expect(test_case, "copying out to memory one byte too large",
           hy_buffer_read(check, buffer, HY_POOL_ASHMEM, content->copy, content->size + 1),
           HY_STATUS_INVALID_ARGUMENT);
    expect_content(test_case, buffer, content, "after copies of other sizes");
}

static void check_kind(struct hy_buffer_case *test_case, const struct content *content,
                       size_t which)
{
    struct hy_check *check = test_case->check;
    const uint32_t kind = kinds[which].kind;
    hy_result_page_step(check->page, HY_RULE_B37, "copying to and from %s for %s",
                        kinds[which].name, test_case->sample.vector->name);
    int32_t status = hy_buffer_write(check, &test_case->input, kind, content->bytes, content->size);
    if (!kinds[which].is_duty && status == HY_STATUS_GENERAL_FAILURE)
        return;
    expect(test_case, kinds[which].name, status, HY_STATUS_OK);
    memset(content->copy, 0, content->size);
    status = hy_buffer_read(check, &test_case->input, kind, content->copy, content->size);
    expect(test_case, kinds[which].name, status, HY_STATUS_OK);
    if (status == HY_STATUS_OK && memcmp(content->copy, content->bytes, content->size) != 0)
        hy_buffer_case_report(test_case, "the contents copied out by %s differ", kinds[which].name);
}

/* `dims` may be absent if the shape is known; contradicting dims are refused. */
static void check_dims(struct hy_buffer_case *test_case, const struct content *content)
{
    const struct hy_vector_model *model = &test_case->sample.vector->models[0];
    const struct hy_vector_operand *operand = &model->operands[model->inputs.items[0]];
    uint32_t dims[HY_MAX_RANK + 1] = {0};
    struct hy_memory memory;
    if (operand->rank == 0 || operand->rank > HY_MAX_RANK ||
        hy_memory_create(HY_POOL_ASHMEM, content->size, &memory, NULL) != HY_OK)
        return;
    struct hy_pool pool = hy_memory_pool(&memory, HY_POOL_ASHMEM, HY_PROTECT_READ);
    pool.size = content->size;
    memcpy(memory.bytes, content->bytes, content->size);
    memcpy(dims, operand->dims, operand->rank * sizeof *dims);
    expect(
        test_case, "copying in with the shape",
        test_case->check->table.buffer_copy_from(test_case->input.self, &pool, dims, operand->rank),
        HY_STATUS_OK);
    expect_content(test_case, &test_case->input, content, "after a copy with the shape");
    dims[0]++;
    expect(
        test_case, "copying in with another extent",
        test_case->check->table.buffer_copy_from(test_case->input.self, &pool, dims, operand->rank),
        HY_STATUS_INVALID_ARGUMENT);
    dims[0]--;
    dims[operand->rank] = 1;
    expect(test_case, "copying in with another rank",
           test_case->check->table.buffer_copy_from(test_case->input.self, &pool, dims,
                                                    operand->rank + 1),
           HY_STATUS_INVALID_ARGUMENT);
    hy_memory_destroy(&memory);
}

/* ---- Other buffers --------------------------------------------------------------------------- */

/* A driver may have no way from buffer to buffer. */
static void check_between(struct hy_buffer_case *test_case, const struct content *content)
{
    static const struct hy_buffer_use use = {.is_output = 0};
    struct hy_check *check = test_case->check;
    struct hy_buffer other = {0};
    struct hy_pool pool = hy_buffer_pool(&test_case->input);
    if (hy_buffer_make(check, HY_RULE_B37, test_case->sample.prepared, &use, 1, &other) !=
        HY_STATUS_OK)
        return;
    hy_result_page_step(check->page, HY_RULE_B37, "copying from buffer to buffer for %s",
                        test_case->sample.vector->name);
    int32_t status = check->table.buffer_copy_from(other.self, &pool, NULL, 0);
    if (status == HY_STATUS_OK)
        expect_content(test_case, &other, content, "after a copy from another buffer");
    else
        expect(test_case, "copying from another buffer", status, HY_STATUS_INVALID_ARGUMENT);
    hy_buffer_finish(check, &other);

    if (hy_buffer_make(check, HY_RULE_B37, test_case->sample.prepared, &use, 1, &other) ==
        HY_STATUS_OK) {
        pool = hy_buffer_pool(&other);
        status = check->table.buffer_copy_from(test_case->input.self, &pool, NULL, 0);
        if (status != HY_STATUS_GENERAL_FAILURE)
            expect(test_case, "copying from a buffer without contents", status,
                   HY_STATUS_INVALID_ARGUMENT);
    }
    hy_buffer_finish(check, &other);
    pool.buffer_token = 0x7fffffff;
    expect(test_case, "copying from a buffer that does not exist",
           check->table.buffer_copy_from(test_case->input.self, &pool, NULL, 0),
           HY_STATUS_INVALID_ARGUMENT);
}

static void check_copies(struct hy_buffer_case *test_case)
{
    const struct hy_location *at = &test_case->shared[0];
    const struct content content = {.bytes =
                                        test_case->sample.test_case.memory[0].bytes + at->offset,
                                    .copy = calloc(1, at->length + 1),
                                    .size = at->length};
    if (!content.copy)
        return;
    check_sizes(test_case, &content);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check_kind(test_case, &content, i);
    check_dims(test_case, &content);
    if (hy_buffer_case_fill(test_case) == HY_STATUS_OK)
        check_between(test_case, &content);
    free(content.copy);
}

void hy_check_buffer_copies(struct hy_check *check)
{
    hy_for_each_buffer_case(check, HY_RULE_B37, check_copies);
}
