/* Images of which only a run can tell the batches: the results are those of known batches. */
#include "tests/kit/test.h"

#include <string.h>

#include "tests/unit/libhalyard/kit/network_run.h"
#include "tests/unit/tools/kit/flex_writer.h"

enum { MOST = 3, BATCHES = 2, SIDE = 4, CHANNELS = 2, ELEMENTS = SIDE * SIDE * CHANNELS };

/* One operator of an image x, and of constants. */
struct kind {
    int op;
    const char *custom_name;
    uint32_t more_uses; /* of x, as inputs */
    uint32_t constant_count;
    const struct hy_builder_tensor *constants;
    unsigned options_kind;
    uint32_t option_count;
    const struct hy_fbw_field *options;
    uint32_t more_outputs;
    uint32_t output_rank; /* 0: 4 */
    enum hy_tflite_type output_type;
};

static const float weights[CHANNELS * 2 * 2 * CHANNELS] = {1, -2, 3, 4, .5f, 6, -7, 8, 9, 1};
static const float bias[CHANNELS] = {.25f, -3};
static const float matrix[3 * CHANNELS] = {1, 2, 3, -4, 5, 6};
static const float transform[16] = {.5f, 0, 0, 1, 0, .75f, 0, .5f};
static const int32_t size[] = {3, 5};

#define FLOATS(values, count, ...) \
    { \
        .name = "c", .type = HY_TFLITE_FLOAT32, .rank = (count), .dims = {__VA_ARGS__}, \
        .data = (values), .bytes = sizeof(values) \
    }
#define ONE 0x3f800000

static const struct hy_fbw_field pool[] = {{0, 1, 1}, {1, 4, 1}, {2, 4, 1},
                                           {3, 4, 2}, {4, 4, 2}, {5, 1, 1}};
static const struct hy_fbw_field strides[] = {{1, 4, 1}, {2, 4, 2}, {3, 4, 1}};
static const struct hy_fbw_field keep_dims[] = {{2, 1, 1}};
static const struct hy_fbw_field norm[] = {{0, 4, 1}, {1, 4, ONE}, {2, 4, ONE}, {3, 4, ONE}};

#define OPTIONS(kind, fields) \
    .options_kind = (kind), .option_count = sizeof(fields) / sizeof *(fields), .options = (fields)

static const struct hy_builder_tensor image_weights[] = {
    FLOATS(weights, 4, CHANNELS, 2, 2, CHANNELS), FLOATS(bias, 1, CHANNELS)};
static const struct hy_builder_tensor depth_weights[] = {FLOATS(weights, 4, 1, 4, 2, CHANNELS),
                                                         FLOATS(bias, 1, CHANNELS)};
static const struct hy_builder_tensor matrix_weights[] = {FLOATS(matrix, 2, 3, CHANNELS)};
static const struct hy_builder_tensor channels[] = {FLOATS(bias, 1, CHANNELS)};
static const struct hy_builder_tensor sizes[] = {{.name = "c",
                                                  .type = HY_TFLITE_INT32,
                                                  .rank = 1,
                                                  .dims = {2},
                                                  .data = size,
                                                  .bytes = sizeof size}};
static const struct hy_builder_tensor transforms[] = {FLOATS(transform, 3, 1, 4, 4)};

static const struct kind kinds[] = {
    {.op = HY_TFLITE_OP_ABS},
    {.op = HY_TFLITE_OP_ADD_N, .more_uses = 2},
    {.op = HY_TFLITE_OP_AVERAGE_POOL_2D, OPTIONS(HY_TFLITE_OPTIONS_POOL_2D, pool)},
    {.op = HY_TFLITE_OP_MAX_POOL_2D, OPTIONS(HY_TFLITE_OPTIONS_POOL_2D, pool)},
    {.op = HY_TFLITE_OP_L2_POOL_2D, OPTIONS(HY_TFLITE_OPTIONS_POOL_2D, pool)},
    {.op = HY_TFLITE_OP_CONV_2D,
     .constant_count = 2,
     .constants = image_weights,
     OPTIONS(HY_TFLITE_OPTIONS_CONV_2D, strides)},
    {.op = HY_TFLITE_OP_DEPTHWISE_CONV_2D,
     .constant_count = 2,
     .constants = depth_weights,
     OPTIONS(HY_TFLITE_OPTIONS_DEPTHWISE_CONV_2D, strides)},
    {.op = HY_TFLITE_OP_FULLY_CONNECTED,
     .constant_count = 1,
     .constants = matrix_weights,
     OPTIONS(HY_TFLITE_OPTIONS_FULLY_CONNECTED, keep_dims)},
    {.op = HY_TFLITE_OP_FULLY_CONNECTED,
     .constant_count = 1,
     .constants = matrix_weights,
     .output_rank = 2},
    {.op = HY_TFLITE_OP_LOCAL_RESPONSE_NORMALIZATION,
     OPTIONS(HY_TFLITE_OPTIONS_LOCAL_RESPONSE_NORMALIZATION, norm)},
    {.op = HY_TFLITE_OP_MAXIMUM, .constant_count = 1, .constants = channels},
    {.op = HY_TFLITE_OP_MINIMUM, .more_uses = 1},
    {.op = HY_TFLITE_OP_GREATER,
     .constant_count = 1,
     .constants = channels,
     .output_type = HY_TFLITE_BOOL},
    {.op = HY_TFLITE_OP_RESIZE_BILINEAR, .constant_count = 1, .constants = sizes},
    {.op = HY_TFLITE_OP_CUSTOM, .custom_name = "MaxPoolingWithArgmax2D", .more_outputs = 1},
    {.op = HY_TFLITE_OP_CUSTOM,
     .custom_name = "TransformTensorBilinear",
     .constant_count = 1,
     .constants = transforms},
};

/* Options of custom operators; gives their length. */
static uint32_t write_options(const struct kind *kind, uint8_t *options, uint32_t capacity)
{
    static const int32_t windows[] = {2, 1, 1, 2, 2, 0};
    static const struct hy_flex_option map[] = {
        {.key = "output_height", .kind = HY_FLEX_WHOLE, .number = 3},
        {.key = "output_width", .kind = HY_FLEX_WHOLE, .number = 2}};

    if (kind->constant_count > 0)
        return hy_flex_write(options, capacity, map, 2);
    memcpy(options, windows, sizeof windows);
    return sizeof windows;
}

/* The first `batches` of x, for a run to tell; x itself where there are as many. */
static int32_t add_image(struct hy_builder *builder, bool is_open)
{
    static const int32_t begin[4], shape[] = {-1, SIDE, SIDE, CHANNELS};
    struct hy_builder_tensor image = {.name = "x",
                                      .type = HY_TFLITE_FLOAT32,
                                      .rank = 4,
                                      .dims = {is_open ? MOST : BATCHES, SIDE, SIDE, CHANNELS}};
    const struct hy_builder_tensor four = {
        .name = "size", .type = HY_TFLITE_INT32, .rank = 1, .dims = {4}};
    struct hy_builder_tensor zeros = four;

    const int32_t x = hy_builder_tensor(builder, &image);
    hy_builder_input(builder, x);
    if (!is_open)
        return x;
    zeros.data = begin;
    zeros.bytes = sizeof begin;
    const int32_t first = hy_builder_tensor(builder, &zeros);
    const int32_t extents = hy_builder_tensor(builder, &four);
    hy_builder_input(builder, extents);
    const int32_t slice = hy_builder_tensor(builder, &image);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_SLICE,
                                                               .input_count = 3,
                                                               .inputs = {x, first, extents},
                                                               .output_count = 1,
                                                               .outputs = {slice}});
    zeros.data = shape;
    zeros.bytes = sizeof shape;
    const int32_t wanted = hy_builder_tensor(builder, &zeros);
    const int32_t batches = hy_builder_tensor(builder, &image);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RESHAPE,
                                                               .input_count = 2,
                                                               .inputs = {slice, wanted},
                                                               .output_count = 1,
                                                               .outputs = {batches}});
    return batches;
}

static bool open_kind(const struct kind *kind, bool is_open, struct hy_network_run *run)
{
    static uint8_t options[256];
    struct hy_builder *builder = hy_builder_create();
    struct hy_builder_operator operator_ = {.op = kind->op,
                                            .version = kind->constant_count > 0 ? 2 : 1,
                                            .custom_name = kind->custom_name,
                                            .options_kind = kind->options_kind,
                                            .option_count = kind->option_count};

    const int32_t image = add_image(builder, is_open);
    for (uint32_t i = 0; i <= kind->more_uses; i++)
        operator_.inputs[operator_.input_count++] = image;
    for (uint32_t i = 0; i < kind->constant_count; i++)
        operator_.inputs[operator_.input_count++] = hy_builder_tensor(builder, &kind->constants[i]);
    for (uint32_t i = 0; i <= kind->more_outputs; i++) {
        const struct hy_builder_tensor output = {.name = "y",
                                                 .type = kind->output_type,
                                                 .rank = kind->output_rank ? kind->output_rank : 4,
                                                 .dims = {1, 1, 1, 1}};
        operator_.outputs[operator_.output_count++] = hy_builder_tensor(builder, &output);
        hy_builder_output(builder, operator_.outputs[i]);
    }
    for (uint32_t i = 0; i < kind->option_count; i++)
        operator_.options[i] = kind->options[i];
    if (kind->custom_name) {
        operator_.custom_bytes = write_options(kind, options, sizeof options);
        operator_.custom_options = options;
    }
    hy_builder_operator(builder, &operator_);
    return hy_network_run_open(run, builder);
}

static void run_image(struct hy_network_run *run)
{
    static const int32_t extents[] = {BATCHES, SIDE, SIDE, CHANNELS};
    float image[MOST * ELEMENTS];

    for (int i = 0; i < MOST * ELEMENTS; i++)
        image[i] = (float)(i * 7 % 19) - 8;
    memcpy(run->inputs[0], image, sizeof image);
    memcpy(run->inputs[1], extents, sizeof extents);
    EXPECT_INT(hy_network_run(run), HY_OK);
}

TEST(open_images, have_the_results_of_known_batches)
{
    static struct hy_network_run open, known;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *kind = &kinds[i];
        const char *name =
            kind->custom_name ? kind->custom_name : hy_tflite_op_name((enum hy_tflite_op)kind->op);
        if (!open_kind(kind, false, &known))
            continue;
        run_image(&known);
        if (open_kind(kind, true, &open)) {
            run_image(&open);
            uint64_t bytes = 0;
            const struct hy_graph *graph = &known.network->graph;
            const struct hy_graph_tensor *output = &graph->tensors[graph->outputs[0]];
            EXPECT(hy_element_bytes(output->element, output->rank, output->extents, &bytes));
            for (uint32_t j = 0; j <= kind->more_outputs; j++) {
                if (bytes == 0 || memcmp(open.outputs[j], known.outputs[j], bytes) != 0)
                    hy_test_fail(__FILE__, __LINE__, "%s: output %u differs", name, j);
            }
            hy_network_run_close(&open);
        } else {
            hy_test_fail(__FILE__, __LINE__, "%s", name);
        }
        hy_network_run_close(&known);
    }
}
