/*
 * Every allocation of a model's life fails in turn. A program of its own: the linker puts the
 * functions below in the place of the allocator (--wrap).
 */
#include "runtime/extension/code_text.h"
#include "runtime/extension/extension.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/model_fixture.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

static struct {
    unsigned count;   /* allocations tried so far */
    unsigned fail_at; /* the one that fails; 0: none */
    bool fail_on;     /* all later ones fail, too */
    bool failed;
    int live; /* allocated and not freed */
} heap;

static bool allow(void)
{
    heap.count++;
    bool fails =
        heap.fail_at && (heap.fail_on ? heap.count >= heap.fail_at : heap.count == heap.fail_at);
    heap.failed |= fails;
    return !fails;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void __wrap_free(void *memory);

static void *note(void *memory, const void *old)
{
    heap.live += memory && !old;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return allow() ? note(__real_malloc(size), NULL) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allow() ? note(__real_calloc(count, size), NULL) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    const bool is_new = !old;
    if (old && size < malloc_usable_size(old)) /* who cannot give room back keeps it */
        return __real_realloc(old, size);
    if (!allow())
        return NULL;
    void *memory = __real_realloc(old, size);
    heap.live += memory && is_new;
    return memory;
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    const bool is_new = !old;
    if (!allow())
        return NULL;
    void *memory = __real_reallocarray(old, count, size);
    heap.live += memory && is_new;
    return memory;
}

void __wrap_free(void *memory)
{
    heap.live -= memory != NULL;
    __real_free(memory);
}

/* ---- A model that needs every kind of memory ------------------------------------------------- */

enum { COUNT = 40, LARGE = 64 };

struct build {
    struct fixture f;
    struct hy_memory *memory;
    struct hy_app_model *body; /* made before allocations fail */
    int fd;
};

static enum hy_code create(struct build *b)
{
    return hy_app_model_create(&b->f.model, &b->f.err);
}

static enum hy_code share(struct build *b)
{
    return hy_memory_from_fd(4096, PROT_READ, b->fd, 0, &b->memory, &b->f.err);
}

static enum hy_code add_operands(struct build *b)
{
    const uint32_t dim = LARGE;

    /* More than the first room, so that growing fails, too. */
    while (b->f.operands < COUNT) {
        const bool per_channel = b->f.operands == 5;
        enum hy_code code =
            add(&b->f, (struct hy_operand_spec){per_channel
                                                    ? ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL
                                                    : ANEURALNETWORKS_TENSOR_FLOAT32,
                                                1, &dim, 0, 0});
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

static enum hy_code add_activation(struct build *b)
{
    return add(&b->f, (struct hy_operand_spec){.type = ANEURALNETWORKS_INT32});
}

static enum hy_code set_activation(struct build *b)
{
    return set(&b->f, COUNT, &(int32_t){0}, sizeof(int32_t));
}

static enum hy_code add_model(struct build *b)
{
    return add(&b->f, (struct hy_operand_spec){.type = ANEURALNETWORKS_MODEL});
}

static enum hy_code set_model(struct build *b)
{
    return hy_app_model_set_value_from_model(b->f.model, COUNT + 1, b->body, &b->f.err);
}

static enum hy_code set_large(struct build *b)
{
    static const float large[LARGE];
    return set(&b->f, 3, large, sizeof large);
}

static enum hy_code set_misaligned(struct build *b)
{
    static const uint8_t large[LARGE * sizeof(float) + 1];
    return set(&b->f, 4, large + 1, LARGE * sizeof(float));
}

static enum hy_code set_scales(struct build *b)
{
    float scales[LARGE];
    for (int i = 0; i < LARGE; i++)
        scales[i] = 1;
    return hy_app_model_set_channel_quant(b->f.model, 5, 0, LARGE, scales, &b->f.err);
}

static enum hy_code set_in_memory(struct build *b)
{
    for (uint32_t i = 5; i < COUNT; i++) {
        enum hy_code code =
            set_memory(&b->f, i, b->memory, 8 * i, i == 5 ? LARGE : LARGE * sizeof(float));
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

static enum hy_code add_relu(struct build *b)
{
    return relu(&b->f, 1, 2);
}

static enum hy_code add_sum(struct build *b)
{
    return add_op(&b->f, 0, 3, COUNT, 1);
}

static enum hy_code name_lists(struct build *b)
{
    return identify(&b->f, 0, 2);
}

static enum hy_code close_model(struct build *b)
{
    return finish(&b->f);
}

static enum hy_code (*const steps[])(struct build *) = {
    create,        share,     add_operands, add_activation, set_activation,
    add_model,     set_model, set_large,    set_misaligned, set_scales,
    set_in_memory, add_relu,  add_sum,      name_lists,     close_model,
};

/* Goes as far as it can; `retries` tells how often a step may be tried again. */
static enum hy_code build(struct build *b, int retries)
{
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        enum hy_code code = steps[i](b);
        if (code == HY_OUT_OF_MEMORY && retries > 0) {
            retries--;
            code = steps[i](b);
        }
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

/* One life of a model with failures from `fail_at` on; true when none came about any more. */
static bool live_once(unsigned fail_at, bool fail_on)
{
    heap.fail_at = 0;
    struct fixture body = fixture_relu();
    EXPECT_INT(finish(&body), HY_OK);
    struct build b = {.fd = shared_file(4096), .body = body.model};

    memset(&heap, 0, sizeof heap);
    heap.fail_at = fail_at;
    heap.fail_on = fail_on;
    enum hy_code code = build(&b, fail_on ? 0 : 1);

    if (code != (heap.failed && fail_on ? HY_OUT_OF_MEMORY : HY_OK))
        hy_test_fail(__FILE__, __LINE__, "failing at allocation %u: %s", fail_at, b.f.err.text);
    if (code == HY_OUT_OF_MEMORY && b.f.model)
        EXPECT_INT(hy_app_model_state(b.f.model), HY_MODEL_BUILDING);
    if (code == HY_OK) {
        EXPECT_INT(hy_app_model_view(b.f.model)->pool_count, 3);
        EXPECT_INT(hy_app_model_view(b.f.model)->referenced_count, 1);
    }
    hy_app_model_release(b.f.model);
    hy_memory_release(b.memory);
    close(b.fd);
    EXPECT_INT(heap.live, 0);
    fixture_free(&body);
    return !heap.failed;
}

static void fail_everywhere(bool fail_on)
{
    unsigned fail_at = 1;

    while (fail_at < 1000 && !live_once(fail_at, fail_on))
        fail_at++;
    EXPECT(fail_at > 10 && fail_at < 1000);
}

TEST(runtime_model_out_of_memory, model_stays_open_and_nothing_leaks)
{
    fail_everywhere(true);
}

TEST(runtime_model_out_of_memory, failed_call_can_be_repeated)
{
    fail_everywhere(false);
}

/* The name itself and the room for it are two allocations. */
TEST(model_out_of_memory, code_of_an_extension_has_the_name_of_the_extension)
{
    uint32_t prefix = 0;
    memset(&heap, 0, sizeof heap);
    REQUIRE(hy_extension_prefix("com.acme.memory", &prefix, NULL) == HY_OK);
    const int32_t code = (int32_t)(prefix << 16 | 3);

    for (unsigned fail_at = 1; fail_at <= 2; fail_at++) {
        memset(&heap, 0, sizeof heap);
        heap.fail_at = fail_at;
        EXPECT_STR(hy_operation_text(code), "com.acme.memory");
        EXPECT(heap.failed);
        EXPECT_INT(heap.live, 0);
    }
    memset(&heap, 0, sizeof heap);
    EXPECT_STR(hy_operation_text(code), "com.acme.memory#3");
}
