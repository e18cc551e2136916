/* Memory made from descriptors: roles, shapes, what it holds, and copies. */
#include "plan_fixture.h"
#include "runtime/api/handle.h"
#include "runtime/execute/event.h"
#include "runtime/memory/copy.h"
#include "runtime/memory/desc.h"
#include "runtime/memory/domain.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR
#define BAD_DATA ANEURALNETWORKS_BAD_DATA
#define STATE    ANEURALNETWORKS_BAD_STATE
#define BYTES    (EXTENT * sizeof(float))

/* One fake device, one compilation, one open descriptor. */
struct scene {
    struct fake_device fake;
    struct hy_compilation *compilation;
    struct hy_memory_desc *desc;
    struct hy_error err;
};

/* False when something is missing; scene_end all the same. */
static bool scene_begin(struct scene *scene, struct hy_app_model *model)
{
    fake_device_init(&scene->fake, "acme-npu", HALYARD_DEVICE_IN_PROCESS, 1, FAKE_ALL);
    scene->desc = NULL;
    scene->compilation =
        compile(model, (struct fake_device *[]){&scene->fake}, 1, false, &scene->err);
    return scene->compilation && hy_memory_desc_create(&scene->desc, &scene->err) == HY_OK;
}

static void scene_end(struct scene *scene)
{
    hy_memory_desc_destroy(scene->desc);
    hy_compilation_release(scene->compilation);
}

static enum hy_code input_role(struct scene *scene, uint32_t index, float frequency)
{
    return hy_memory_desc_add_role(scene->desc, scene->compilation, false, index, frequency,
                                   &scene->err);
}

static enum hy_code output_role(struct scene *scene, uint32_t index, float frequency)
{
    return hy_memory_desc_add_role(scene->desc, scene->compilation, true, index, frequency,
                                   &scene->err);
}

static enum hy_code dims(struct scene *scene, uint32_t rank, const uint32_t *extents)
{
    return hy_memory_desc_set_dims(scene->desc, rank, extents, &scene->err);
}

/* Finishes the descriptor if it is open; NULL on failure. */
static struct hy_memory *make(struct scene *scene)
{
    struct hy_memory *memory = NULL;
    if (hy_memory_desc_finish(scene->desc, NULL) > HY_BAD_STATE)
        return NULL;
    return hy_memory_from_desc(scene->desc, &memory, &scene->err) == HY_OK ? memory : NULL;
}

/* Memory for input 0 and output 0 of the compilation. */
static struct hy_memory *make_for_both(struct scene *scene)
{
    if (input_role(scene, 0, 1) != HY_OK || output_role(scene, 0, 1) != HY_OK)
        return NULL;
    return make(scene);
}

static enum hy_code set_whole(struct hy_execution *execution, bool is_output,
                              struct hy_memory *memory)
{
    const struct hy_argument_source source = {.memory = memory};
    return hy_execution_set(execution, is_output, 0, NULL, &source, NULL);
}

static enum hy_code set_floats(struct hy_execution *execution, bool is_output, float *buffer)
{
    const struct hy_argument_source source = {.buffer = buffer, .length = BYTES};
    return hy_execution_set(execution, is_output, 0, NULL, &source, NULL);
}

static float *floats_in(const struct hy_memory *memory)
{
    return hy_memory_pool(memory)->address;
}

/* The memory gets what the model makes of `in`. */
static enum hy_code produce(struct scene *scene, float *in, struct hy_memory *memory)
{
    struct hy_execution *execution = NULL;
    enum hy_code code = hy_execution_create(scene->compilation, &execution, &scene->err);
    if (code == HY_OK)
        code = set_floats(execution, false, in);
    if (code == HY_OK)
        code = set_whole(execution, true, memory);
    if (code == HY_OK)
        code = compute(execution, &scene->err);
    hy_execution_release(execution);
    return code;
}

static enum hy_code consume(struct scene *scene, struct hy_memory *memory, float *out)
{
    struct hy_execution *execution = NULL;
    enum hy_code code = hy_execution_create(scene->compilation, &execution, &scene->err);
    if (code == HY_OK)
        code = set_whole(execution, false, memory);
    if (code == HY_OK)
        code = set_floats(execution, true, out);
    if (code == HY_OK)
        code = compute(execution, &scene->err);
    hy_execution_release(execution);
    return code;
}

static struct hy_memory *file_memory(size_t size, int protect)
{
    struct hy_memory *memory = NULL;
    int fd = shared_file(size);
    if (hy_memory_from_fd(size, protect, fd, 0, &memory, NULL) != HY_OK)
        memory = NULL;
    if (fd >= 0)
        close(fd);
    return memory;
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

TEST(runtime_memory_desc, role_is_added_once)
{
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));

    EXPECT_INT(input_role(&s, 0, 1), HY_OK);
    EXPECT_INT(input_role(&s, 0, 1), HY_BAD_DATA);
    EXPECT_CONTAINS(s.err.text, "input 0: the role was added before");
    EXPECT_INT(output_role(&s, 0, 1), HY_OK);
    EXPECT_INT(output_role(&s, 0, .5f), HY_BAD_DATA);
    scene_end(&s);
}

TEST(runtime_memory_desc, role_is_of_a_finished_compilation_and_in_range)
{
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_compilation *open =
        compile_start(chain_model(), (struct fake_device *[]){&s.fake}, 1, false);
    REQUIRE(open != NULL);

    EXPECT_INT(hy_memory_desc_add_role(s.desc, open, false, 0, 1, &s.err), HY_BAD_DATA);
    EXPECT_CONTAINS(s.err.text, "is not finished");
    s.fake.operations = 0;
    EXPECT(hy_compilation_finish(open, NULL) != HY_OK);
    EXPECT_INT(hy_memory_desc_add_role(s.desc, open, false, 0, 1, &s.err), HY_BAD_DATA);
    EXPECT_CONTAINS(s.err.text, "has failed");
    EXPECT_INT(input_role(&s, 1, 1), HY_BAD_DATA);
    EXPECT_INT(output_role(&s, UINT32_MAX, 1), HY_BAD_DATA);
    hy_compilation_release(open);
    scene_end(&s);
}

TEST(runtime_memory_desc, frequency_is_above_0_and_at_most_1)
{
    static const float wrong[] = {0, -0.0f, -1, 1.0001f, INFINITY, NAN};
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        EXPECT_INT(input_role(&s, 0, wrong[i]), HY_BAD_DATA);
    EXPECT_INT(input_role(&s, 0, 1), HY_OK);
    EXPECT_INT(output_role(&s, 0, 0x1p-126f), HY_OK);
    scene_end(&s);
}

/* y = ADD(x, 0) on quantised tensors of this scale. */
static struct hy_app_model *quantised_model(float scale)
{
    struct fixture f = fixture_create();
    const uint32_t extent = EXTENT;
    uint32_t x = tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, scale);
    uint32_t y = tensor(&f, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, scale);
    if (add_op(&f, x, x, constant(&f, 0), y) != HY_OK || identify(&f, x, y) != HY_OK ||
        finish(&f) != HY_OK)
        fixture_free(&f);
    return f.model;
}

TEST(runtime_memory_desc, roles_have_one_type_and_quantisation)
{
    struct scene s;
    struct fake_device *const fakes[] = {&s.fake};
    REQUIRE(scene_begin(&s, quantised_model(.5f)));
    struct hy_compilation *other = compile(quantised_model(.25f), fakes, 1, false, NULL);
    struct hy_compilation *reals = compile(chain_model(), fakes, 1, false, NULL);
    REQUIRE(other && reals);

    EXPECT_INT(input_role(&s, 0, 1), HY_OK);
    EXPECT_INT(hy_memory_desc_add_role(s.desc, other, false, 0, 1, &s.err), HY_BAD_DATA);
    EXPECT_CONTAINS(s.err.text, "quantisation");
    EXPECT_INT(hy_memory_desc_add_role(s.desc, reals, false, 0, 1, &s.err), HY_BAD_DATA);
    EXPECT_INT(output_role(&s, 0, 1), HY_OK);
    hy_compilation_release(reals);
    hy_compilation_release(other);
    scene_end(&s);
}

TEST(runtime_memory_desc, shapes_of_roles_and_dimensions_are_combined)
{
    const uint32_t four = 4, five = 5, open = 0, matrix[] = {4, 1};
    struct scene s;
    REQUIRE(scene_begin(&s, dynamic_model(0, 0, 0)));
    struct hy_compilation *fixed =
        compile(chain_model(), (struct fake_device *[]){&s.fake}, 1, false, NULL);
    REQUIRE(fixed != NULL);

    EXPECT_INT(input_role(&s, 0, 1), HY_OK);
    EXPECT_INT(dims(&s, 2, matrix), HY_BAD_DATA);
    EXPECT_INT(dims(&s, HY_MAX_RANK + 1, (const uint32_t[HY_MAX_RANK + 1]){0}), HY_BAD_DATA);
    EXPECT_INT(dims(&s, 0, NULL), HY_OK);
    EXPECT_INT(dims(&s, 1, &open), HY_OK);
    EXPECT_INT(dims(&s, 1, &five), HY_OK);
    EXPECT_INT(dims(&s, 1, &four), HY_BAD_DATA);
    EXPECT_INT(hy_memory_desc_add_role(s.desc, fixed, false, 0, 1, &s.err), HY_BAD_DATA);
    EXPECT_CONTAINS(s.err.text, "shape [4] does not go with [5]");
    struct hy_memory *memory = make(&s);
    REQUIRE(memory != NULL);
    EXPECT_INT(hy_memory_pool(memory)->size, 5 * sizeof(float));
    hy_memory_release(memory);
    hy_compilation_release(fixed);
    scene_end(&s);
}

/* A scalar is an input: y = ADD(x, x, activation). */
static struct hy_app_model *scalar_model(void)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y = floats(&f, EXTENT);
    uint32_t activation = scalar(&f, ANEURALNETWORKS_INT32);
    const uint32_t inputs[] = {x, activation};
    if (add_op(&f, x, x, activation, y) != HY_OK ||
        hy_app_model_identify(f.model, 2, inputs, 1, &y, &f.err) != HY_OK || finish(&f) != HY_OK)
        fixture_free(&f);
    return f.model;
}

TEST(runtime_memory_desc, scalar_takes_no_dimensions)
{
    const uint32_t one = 1;
    struct scene s;
    REQUIRE(scene_begin(&s, scalar_model()));

    EXPECT_INT(dims(&s, 1, &one), HY_OK);
    EXPECT_INT(input_role(&s, 1, 1), HY_BAD_DATA);
    hy_memory_desc_destroy(s.desc);
    REQUIRE(hy_memory_desc_create(&s.desc, NULL) == HY_OK);
    EXPECT_INT(input_role(&s, 1, 1), HY_OK);
    EXPECT_INT(dims(&s, 1, &one), HY_BAD_DATA);
    struct hy_memory *memory = make(&s);
    REQUIRE(memory != NULL);
    EXPECT_INT(hy_memory_pool(memory)->size, 4);
    hy_memory_release(memory);
    scene_end(&s);
}

TEST(runtime_memory_desc, finish_comes_once_and_closes_it)
{
    const uint32_t four = 4;
    struct hy_memory *memory = NULL;
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));

    EXPECT_INT(hy_memory_desc_finish(s.desc, &s.err), HY_BAD_DATA);
    EXPECT_CONTAINS(s.err.text, "no role");
    EXPECT_INT(hy_memory_from_desc(s.desc, &memory, &s.err), HY_BAD_STATE);
    EXPECT_INT(input_role(&s, 0, 1), HY_OK);
    EXPECT_INT(hy_memory_desc_finish(s.desc, &s.err), HY_OK);
    EXPECT_INT(hy_memory_desc_finish(s.desc, &s.err), HY_BAD_STATE);
    EXPECT_INT(output_role(&s, 99, 7), HY_BAD_STATE); /* before all else */
    EXPECT_INT(dims(&s, 1, &four), HY_BAD_STATE);
    scene_end(&s);
}

TEST(runtime_memory_desc, memory_of_unknown_size_cannot_be_made)
{
    struct hy_memory *memory = NULL;
    struct scene s;
    REQUIRE(scene_begin(&s, dynamic_model(0, 0, 0)));

    EXPECT_INT(input_role(&s, 0, 1), HY_OK);
    EXPECT_INT(hy_memory_desc_finish(s.desc, &s.err), HY_OK);
    EXPECT_INT(hy_memory_from_desc(s.desc, &memory, &s.err), HY_FAILED);
    EXPECT_CONTAINS(s.err.text, "memory of unknown size");
    EXPECT(memory == NULL);
    scene_end(&s);
}

/* ---- Use ------------------------------------------------------------------------------------- */

TEST(runtime_memory_desc, result_goes_from_execution_to_execution)
{
    float in[EXTENT] = {1, 2, 3, -1}, out[EXTENT] = {0};
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    REQUIRE(memory != NULL);
    EXPECT_INT(hy_memory_pool(memory)->kind, HY_POOL_ASHMEM);
    hy_memory_desc_destroy(s.desc); /* the memory lives on */
    s.desc = NULL;

    EXPECT_INT(produce(&s, in, memory), HY_OK);
    EXPECT_INT(consume(&s, memory, out), HY_OK);
    for (uint32_t i = 0; i < EXTENT; i++)
        EXPECT(out[i] == chain_result(chain_result(in[i])));
    hy_memory_release(memory);
    scene_end(&s);
}

TEST(runtime_memory_desc, cpu_device_reads_and_writes_it)
{
    float in[EXTENT] = {1, -2, 3, .5f}, out[EXTENT] = {0};
    const struct hy_runtime_device *device = hy_devices()->cpu;
    struct scene s = {0};
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y = floats(&f, EXTENT);
    REQUIRE(add_op(&f, x, x, constant(&f, 0), y) == HY_OK);
    REQUIRE(identify(&f, x, y) == HY_OK && finish(&f) == HY_OK);
    REQUIRE(hy_compilation_create(f.model, &device, 1, true, &s.compilation, NULL) == HY_OK);
    REQUIRE(hy_compilation_finish(s.compilation, NULL) == HY_OK);
    REQUIRE(hy_memory_desc_create(&s.desc, NULL) == HY_OK);
    struct hy_memory *memory = make_for_both(&s);
    REQUIRE(memory != NULL);

    EXPECT_INT(produce(&s, in, memory), HY_OK);
    EXPECT_INT(consume(&s, memory, out), HY_OK);
    EXPECT(out[0] == 4 && out[1] == -8 && out[3] == 2);
    hy_memory_release(memory);
    fixture_free(&f);
    scene_end(&s);
}

TEST(runtime_memory_desc, memory_outlives_compilation_and_descriptor)
{
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    struct hy_memory *file = file_memory(BYTES, PROT_READ | PROT_WRITE);
    REQUIRE(memory && file);
    scene_end(&s);

    EXPECT_INT(hy_memory_copy(file, memory, NULL), HY_OK);
    EXPECT_INT(hy_memory_copy(memory, file, NULL), HY_OK);
    hy_memory_release(file);
    hy_memory_release(memory);
}

TEST(runtime_memory_desc, memory_serves_only_in_its_roles)
{
    struct hy_execution *execution = NULL;
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    EXPECT_INT(input_role(&s, 0, 1), HY_OK);
    struct hy_memory *memory = make(&s);
    REQUIRE(memory != NULL);

    REQUIRE(hy_execution_create(s.compilation, &execution, NULL) == HY_OK);
    EXPECT_INT(set_whole(execution, true, memory), HY_BAD_DATA);
    EXPECT_INT(set_whole(execution, false, memory), HY_OK);
    hy_execution_release(execution);
    hy_memory_release(memory);
    scene_end(&s);
}

/* Compilations of the same model are told apart, whatever their addresses. */
TEST(runtime_memory_desc, role_does_not_pass_to_a_later_compilation)
{
    struct hy_execution *execution = NULL;
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    REQUIRE(memory != NULL);

    for (int i = 0; i < 8; i++) { /* often enough that an address comes again */
        hy_compilation_release(s.compilation);
        s.compilation = compile(chain_model(), (struct fake_device *[]){&s.fake}, 1, false, NULL);
        REQUIRE(s.compilation != NULL);
        REQUIRE(hy_execution_create(s.compilation, &execution, NULL) == HY_OK);
        EXPECT_INT(set_whole(execution, false, memory), HY_BAD_DATA);
        hy_execution_release(execution);
    }
    hy_memory_release(memory);
    scene_end(&s);
}

TEST(runtime_memory_desc, memory_is_used_as_a_whole)
{
    struct hy_execution *execution = NULL;
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    REQUIRE(memory != NULL);

    REQUIRE(hy_execution_create(s.compilation, &execution, NULL) == HY_OK);
    struct hy_argument_source source = {.memory = memory, .length = BYTES};
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &source, &s.err), HY_BAD_DATA);
    EXPECT_CONTAINS(s.err.text, "offset and length 0");
    source = (struct hy_argument_source){.memory = memory, .offset = 4};
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, &source, &s.err), HY_BAD_DATA);
    EXPECT_INT(set_whole(execution, true, memory), HY_OK);
    EXPECT_INT(set_whole(execution, true, memory), HY_BAD_STATE);
    hy_execution_release(execution);
    hy_memory_release(memory);
    scene_end(&s);
}

TEST(runtime_memory_desc, memory_holds_no_constants)
{
    struct scene s;
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT);
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    REQUIRE(memory != NULL);

    EXPECT_INT(set_memory(&f, x, memory, 0, BYTES), HY_BAD_DATA);
    EXPECT_INT(set_memory(&f, x, memory, 0, 0), HY_BAD_DATA);
    hy_memory_release(memory);
    fixture_free(&f);
    scene_end(&s);
}

TEST(runtime_memory_desc, output_of_unknown_shape_gets_that_of_the_memory)
{
    float in[EXTENT] = {1, 2, 3, 4};
    const uint32_t four = EXTENT, five = EXTENT + 1;
    struct hy_execution *execution = NULL;
    struct scene s;
    REQUIRE(scene_begin(&s, dynamic_model(EXTENT, 0, 0)));
    EXPECT_INT(output_role(&s, 0, 1), HY_OK);
    EXPECT_INT(dims(&s, 1, &four), HY_OK);
    struct hy_memory *memory = make(&s);
    REQUIRE(memory != NULL);

    REQUIRE(hy_execution_create(s.compilation, &execution, NULL) == HY_OK);
    const struct hy_argument_source source = {.memory = memory};
    const struct hy_argument_type type = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &five};
    EXPECT_INT(hy_execution_set(execution, true, 0, &type, &source, &s.err), HY_BAD_DATA);
    EXPECT_CONTAINS(s.err.text, "shape [5], the memory was made for [4]");
    EXPECT_INT(set_whole(execution, true, memory), HY_OK);
    EXPECT_INT(set_floats(execution, false, in), HY_OK);
    EXPECT_INT(compute(execution, &s.err), HY_OK);
    EXPECT(floats_in(memory)[3] == 4);
    hy_execution_release(execution);
    hy_memory_release(memory);
    scene_end(&s);
}

/* ---- What it holds --------------------------------------------------------------------------- */

TEST(runtime_memory_desc, input_that_nothing_was_written_to_fails_the_run)
{
    float in[EXTENT] = {1}, out[EXTENT] = {0};
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    REQUIRE(memory != NULL);

    EXPECT_INT(consume(&s, memory, out), HY_FAILED);
    EXPECT_CONTAINS(s.err.text, "input 0: its memory holds nothing");
    EXPECT_INT(s.fake.runs, 0);
    EXPECT_INT(produce(&s, in, memory), HY_OK);
    EXPECT_INT(consume(&s, memory, out), HY_OK);
    hy_memory_release(memory);
    scene_end(&s);
}

TEST(runtime_memory_desc, start_itself_fails_on_an_input_that_holds_nothing)
{
    float out[EXTENT] = {0};
    struct hy_execution *execution = NULL;
    struct hy_event *event = NULL;
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    REQUIRE(memory != NULL);

    REQUIRE(hy_execution_create(s.compilation, &execution, NULL) == HY_OK);
    EXPECT_INT(set_whole(execution, false, memory), HY_OK);
    EXPECT_INT(set_floats(execution, true, out), HY_OK);
    EXPECT_INT(hy_event_start(execution, &event, &s.err), HY_FAILED);
    EXPECT(event == NULL);
    EXPECT_INT(hy_execution_state(execution), HY_EXECUTION_FAILED);
    hy_execution_release(execution);
    hy_memory_release(memory);
    scene_end(&s);
}

/* The second waits for the first, so what it reads need not be there when it starts. */
TEST(runtime_memory_desc, fenced_runs_hand_memory_on)
{
    float in[EXTENT] = {1, 2}, out[EXTENT] = {0};
    struct hy_execution *first = NULL, *second = NULL;
    struct hy_event *wrote = NULL, *read = NULL;
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    REQUIRE(memory != NULL);
    s.fake.run_us = 2000;

    REQUIRE(hy_execution_create(s.compilation, &first, NULL) == HY_OK);
    REQUIRE(hy_execution_create(s.compilation, &second, NULL) == HY_OK);
    EXPECT_INT(set_floats(first, false, in), HY_OK);
    EXPECT_INT(set_whole(first, true, memory), HY_OK);
    EXPECT_INT(set_whole(second, false, memory), HY_OK);
    EXPECT_INT(set_floats(second, true, out), HY_OK);
    REQUIRE(hy_event_start_fenced(first, NULL, 0, 0, &wrote, &s.err) == HY_OK);
    REQUIRE(hy_event_start_fenced(second, &wrote, 1, 0, &read, &s.err) == HY_OK);
    EXPECT_INT(hy_event_wait(read, &s.err), HY_OK);
    EXPECT(out[1] == chain_result(chain_result(2)));
    hy_event_destroy(read);
    hy_event_destroy(wrote);
    hy_execution_release(second);
    hy_execution_release(first);
    hy_memory_release(memory);
    scene_end(&s);
}

TEST(runtime_memory_desc, fenced_run_fails_on_an_input_that_holds_nothing)
{
    float out[EXTENT] = {0};
    struct hy_execution *execution = NULL;
    struct hy_event *event = NULL;
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    REQUIRE(memory != NULL);

    REQUIRE(hy_execution_create(s.compilation, &execution, NULL) == HY_OK);
    EXPECT_INT(set_whole(execution, false, memory), HY_OK);
    EXPECT_INT(set_floats(execution, true, out), HY_OK);
    REQUIRE(hy_event_start_fenced(execution, NULL, 0, 0, &event, &s.err) == HY_OK);
    EXPECT_INT(hy_event_wait(event, &s.err), HY_FAILED);
    EXPECT_INT(s.fake.runs, 0);
    hy_event_destroy(event);
    hy_execution_release(execution);
    hy_memory_release(memory);
    scene_end(&s);
}

TEST(runtime_memory_desc, failed_run_leaves_its_output_holding_nothing)
{
    float in[EXTENT] = {1}, out[EXTENT] = {0};
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    REQUIRE(memory != NULL);

    EXPECT_INT(produce(&s, in, memory), HY_OK);
    s.fake.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(produce(&s, in, memory), HY_FAILED);
    s.fake.execute_status = HY_STATUS_OK;
    EXPECT_INT(consume(&s, memory, out), HY_FAILED);
    hy_memory_release(memory);
    scene_end(&s);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

TEST(runtime_memory_desc, copy_goes_between_files_and_descriptors)
{
    float out[EXTENT] = {0};
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *one = make_for_both(&s), *other = make(&s);
    struct hy_memory *file = file_memory(BYTES, PROT_READ | PROT_WRITE);
    REQUIRE(one && other && file);

    floats_in(file)[1] = 2;
    EXPECT_INT(hy_memory_copy(file, one, &s.err), HY_OK);
    EXPECT_INT(hy_memory_copy(one, other, &s.err), HY_OK);
    EXPECT_INT(consume(&s, other, out), HY_OK);
    EXPECT(out[1] == chain_result(2));
    floats_in(file)[1] = 0;
    EXPECT_INT(hy_memory_copy(other, file, &s.err), HY_OK);
    EXPECT(floats_in(file)[1] == 2);
    hy_memory_release(file);
    hy_memory_release(other);
    hy_memory_release(one);
    scene_end(&s);
}

TEST(runtime_memory_desc, copy_of_what_holds_nothing_is_bad_and_takes_the_target_along)
{
    float out[EXTENT] = {0};
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *empty = make_for_both(&s), *full = make(&s);
    struct hy_memory *file = file_memory(BYTES, PROT_READ | PROT_WRITE);
    REQUIRE(empty && full && file);

    EXPECT_INT(hy_memory_copy(empty, empty, &s.err), HY_OK); /* nothing happens */
    EXPECT_INT(hy_memory_copy(empty, file, &s.err), HY_BAD_DATA);
    EXPECT_INT(hy_memory_copy(file, full, &s.err), HY_OK);
    EXPECT_INT(hy_memory_copy(empty, full, &s.err), HY_BAD_DATA);
    EXPECT_INT(consume(&s, full, out), HY_FAILED);
    hy_memory_release(file);
    hy_memory_release(full);
    hy_memory_release(empty);
    scene_end(&s);
}

TEST(runtime_memory_desc, copy_needs_equal_sizes_types_and_shapes)
{
    struct scene s, q;
    REQUIRE(scene_begin(&s, chain_model()));
    REQUIRE(scene_begin(&q, quantised_model(.5f)));
    struct hy_memory *reals = make_for_both(&s), *bytes = make_for_both(&q);
    struct hy_memory *large = file_memory(BYTES + 1, PROT_READ | PROT_WRITE);
    struct hy_memory *small = file_memory(EXTENT, PROT_READ | PROT_WRITE);
    REQUIRE(reals && bytes && large && small);

    EXPECT_INT(hy_memory_copy(large, reals, &s.err), HY_BAD_DATA);
    EXPECT_CONTAINS(s.err.text, "the source has 17 bytes, the destination 16");
    EXPECT_INT(hy_memory_copy(large, small, &s.err), HY_BAD_DATA);
    EXPECT_INT(hy_memory_copy(small, bytes, &s.err), HY_OK);
    EXPECT_INT(hy_memory_copy(bytes, reals, &s.err), HY_BAD_DATA);
    EXPECT_CONTAINS(s.err.text, "different types");
    hy_memory_release(small);
    hy_memory_release(large);
    hy_memory_release(bytes);
    hy_memory_release(reals);
    scene_end(&q);
    scene_end(&s);
}

TEST(runtime_memory_desc, copy_that_cannot_reach_the_bytes_is_unmappable)
{
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    struct hy_memory *memory = make_for_both(&s);
    struct hy_memory *none = file_memory(BYTES, PROT_NONE), *rd = file_memory(BYTES, PROT_READ);
    struct hy_memory *shrunk = file_memory(BYTES, PROT_READ | PROT_WRITE);
    REQUIRE(memory && none && rd && shrunk);

    EXPECT_INT(hy_memory_copy(none, memory, &s.err), HY_UNMAPPABLE);
    EXPECT_INT(hy_memory_copy(rd, memory, &s.err), HY_OK);
    EXPECT_INT(hy_memory_copy(memory, rd, &s.err), HY_UNMAPPABLE);
    REQUIRE(ftruncate(hy_memory_pool(shrunk)->fd, 8) == 0);
    EXPECT_INT(hy_memory_copy(memory, shrunk, &s.err), HY_UNMAPPABLE);
    hy_memory_release(shrunk);
    hy_memory_release(rd);
    hy_memory_release(none);
    hy_memory_release(memory);
    scene_end(&s);
}

/* ---- The API, misused ------------------------------------------------------------------------ */

TEST(runtime_memory_desc, api_walks_from_descriptor_to_memory)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    ANeuralNetworksMemory *memory = NULL;
    struct scene s;
    REQUIRE(scene_begin(&s, chain_model()));
    ANeuralNetworksCompilation *compilation = hy_compilation_handle(s.compilation);
    const uint32_t four = EXTENT;

    REQUIRE(ANeuralNetworksMemoryDesc_create(&desc) == NO_ERROR);
    EXPECT_INT(ANeuralNetworksMemory_createFromDesc(desc, &memory), STATE);
    EXPECT_INT(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1), NO_ERROR);
    EXPECT_INT(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 1, 1), BAD_DATA);
    EXPECT_STR(halyard_last_error(), "MemoryDesc_addOutputRole: output 1: the model has 1");
    EXPECT_INT(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, &four), NO_ERROR);
    EXPECT_INT(ANeuralNetworksMemoryDesc_finish(desc), NO_ERROR);
    EXPECT_INT(ANeuralNetworksMemory_createFromDesc(desc, &memory), NO_ERROR);
    EXPECT(memory != NULL);
    EXPECT_INT(ANeuralNetworksMemory_copy(memory, memory), NO_ERROR);
    ANeuralNetworksMemoryDesc_free(desc);
    ANeuralNetworksMemory_free(memory);
    scene_end(&s);
}

/* Whatever the order of calls: no crash, and what comes out is whole. */
TEST(runtime_memory_desc, random_calls_leave_a_descriptor_sound)
{
    static const float frequencies[] = {1, .5f, 0, 2, NAN};
    const uint32_t extents[] = {0, EXTENT, 5};
    uint32_t random = 12345;

    for (int round = 0; round < 50; round++) {
        struct scene s;
        REQUIRE(scene_begin(&s, round % 2 ? dynamic_model(0, 0, 0) : chain_model()));
        for (int call = 0; call < 12; call++) {
            struct hy_memory *memory = NULL;
            random = random * 1664525u + 1013904223u;
            const uint32_t a = random >> 16 & 7, b = random >> 20;
            if (a < 2)
                (void)!input_role(&s, b % 2, frequencies[b % 5]);
            else if (a < 4)
                (void)!output_role(&s, b % 2, frequencies[b % 5]);
            else if (a == 4)
                (void)!dims(&s, b % 3, (const uint32_t[]){extents[b % 3], 1});
            else if (a == 5 && b % 3 == 0)
                (void)!hy_memory_desc_finish(s.desc, NULL);
            else if (hy_memory_from_desc(s.desc, &memory, NULL) == HY_OK) {
                EXPECT(hy_memory_pool(memory)->size % sizeof(float) == 0);
                EXPECT(hy_memory_pool(memory)->size > 0);
                hy_memory_release(memory);
            }
        }
        scene_end(&s);
    }
}
