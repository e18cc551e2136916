/* Constants of a model: copied, used in place, or in memory objects. */
#include "common/operations/operand_type.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/model_fixture.h"

#include <android/NeuralNetworksOEM.h>

/* output = input + constant; the constant is operand 1 and has no value yet. */
static struct fixture with_constant(uint32_t count)
{
    struct fixture f = fixture_create();
    uint32_t input = floats(&f, count), other = floats(&f, count), none = constant(&f, 0);
    uint32_t output = floats(&f, count);

    if (add_op(&f, input, other, none, output) != HY_OK || identify(&f, input, output) != HY_OK)
        fixture_free(&f);
    return f;
}

static const struct hy_operand *finished_operand(struct fixture *f, uint32_t index)
{
    return finish(f) == HY_OK ? &hy_app_model_view(f->model)->main->operands[index] : NULL;
}

TEST(runtime_model_values, small_value_is_copied_at_once)
{
    struct fixture f = with_constant(32);
    float value[32] = {1, 2, 3};
    REQUIRE(f.model != NULL);

    EXPECT_INT(set(&f, 1, value, sizeof value), HY_OK);
    memset(value, 0xff, sizeof value);
    const struct hy_operand *operand = finished_operand(&f, 1);
    REQUIRE(operand != NULL);
    EXPECT_INT(operand->lifetime, HY_LIFETIME_CONSTANT_COPY);
    EXPECT_INT(operand->location.length, 128);
    EXPECT_INT(operand->location.offset % 4, 0);

    const struct hy_model *view = hy_app_model_view(f.model);
    REQUIRE(operand->location.offset + 128 <= view->values_size);
    EXPECT(memcmp(view->values + operand->location.offset, (const float[]){1, 2, 3}, 12) == 0);
    EXPECT_INT(view->pool_count, 0);
    fixture_free(&f);
}

TEST(runtime_model_values, large_value_is_used_in_place)
{
    static const float value[33] = {4};
    struct fixture f = with_constant(33);
    REQUIRE(f.model != NULL);

    EXPECT_INT(set(&f, 1, value, sizeof value), HY_OK);
    const struct hy_operand *operand = finished_operand(&f, 1);
    REQUIRE(operand != NULL);
    EXPECT_INT(operand->lifetime, HY_LIFETIME_CONSTANT_POOL);
    EXPECT_INT(operand->location.offset, 0);
    EXPECT_INT(operand->location.length, 132);

    const struct hy_model *view = hy_app_model_view(f.model);
    REQUIRE(view->pool_count == 1 && operand->location.pool == 0);
    EXPECT_INT(view->pools[0].kind, HY_POOL_HOST);
    EXPECT(view->pools[0].address == (const void *)value);
    EXPECT_INT(view->pools[0].size, 132);
    EXPECT_INT(view->pools[0].protection, HY_PROTECT_READ);
    EXPECT_INT(view->pools[0].fd, -1);
    EXPECT(view->pools[0].id != 0);
    fixture_free(&f);
}

TEST(runtime_model_values, misaligned_large_value_is_copied_to_an_aligned_place)
{
    static _Alignas(8) uint8_t bytes[4 + 33 * sizeof(float)];
    struct fixture f = with_constant(33);
    REQUIRE(f.model != NULL);

    bytes[1] = 42;
    EXPECT_INT(set(&f, 1, bytes + 1, 33 * sizeof(float)), HY_OK);
    REQUIRE(finish(&f) == HY_OK);
    const struct hy_pool *pool = &hy_app_model_view(f.model)->pools[0];
    EXPECT_INT((uintptr_t)pool->address % sizeof(float), 0);
    EXPECT_INT(*(const uint8_t *)pool->address, 42);
    fixture_free(&f);
}

TEST(runtime_model_values, value_can_be_replaced_by_one_of_another_kind)
{
    static const float large[33];
    struct fixture f = with_constant(33);
    struct hy_memory *memory = shared_memory(1024);
    REQUIRE(f.model && memory);

    EXPECT_INT(set(&f, 1, large, sizeof large), HY_OK);
    EXPECT_INT(set_memory(&f, 1, memory, 4, sizeof large), HY_OK);
    EXPECT_INT(set(&f, 1, large, sizeof large), HY_OK);
    EXPECT_INT(set(&f, 1, NULL, 0), HY_OK);
    EXPECT_INT(set_memory(&f, 1, memory, 8, sizeof large), HY_OK);
    hy_memory_release(memory); /* the model keeps it */

    const struct hy_operand *operand = finished_operand(&f, 1);
    REQUIRE(operand != NULL);
    EXPECT_INT(operand->location.offset, 8);
    REQUIRE(hy_app_model_view(f.model)->pool_count == 1);
    const struct hy_pool *pool = &hy_app_model_view(f.model)->pools[0];
    EXPECT_INT(pool->kind, HY_POOL_MMAP_FD);
    EXPECT_INT(((const char *)pool->address)[8], 0);
    fixture_free(&f);
}

TEST(runtime_model_values, large_value_can_be_replaced_by_a_small_one)
{
    static const uint8_t large[4096];
    struct fixture f = with_constant(1);
    REQUIRE(f.model != NULL);
    uint32_t vendor = scalar(&f, ANEURALNETWORKS_OEM_SCALAR);

    EXPECT_INT(set(&f, vendor, large, sizeof large), HY_OK);
    EXPECT_INT(set(&f, vendor, "abc", 3), HY_OK);
    EXPECT_INT(set(&f, vendor, "abcde", 5), HY_OK);
    EXPECT_INT(set(&f, 1, &(float){1}, sizeof(float)), HY_OK);
    const struct hy_operand *operand = finished_operand(&f, vendor);
    REQUIRE(operand != NULL);
    EXPECT_INT(operand->location.length, 5);
    const struct hy_model *view = hy_app_model_view(f.model);
    EXPECT(memcmp(view->values + operand->location.offset, "abcde", 5) == 0);
    EXPECT_INT(view->pool_count, 0);
    fixture_free(&f);
}

TEST(runtime_model_values, small_value_lies_at_a_multiple_of_its_elements)
{
    static const int64_t value[2] = {-1, 2};
    const uint32_t two = 2;
    struct fixture f = with_constant(1);
    REQUIRE(f.model != NULL);

    EXPECT_INT(set(&f, 1, &(float){1}, sizeof(float)), HY_OK);
    const uint32_t before = constant(&f, 0), list = tensor(&f, HY_TENSOR_INT64, 1, &two, 0);
    EXPECT_INT(set(&f, list, value, sizeof value), HY_OK);
    REQUIRE(finished_operand(&f, list) != NULL);
    const struct hy_model *view = hy_app_model_view(f.model);
    const struct hy_location *at = &view->main->operands[list].location;
    EXPECT_INT(view->main->operands[before].location.offset % 8, 0);
    EXPECT_INT((uintptr_t)(view->values + at->offset) % 8, 0);
    EXPECT(memcmp(view->values + at->offset, value, sizeof value) == 0);
    fixture_free(&f);
}

TEST(runtime_model_values, value_set_again_takes_the_place_of_the_first)
{
    struct fixture f = with_constant(1);
    REQUIRE(f.model != NULL);

    for (int i = 0; i < 100; i++)
        EXPECT_INT(set(&f, 1, &(float){(float)i}, sizeof(float)), HY_OK);
    const struct hy_operand *operand = finished_operand(&f, 1);
    REQUIRE(operand != NULL);
    const struct hy_model *view = hy_app_model_view(f.model);
    EXPECT_INT(view->values_size, 8); /* this one and the activation */
    EXPECT(memcmp(view->values + operand->location.offset, &(float){99}, 4) == 0);
    fixture_free(&f);
}

TEST(runtime_model_values, thousand_small_values_keep_apart)
{
    struct fixture f = with_constant(1);
    REQUIRE(f.model != NULL);
    EXPECT_INT(set(&f, 1, &(float){0}, sizeof(float)), HY_OK);
    uint32_t first = f.operands;
    for (int32_t i = 0; i < 1000; i++)
        REQUIRE(constant(&f, i) != UINT32_MAX);
    REQUIRE(finish(&f) == HY_OK);

    const struct hy_model *view = hy_app_model_view(f.model);
    for (int32_t i = 0; i < 1000; i++) {
        int32_t seen;
        const struct hy_operand *operand = &view->main->operands[first + (uint32_t)i];
        memcpy(&seen, view->values + operand->location.offset, sizeof seen);
        EXPECT_INT(seen, i);
    }
    fixture_free(&f);
}

TEST(runtime_model_values, memory_is_listed_once_however_many_constants_it_holds)
{
    struct fixture f = with_constant(4);
    struct hy_memory *first = shared_memory(64), *second = shared_memory(64);
    REQUIRE(f.model && first && second);

    EXPECT_INT(set_memory(&f, 1, first, 0, 16), HY_OK);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t operand = floats(&f, 4);
        EXPECT_INT(set_memory(&f, operand, i % 2 ? first : second, 8 * i, 16), HY_OK);
    }
    REQUIRE(finish(&f) == HY_OK);
    const struct hy_model *view = hy_app_model_view(f.model);
    REQUIRE(view->pool_count == 2);
    for (uint32_t i = 0; i < 6; i++) {
        const struct hy_operand *operand = &view->main->operands[4 + i];
        EXPECT_INT(operand->location.offset, 8 * i);
        EXPECT(view->pools[operand->location.pool].id ==
               hy_memory_pool(i % 2 ? first : second)->id);
    }
    hy_memory_release(first);
    hy_memory_release(second);
    fixture_free(&f);
}
