#include "networks.h"

#include <halyard/halyard.h>
#include <stdlib.h>

#include "tests/kit/test.h"
#include "tests/unit/tools/kit/tflite_builder.h"

static bool open(struct hy_builder *builder, struct test_network *out)
{
    *out = (struct test_network){0};
    out->bytes = hy_builder_finish(builder, &out->length);
    if (halyard_network_open_memory(out->bytes, out->length, NULL, &out->network) ==
        ANEURALNETWORKS_NO_ERROR)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s", halyard_last_error());
    return false;
}

void test_network_close(struct test_network *network)
{
    halyard_network_close(network->network);
    free(network->bytes);
    *network = (struct test_network){0};
}

static int32_t pair(struct hy_builder *builder, int type, const char *name)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = name,
                                                                  .type = type,
                                                                  .rank = 2,
                                                                  .dims = {1, 2},
                                                                  .signature_rank = 2,
                                                                  .signature = {-1, 2}});
}

static struct hy_builder *sum_of(int type)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t a = pair(builder, type, "a"), b = pair(builder, type, "b"),
                  sum = pair(builder, type, "sum");

    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_ADD,
                                                               .input_count = 2,
                                                               .inputs = {a, b},
                                                               .output_count = 1,
                                                               .outputs = {sum}});
    hy_builder_input(builder, a);
    hy_builder_input(builder, b);
    hy_builder_output(builder, sum);
    return builder;
}

bool test_network_sum(struct test_network *out)
{
    return open(sum_of(HY_TFLITE_FLOAT32), out);
}

bool test_network_wide(struct test_network *out)
{
    return open(sum_of(HY_TFLITE_INT64), out);
}

bool test_network_lookup(struct test_network *out)
{
    static const float table[8][2] = {{1, 2}, {3, 4}};
    struct hy_builder *builder = hy_builder_create();
    const int32_t rows =
        hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "table",
                                                               .type = HY_TFLITE_FLOAT32,
                                                               .rank = 2,
                                                               .dims = {8, 2},
                                                               .data = table,
                                                               .bytes = sizeof table});
    const int32_t names = hy_builder_tensor(
        builder, &(struct hy_builder_tensor){
                     .name = "names", .type = HY_TFLITE_INT32, .rank = 1, .dims = {3}});
    const int32_t named = hy_builder_tensor(
        builder, &(struct hy_builder_tensor){
                     .name = "named", .type = HY_TFLITE_FLOAT32, .rank = 2, .dims = {3, 2}});

    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_GATHER,
                                                               .input_count = 2,
                                                               .inputs = {rows, names},
                                                               .output_count = 1,
                                                               .outputs = {named}});
    hy_builder_input(builder, names);
    hy_builder_output(builder, named);
    return open(builder, out);
}

static int32_t square(struct hy_builder *builder, const char *name, int32_t extent)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = name,
                                                                  .type = HY_TFLITE_FLOAT32,
                                                                  .rank = 3,
                                                                  .dims = {1, extent, extent}});
}

static int32_t four(struct hy_builder *builder, const char *name)
{
    return hy_builder_tensor(
        builder, &(struct hy_builder_tensor){
                     .name = name, .type = HY_TFLITE_FLOAT32, .rank = 2, .dims = {1, 4}});
}

bool test_network_long(int32_t extent, struct test_network *out)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t x = four(builder, "x"), first = four(builder, "first"),
                  a = square(builder, "a", extent), b = square(builder, "b", extent),
                  last = square(builder, "last", extent);

    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RELU,
                                                               .input_count = 1,
                                                               .inputs = {x},
                                                               .output_count = 1,
                                                               .outputs = {first}});
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_BATCH_MATMUL,
                                                               .input_count = 2,
                                                               .inputs = {a, b},
                                                               .output_count = 1,
                                                               .outputs = {last}});
    hy_builder_input(builder, x);
    hy_builder_input(builder, a);
    hy_builder_input(builder, b);
    hy_builder_output(builder, first);
    hy_builder_output(builder, last);
    return open(builder, out);
}

/* ---- Scalars, and a loop of them --------------------------------------------------------------
 */

static int32_t scalar(struct hy_builder *builder, int type, const char *name, const int32_t *data)
{
    return hy_builder_tensor(
        builder, &(struct hy_builder_tensor){
                     .name = name, .type = type, .data = data, .bytes = data ? sizeof *data : 0});
}

bool test_network_one_hot(struct test_network *out)
{
    static const int32_t on = 1, off = 0;
    struct hy_builder *builder = hy_builder_create();
    const int32_t index = scalar(builder, HY_TFLITE_INT32, "index", NULL);
    const int32_t depth = scalar(builder, HY_TFLITE_INT32, "depth", NULL);
    const int32_t hot = scalar(builder, HY_TFLITE_INT32, "hot", NULL);

    hy_builder_operator(builder,
                        &(struct hy_builder_operator){
                            .op = HY_TFLITE_OP_ONE_HOT,
                            .input_count = 4,
                            .inputs = {index, depth, scalar(builder, HY_TFLITE_INT32, "on", &on),
                                       scalar(builder, HY_TFLITE_INT32, "off", &off)},
                            .output_count = 1,
                            .outputs = {hot}});
    hy_builder_input(builder, index);
    hy_builder_input(builder, depth);
    hy_builder_output(builder, hot);
    return open(builder, out);
}

/* Of count and limit: `op` of the count and of the limit or `second`, and the limit if asked for.
 */
static void add_body(struct hy_builder *builder, int op, int type, const int32_t *second,
                     bool gives_limit)
{
    hy_builder_subgraph(builder);
    const int32_t count = scalar(builder, HY_TFLITE_INT32, "count", NULL);
    const int32_t limit = scalar(builder, HY_TFLITE_INT32, "limit", NULL);
    const int32_t other = second ? scalar(builder, HY_TFLITE_INT32, "one", second) : limit;
    const int32_t result = scalar(builder, type, "result", NULL);

    hy_builder_operator(builder, &(struct hy_builder_operator){.op = op,
                                                               .input_count = 2,
                                                               .inputs = {count, other},
                                                               .output_count = 1,
                                                               .outputs = {result}});
    hy_builder_input(builder, count);
    hy_builder_input(builder, limit);
    hy_builder_output(builder, result);
    if (gives_limit)
        hy_builder_output(builder, limit);
}

bool test_network_loop(struct test_network *out)
{
    static const int32_t zero = 0, one = 1;
    struct hy_builder *builder = hy_builder_create();
    const int32_t first = scalar(builder, HY_TFLITE_INT32, "first", &zero),
                  limit = scalar(builder, HY_TFLITE_INT32, "limit", NULL),
                  count = scalar(builder, HY_TFLITE_INT32, "count", NULL),
                  after = scalar(builder, HY_TFLITE_INT32, "limit after", NULL);

    hy_builder_operator(builder,
                        &(struct hy_builder_operator){.op = HY_TFLITE_OP_WHILE,
                                                      .input_count = 2,
                                                      .inputs = {first, limit},
                                                      .output_count = 2,
                                                      .outputs = {count, after},
                                                      .options_kind = HY_TFLITE_OPTIONS_WHILE,
                                                      .option_count = 2,
                                                      .options = {{0, 4, 1}, {1, 4, 2}}});
    hy_builder_input(builder, limit);
    hy_builder_output(builder, count);
    add_body(builder, HY_TFLITE_OP_LESS, HY_TFLITE_BOOL, NULL, false);
    add_body(builder, HY_TFLITE_OP_ADD, HY_TFLITE_INT32, &one, true);
    return open(builder, out);
}

/* ---- A variable and signatures --------------------------------------------------------------- */

static int32_t vector(struct hy_builder *builder, const char *name, const float *data)
{
    return hy_builder_tensor(builder,
                             &(struct hy_builder_tensor){.name = name,
                                                         .type = HY_TFLITE_FLOAT32,
                                                         .rank = 1,
                                                         .dims = {2},
                                                         .data = data,
                                                         .bytes = data ? 2 * sizeof *data : 0});
}

static int32_t handle(struct hy_builder *builder)
{
    const int32_t tensor = hy_builder_tensor(
        builder, &(struct hy_builder_tensor){.name = "handle", .type = HY_TFLITE_RESOURCE});
    hy_builder_operator(builder, &(struct hy_builder_operator){
                                     .op = HY_TFLITE_OP_VAR_HANDLE,
                                     .output_count = 1,
                                     .outputs = {tensor},
                                     .options_kind = HY_TFLITE_OPTIONS_VAR_HANDLE,
                                     .text = "sum",
                                 });
    return tensor;
}

static void operation(struct hy_builder *builder, int op, int32_t a, int32_t b, int32_t output)
{
    hy_builder_operator(
        builder,
        &(struct hy_builder_operator){
            .op = op, .input_count = 2, .inputs = {a, b}, .output_count = 1, .outputs = {output}});
}

static void assign(struct hy_builder *builder, int32_t to, int32_t contents)
{
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_ASSIGN_VARIABLE,
                                                               .input_count = 2,
                                                               .inputs = {to, contents}});
}

/* Sub-graph 0, which calls sub-graph 1 once. */
static void accumulate(struct hy_builder *builder)
{
    static const float first[] = {1, 2};
    const int32_t x = vector(builder, "x", NULL), before = vector(builder, "before", NULL),
                  after = vector(builder, "after", NULL);

    hy_builder_operator(builder,
                        &(struct hy_builder_operator){.op = HY_TFLITE_OP_CALL_ONCE,
                                                      .options_kind = HY_TFLITE_OPTIONS_CALL_ONCE,
                                                      .option_count = 1,
                                                      .options = {{0, 4, 1}}});
    const int32_t variable = handle(builder);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_READ_VARIABLE,
                                                               .input_count = 1,
                                                               .inputs = {variable},
                                                               .output_count = 1,
                                                               .outputs = {before}});
    operation(builder, HY_TFLITE_OP_ADD, before, x, after);
    assign(builder, variable, after);
    hy_builder_input(builder, x);
    hy_builder_output(builder, after);
    hy_builder_signature(builder, &(struct hy_builder_signature){.key = "accumulate",
                                                                 .input_names = {"addend"},
                                                                 .inputs = {(uint32_t)x},
                                                                 .output_names = {"total"},
                                                                 .outputs = {(uint32_t)after}});
    hy_builder_subgraph(builder);
    const int32_t initialised = handle(builder);
    assign(builder, initialised, vector(builder, "first", first));
}

bool test_network_signatures(struct test_network *out)
{
    struct hy_builder *builder = hy_builder_create();

    accumulate(builder);
    hy_builder_subgraph(builder);
    const int32_t x = vector(builder, "x", NULL), twice = vector(builder, "twice", NULL);
    operation(builder, HY_TFLITE_OP_ADD, x, x, twice);
    hy_builder_input(builder, x);
    hy_builder_output(builder, twice);
    hy_builder_signature(builder, &(struct hy_builder_signature){.key = "double",
                                                                 .subgraph = 2,
                                                                 .input_names = {"x"},
                                                                 .inputs = {(uint32_t)x},
                                                                 .output_names = {"y"},
                                                                 .outputs = {(uint32_t)twice}});
    return open(builder, out);
}

bool test_network_custom(struct test_network *out)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t x = four(builder, "x"), y = four(builder, "y");

    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_CUSTOM,
                                                               .custom_name = "Strange",
                                                               .input_count = 1,
                                                               .inputs = {x},
                                                               .output_count = 1,
                                                               .outputs = {y}});
    hy_builder_input(builder, x);
    hy_builder_output(builder, y);
    return open(builder, out);
}

void digits_path(char *path, size_t size, const char *file)
{
    const char *examples = getenv("HALYARD_EXAMPLES_DIR");
    snprintf(path, size, "%s/digits/%s", examples ? examples : "examples", file);
}

bool open_digits(struct halyard_network **network)
{
    char path[1024];

    digits_path(path, sizeof path, "digits.tflite");
    if (halyard_network_open(path, NULL, network) == ANEURALNETWORKS_NO_ERROR)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s", halyard_last_error());
    return false;
}
