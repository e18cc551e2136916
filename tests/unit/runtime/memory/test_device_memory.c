/* Memory from descriptors that a device keeps: where it is made, and what requests and drivers see
 * of it. What it holds is in test_device_memory_contents.c. */
#include "runtime/compile/compile.h"
#include "tests/kit/held.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/device_memory_fixture.h"

/* ---- Where it is ----------------------------------------------------------------------------- */

TEST(device_memory, requests_name_it_by_token_and_nothing_is_copied)
{
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled(chain_model(), false);
    REQUIRE(compilation);
    struct hy_memory *in = one_role(compilation, false, 0), *out = one_role(compilation, true, 0);

    EXPECT_INT(kind_of(in), HY_POOL_BUFFER);
    EXPECT_INT(kind_of(out), HY_POOL_BUFFER);
    EXPECT_INT(hy_memory_pool(out)->buffer_token, npu.last_token);
    EXPECT_INT(hy_memory_pool(out)->size, sizeof result);
    EXPECT_INT(fill(in, EXTENT, input), HY_OK);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_INT(run_on(compilation, in, 0, out, 0, NULL), HY_OK);
    EXPECT_INT(npu.tokens_seen, 6);
    EXPECT_INT(npu.refusals, 0);
    EXPECT_INT(npu.copies_from, 1);
    EXPECT_INT(npu.copies_to, 0);
    EXPECT_INT(compilation->copied_bytes, 0);
    EXPECT(holds(out, EXTENT, result));
    hy_memory_release(in);
    hy_memory_release(out);
    EXPECT_INT(npu.live, 0);
    hy_compilation_release(compilation);
}

TEST(device_memory, driver_is_told_all_roles_and_each_prepared_model_once)
{
    init_devices(FAKE_ALL);
    struct hy_compilation *a = compiled(dynamic_model(EXTENT, EXTENT, 0), false);
    struct hy_compilation *b = compiled(dynamic_model(0, 0, 0), false);
    REQUIRE(a && b);
    const struct role roles[] = {{a, true, 0}, {b, false, 0}, {b, true, 0}};
    struct hy_memory *memory = domain_memory(roles, 3, 6, NULL);

    EXPECT_INT(kind_of(memory), HY_POOL_BUFFER);
    EXPECT_INT(npu.last_prepared_count, 2);
    REQUIRE(npu.last_role_count == 3);
    EXPECT_INT(npu.last_roles[0].prepared, 0);
    EXPECT_INT(npu.last_roles[0].is_output, 1);
    EXPECT_INT(npu.last_roles[1].prepared, 1);
    EXPECT_INT(npu.last_roles[1].is_output, 0);
    EXPECT_INT(npu.last_roles[2].prepared, 1);
    EXPECT(npu.last_roles[2].frequency == 1);
    EXPECT_INT(npu.last_rank, 1);
    EXPECT_INT(npu.last_extent, 6);
    hy_memory_release(memory);
    hy_compilation_release(a);
    hy_compilation_release(b);
}

TEST(device_memory, the_step_that_has_the_argument_decides)
{
    init_devices(FAKE_RELU | FAKE_MUL); /* the rest runs on the cpu */
    struct hy_compilation *compilation = compiled(chain_model(), true);
    REQUIRE(compilation && compilation->plan->step_count == 2);
    struct hy_memory *in = one_role(compilation, false, 0), *out = one_role(compilation, true, 0);

    EXPECT_INT(kind_of(in), HY_POOL_BUFFER);
    EXPECT_INT(kind_of(out), HY_POOL_ASHMEM);
    EXPECT_INT(fill(in, EXTENT, input), HY_OK);
    EXPECT_INT(run_on(compilation, in, 0, out, 0, NULL), HY_OK);
    EXPECT_INT(npu.tokens_seen, 1);
    EXPECT(holds(out, EXTENT, result));
    hy_memory_release(in);
    hy_memory_release(out);
    hy_compilation_release(compilation);
}

TEST(device_memory, roles_on_several_devices_share_memory_unless_the_app_named_devices)
{
    struct hy_error err = {0};
    init_devices(FAKE_RELU | FAKE_MUL);
    for (unsigned named = 0; named < 2; named++) {
        struct hy_compilation *compilation = compiled(chain_model(), named);
        const struct role roles[] = {{compilation, false, 0}, {compilation, true, 0}};
        REQUIRE(compilation);
        struct hy_memory *memory = domain_memory(roles, 2, 0, &err);
        EXPECT_INT(kind_of(memory), named ? 0 : HY_POOL_ASHMEM);
        hy_memory_release(memory);
        hy_compilation_release(compilation);
    }
    EXPECT_INT(err.code, HY_FAILED);
    EXPECT_CONTAINS(err.text, "several devices");
    EXPECT_INT(npu.creates, 0);
}

TEST(device_memory, output_that_a_later_step_reads_is_a_role_of_both)
{
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation =
        compile_start(shared_output_model(), (struct fake_device *[]){&npu.fake}, 1, true);
    REQUIRE(compilation);
    compilation->split_operations = true;
    REQUIRE(hy_compilation_finish(compilation, NULL) == HY_OK);
    REQUIRE(compilation->plan->step_count == 2);
    struct hy_memory *in = one_role(compilation, false, 0);
    struct hy_memory *middle = one_role(compilation, true, 0);
    EXPECT_INT(npu.last_role_count, 2);
    EXPECT_INT(npu.last_prepared_count, 2);
    struct hy_memory *out = one_role(compilation, true, 1);
    struct hy_execution *execution = NULL;
    const float relu[EXTENT] = {1, 0, 3.25f, 0}, floor[EXTENT] = {1, 0, 3, 0};

    EXPECT_INT(fill(in, EXTENT, input), HY_OK);
    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    EXPECT_INT(set_whole(execution, false, 0, 0, in, NULL), HY_OK);
    EXPECT_INT(set_whole(execution, true, 0, 0, middle, NULL), HY_OK);
    EXPECT_INT(set_whole(execution, true, 1, 0, out, NULL), HY_OK);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT_INT(npu.tokens_seen, 4);
    EXPECT(holds(middle, EXTENT, relu) && holds(out, EXTENT, floor));
    hy_execution_release(execution);
    hy_memory_release(in);
    hy_memory_release(middle);
    hy_memory_release(out);
    hy_compilation_release(compilation);
}

/* ---- Devices that have none ------------------------------------------------------------------ */

TEST(device_memory, failure_is_the_calls_where_the_app_named_devices)
{
    struct hy_error err = {0};
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled(chain_model(), true);
    const struct role role = {compilation, false, 0};
    REQUIRE(compilation);

    npu.create_status = HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
    EXPECT(!domain_memory(&role, 1, 0, &err));
    EXPECT_INT(err.code, HY_EXHAUSTED_FOR_GOOD);
    EXPECT_CONTAINS(err.text, "acme-npu: buffer_create failed");
    hy_compilation_release(compilation);
}

TEST(device_memory, shared_memory_of_known_size_stands_in_elsewhere)
{
    struct hy_error err = {0};
    init_devices(FAKE_ALL);
    struct hy_compilation *known = compiled(chain_model(), false);
    struct hy_compilation *open = compiled(dynamic_model(0, 0, 0), false);
    REQUIRE(known && open);
    npu.create_status = HY_STATUS_GENERAL_FAILURE;
    struct hy_memory *in = one_role(known, false, 0), *out = one_role(known, true, 0);

    EXPECT_INT(kind_of(in), HY_POOL_ASHMEM);
    EXPECT_INT(fill(in, EXTENT, input), HY_OK);
    EXPECT_INT(run_on(known, in, 0, out, 0, NULL), HY_OK);
    EXPECT(holds(out, EXTENT, result));
    EXPECT_INT(npu.tokens_seen, 0);
    EXPECT(!domain_memory(&(struct role){open, false, 0}, 1, 0, &err));
    EXPECT_INT(err.code, HY_FAILED);
    EXPECT_CONTAINS(err.text, "buffer_create failed");
    hy_memory_release(in);
    hy_memory_release(out);
    hy_compilation_release(known);
    hy_compilation_release(open);
}

TEST(device_memory, answer_that_cannot_be_right_is_a_failure_and_leaves_nothing)
{
    struct hy_error err = {0};
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled(chain_model(), true);
    const struct role role = {compilation, false, 0};
    REQUIRE(compilation);

    npu.gives_no_token = true;
    EXPECT(!domain_memory(&role, 1, 0, &err));
    EXPECT_INT(err.code, HY_FAILED);
    EXPECT_CONTAINS(err.text, "the token 0");
    npu.gives_no_token = false;
    npu.gives_no_buffer = true;
    EXPECT(!domain_memory(&role, 1, 0, &err));
    EXPECT_CONTAINS(err.text, "without a buffer");
    npu.gives_no_buffer = false;
    npu.given_token = 77;
    struct hy_memory *first = domain_memory(&role, 1, 0, &err);
    EXPECT(first && !domain_memory(&role, 1, 0, &err));
    EXPECT_CONTAINS(err.text, "token 77, which is in use");
    EXPECT_INT(npu.live, 1);
    hy_memory_release(first);
    first = domain_memory(&role, 1, 0, &err); /* it is free again */
    EXPECT(first);
    hy_memory_release(first);
    EXPECT_INT(npu.live, 0);
    hy_compilation_release(compilation);
}

TEST(device_memory, two_devices_may_give_one_token)
{
    init_devices(FAKE_ALL);
    struct hy_compilation *a = compiled_for(chain_model(), &npu);
    struct hy_compilation *b = compiled_for(chain_model(), &gpu);
    REQUIRE(a && b);
    npu.given_token = gpu.given_token = 5;
    struct hy_memory *one = one_role(a, false, 0), *other = one_role(b, false, 0);
    EXPECT(one && other);
    hy_memory_release(one);
    hy_memory_release(other);
    hy_compilation_release(a);
    hy_compilation_release(b);
}

/* ---- Life ------------------------------------------------------------------------------------ */

TEST(device_memory, keeps_the_prepared_models_of_its_roles)
{
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled(chain_model(), false);
    REQUIRE(compilation);
    struct hy_memory *memory = one_role(compilation, false, 0);
    hy_compilation_release(compilation);
    EXPECT_INT(npu.fake.prepared, 1);
    EXPECT_INT(fill(memory, EXTENT, input), HY_OK);
    EXPECT(holds(memory, EXTENT, input));
    hy_memory_release(memory);
    EXPECT_INT(npu.fake.prepared, 0);
    EXPECT_INT(npu.live, 0);
}

TEST(device_memory, execution_keeps_it_and_a_compilation_that_came_later_may_not_use_it)
{
    struct hy_error err = {0};
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled(chain_model(), false);
    struct hy_compilation *later = compiled(chain_model(), false);
    REQUIRE(compilation && later);
    struct hy_memory *in = one_role(compilation, false, 0), *out = one_role(compilation, true, 0);
    struct hy_execution *execution = NULL;

    EXPECT_INT(fill(in, EXTENT, input), HY_OK);
    EXPECT_INT(run_on(later, in, 0, out, 0, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "not made for this role");
    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    EXPECT_INT(set_whole(execution, false, 0, 0, out, &err), HY_BAD_DATA);
    EXPECT_INT(set_whole(execution, false, 0, 0, in, NULL), HY_OK);
    EXPECT_INT(set_whole(execution, true, 0, 0, out, NULL), HY_OK);
    hy_memory_release(in);
    EXPECT_INT(npu.live, 2);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(holds(out, EXTENT, result));
    hy_execution_release(execution);
    EXPECT_INT(npu.live, 1);
    hy_memory_release(out);
    hy_compilation_release(compilation);
    hy_compilation_release(later);
}

TEST(device_memory, ten_thousand_rounds_leave_nothing)
{
    init_devices(FAKE_ALL);
    struct fake_device *const only_cpu[] = {&cpu};
    struct hy_compilation *on_device = compiled(chain_model(), false);
    struct hy_compilation *shared = compile(chain_model(), only_cpu, 1, true, NULL);
    struct hy_held before, after;
    REQUIRE(on_device && shared && hy_held_look(&before));

    for (unsigned i = 0; i < 10000; i++) {
        struct hy_memory *one = one_role(on_device, false, 0), *other = one_role(shared, false, 0);
        REQUIRE(kind_of(one) == HY_POOL_BUFFER && kind_of(other) == HY_POOL_ASHMEM);
        hy_memory_release(one);
        hy_memory_release(other);
    }
    REQUIRE(hy_held_wait_released(&before, &after));
    EXPECT(after.files <= before.files);
    EXPECT(after.maps <= before.maps);
    EXPECT(after.blocks <= before.blocks + HY_HELD_ABOUT_TO_FREE);
    EXPECT_INT(npu.live, 0);
    hy_compilation_release(on_device);
    hy_compilation_release(shared);
}
