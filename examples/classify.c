/*
 * Recognises handwritten-style digits with calls of the Neural Networks API alone. The network is
 * written out below; its weights stay in their file, and the compiled model can be cached for the
 * next start. Pictures follow each other in a burst.
 *
 *     cc classify.c $(pkg-config --cflags --libs neuralnetworks) -o classify
 *     ./classify digits/digits_float_weights.bin digits/seven.pgm digits/two.pgm
 *
 *     -c FOLDER   caches compiled models in an existing directory
 *     -d DEVICE   computes on one device, by its name; else the planner chooses
 */
#define _POSIX_C_SOURCE 200809L

#include <android/NeuralNetworks.h>
#include <fcntl.h>
#include <halyard/halyard.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 28, CLASSES = 10 };

/* Ends the program after a failed call, with the library's error text. */
static void check(int result)
{
    if (result != ANEURALNETWORKS_NO_ERROR) {
        fprintf(stderr, "classify: %s\n", halyard_last_error());
        exit(EXIT_FAILURE);
    }
}

static void fail(const char *path, const char *reason)
{
    fprintf(stderr, "classify: %s: %s\n", path, reason);
    exit(EXIT_FAILURE);
}

/* ---- The network ----------------------------------------------------------------------------- */

/* A model that is being built. */
struct builder {
    ANeuralNetworksModel *model;
    const ANeuralNetworksMemory *weights;
    size_t weights_used;    /* bytes used by operands so far */
    uint32_t operand_count; /* the index of the next operand */
};

/* A tensor [1, size, size, channels] of the model. */
struct feature_map {
    uint32_t operand, size, channels;
};

static uint32_t add_operand(struct builder *builder, int32_t type, uint32_t rank,
                            const uint32_t *extents)
{
    const ANeuralNetworksOperandType operand = {
        .type = type, .dimensionCount = rank, .dimensions = extents};

    check(ANeuralNetworksModel_addOperand(builder->model, &operand));
    return builder->operand_count++;
}

static uint32_t add_int(struct builder *builder, int32_t value)
{
    const uint32_t operand = add_operand(builder, ANEURALNETWORKS_INT32, 0, NULL);

    check(ANeuralNetworksModel_setOperandValue(builder->model, (int32_t)operand, &value,
                                               sizeof value));
    return operand;
}

static uint32_t add_float(struct builder *builder, float value)
{
    const uint32_t operand = add_operand(builder, ANEURALNETWORKS_FLOAT32, 0, NULL);

    check(ANeuralNetworksModel_setOperandValue(builder->model, (int32_t)operand, &value,
                                               sizeof value));
    return operand;
}

/* A constant of the next bytes of the weights' file, which are not copied. */
static uint32_t add_weights(struct builder *builder, uint32_t rank, const uint32_t *extents)
{
    const uint32_t operand = add_operand(builder, ANEURALNETWORKS_TENSOR_FLOAT32, rank, extents);
    size_t length = sizeof(float);

    for (uint32_t i = 0; i < rank; i++)
        length *= extents[i];
    check(ANeuralNetworksModel_setOperandValueFromMemory(
        builder->model, (int32_t)operand, builder->weights, builder->weights_used, length));
    builder->weights_used += length;
    return operand;
}

static struct feature_map add_feature_map(struct builder *builder, uint32_t size, uint32_t channels)
{
    const uint32_t extents[] = {1, size, size, channels};

    return (struct feature_map){add_operand(builder, ANEURALNETWORKS_TENSOR_FLOAT32, 4, extents),
                                size, channels};
}

static void add_operation(struct builder *builder, ANeuralNetworksOperationType type,
                          uint32_t input_count, const uint32_t *inputs, uint32_t output)
{
    check(ANeuralNetworksModel_addOperation(builder->model, type, input_count, inputs, 1, &output));
}

static struct feature_map add_conv(struct builder *builder, struct feature_map in,
                                   uint32_t channels, uint32_t kernel, uint32_t stride,
                                   int32_t activation)
{
    const struct feature_map out =
        add_feature_map(builder, (in.size + stride - 1) / stride, channels);
    uint32_t inputs[7] = {in.operand};

    inputs[1] = add_weights(builder, 4, (uint32_t[]){channels, kernel, kernel, in.channels});
    inputs[2] = add_weights(builder, 1, &channels);
    inputs[3] = add_int(builder, ANEURALNETWORKS_PADDING_SAME);
    inputs[4] = inputs[5] = add_int(builder, (int32_t)stride);
    inputs[6] = add_int(builder, activation);
    add_operation(builder, ANEURALNETWORKS_CONV_2D, 7, inputs, out.operand);
    return out;
}

static struct feature_map add_depthwise(struct builder *builder, struct feature_map in,
                                        uint32_t stride)
{
    const struct feature_map out =
        add_feature_map(builder, (in.size + stride - 1) / stride, in.channels);
    uint32_t inputs[8] = {in.operand};

    inputs[1] = add_weights(builder, 4, (uint32_t[]){1, 3, 3, in.channels});
    inputs[2] = add_weights(builder, 1, &in.channels);
    inputs[3] = add_int(builder, ANEURALNETWORKS_PADDING_SAME);
    inputs[4] = inputs[5] = add_int(builder, (int32_t)stride);
    inputs[6] = add_int(builder, 1); /* results per channel */
    inputs[7] = add_int(builder, ANEURALNETWORKS_FUSED_RELU6);
    add_operation(builder, ANEURALNETWORKS_DEPTHWISE_CONV_2D, 8, inputs, out.operand);
    return out;
}

static struct feature_map add_sum(struct builder *builder, struct feature_map a,
                                  struct feature_map b)
{
    const struct feature_map out = add_feature_map(builder, a.size, a.channels);
    const uint32_t inputs[] = {a.operand, b.operand, add_int(builder, ANEURALNETWORKS_FUSED_RELU)};

    add_operation(builder, ANEURALNETWORKS_ADD, 3, inputs, out.operand);
    return out;
}

static struct feature_map add_average_pool(struct builder *builder, struct feature_map in,
                                           uint32_t window, uint32_t stride)
{
    const struct feature_map out =
        add_feature_map(builder, (in.size - window) / stride + 1, in.channels);
    uint32_t inputs[7] = {in.operand};

    inputs[1] = add_int(builder, ANEURALNETWORKS_PADDING_VALID);
    inputs[2] = inputs[3] = add_int(builder, (int32_t)stride);
    inputs[4] = inputs[5] = add_int(builder, (int32_t)window);
    inputs[6] = add_int(builder, ANEURALNETWORKS_FUSED_NONE);
    add_operation(builder, ANEURALNETWORKS_AVERAGE_POOL_2D, 7, inputs, out.operand);
    return out;
}

/* Probabilities of the classes, [1, CLASSES]. */
static uint32_t add_classes(struct builder *builder, struct feature_map in)
{
    const uint32_t extents[] = {1, CLASSES};
    const uint32_t scores = add_operand(builder, ANEURALNETWORKS_TENSOR_FLOAT32, 2, extents);
    const uint32_t classes = add_operand(builder, ANEURALNETWORKS_TENSOR_FLOAT32, 2, extents);
    uint32_t inputs[4] = {in.operand};

    inputs[1] = add_weights(builder, 2, (uint32_t[]){CLASSES, in.size * in.size * in.channels});
    inputs[2] = add_weights(builder, 1, (uint32_t[]){CLASSES});
    inputs[3] = add_int(builder, ANEURALNETWORKS_FUSED_NONE);
    add_operation(builder, ANEURALNETWORKS_FULLY_CONNECTED, 4, inputs, scores);
    add_operation(builder, ANEURALNETWORKS_SOFTMAX, 2, (uint32_t[]){scores, add_float(builder, 1)},
                  classes);
    return classes;
}

/* The network of digits/README.md. Weights lie in the file in the order of its operations. */
static ANeuralNetworksModel *make_model(const ANeuralNetworksMemory *weights, size_t *weights_used)
{
    struct builder builder = {.weights = weights};

    check(ANeuralNetworksModel_create(&builder.model));

    const struct feature_map image = add_feature_map(&builder, SIZE, 1);
    struct feature_map map = add_conv(&builder, image, 8, 3, 2, ANEURALNETWORKS_FUSED_RELU);
    map = add_depthwise(&builder, map, 1);
    map = add_conv(&builder, map, 16, 1, 1, ANEURALNETWORKS_FUSED_RELU6);
    map = add_depthwise(&builder, map, 2);
    map = add_conv(&builder, map, 32, 1, 1, ANEURALNETWORKS_FUSED_RELU6);

    const struct feature_map shortcut = map;
    map = add_depthwise(&builder, map, 1);
    map = add_conv(&builder, map, 32, 1, 1, ANEURALNETWORKS_FUSED_NONE);
    map = add_sum(&builder, shortcut, map);
    map = add_average_pool(&builder, map, 3, 2);

    const uint32_t classes = add_classes(&builder, map);
    check(ANeuralNetworksModel_identifyInputsAndOutputs(builder.model, 1, &image.operand, 1,
                                                        &classes));
    check(ANeuralNetworksModel_finish(builder.model));
    *weights_used = builder.weights_used;
    return builder.model;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The whole file as memory that devices read. */
static ANeuralNetworksMemory *open_weights(const char *path, size_t *length)
{
    ANeuralNetworksMemory *memory = NULL;
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &status) != 0)
        fail(path, "cannot be opened");
    *length = (size_t)status.st_size;
    check(ANeuralNetworksMemory_createFromFd(*length, PROT_READ, fd, 0, &memory));
    close(fd);
    return memory;
}

/* Grey of a PGM file without comments, as the network wants it: 0 is black, 1 is white. */
static void read_picture(const char *path, float image[SIZE * SIZE])
{
    unsigned char bytes[SIZE * SIZE];
    int width = 0, height = 0, white = 0;
    FILE *file = fopen(path, "rb");

    if (!file)
        fail(path, "cannot be opened");
    if (fscanf(file, "P5 %d %d %d", &width, &height, &white) != 3 || fgetc(file) == EOF ||
        width != SIZE || height != SIZE || white != 255 ||
        fread(bytes, 1, sizeof bytes, file) != sizeof bytes)
        fail(path, "not a PGM picture of 28 x 28 pixels with 255 as white");
    fclose(file);
    for (size_t i = 0; i < sizeof bytes; i++)
        image[i] = (float)bytes[i] / 255.0f;
}

/* ---- Compiling and running ------------------------------------------------------------------- */

static const ANeuralNetworksDevice *find_device(const char *wanted)
{
    uint32_t count = 0;

    check(ANeuralNetworks_getDeviceCount(&count));
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = NULL;

        check(ANeuralNetworks_getDevice(i, &device));
        check(ANeuralNetworksDevice_getName(device, &name));
        if (strcmp(name, wanted) == 0)
            return device;
    }
    fail(wanted, "there is no such device; \"halyard devices\" lists them");
    return NULL;
}

/* `device`, `cache_dir`: NULL without the option. */
static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model, const char *device,
                                           const char *cache_dir)
{
    /* Identifies the model among the models of this app: another network needs another token. */
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = "digits, float32, 1";
    ANeuralNetworksCompilation *compilation = NULL;

    if (device) {
        const ANeuralNetworksDevice *const devices[] = {find_device(device)};
        check(ANeuralNetworksCompilation_createForDevices(model, devices, 1, &compilation));
    } else {
        check(ANeuralNetworksCompilation_create(model, &compilation));
    }
    if (cache_dir)
        check(ANeuralNetworksCompilation_setCaching(compilation, cache_dir, token));
    check(ANeuralNetworksCompilation_setPreference(compilation,
                                                   ANEURALNETWORKS_PREFER_SUSTAINED_SPEED));
    check(ANeuralNetworksCompilation_finish(compilation));
    return compilation;
}

/* One execution serves all pictures: its arguments stay, and the contents of the buffers change. */
static void classify(ANeuralNetworksCompilation *compilation, char **pictures)
{
    float image[SIZE * SIZE], classes[CLASSES];
    ANeuralNetworksBurst *burst = NULL;
    ANeuralNetworksExecution *execution = NULL;

    check(ANeuralNetworksBurst_create(compilation, &burst));
    check(ANeuralNetworksExecution_create(compilation, &execution));
    check(ANeuralNetworksExecution_setReusable(execution, true));
    check(ANeuralNetworksExecution_setInput(execution, 0, NULL, image, sizeof image));
    check(ANeuralNetworksExecution_setOutput(execution, 0, NULL, classes, sizeof classes));
    for (; *pictures; pictures++) {
        int best = 0;

        read_picture(*pictures, image);
        check(ANeuralNetworksExecution_burstCompute(execution, burst));
        for (int i = 1; i < CLASSES; i++)
            best = classes[i] > classes[best] ? i : best;
        printf("%s: %d  %.3f\n", *pictures, best, classes[best]);
    }
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksBurst_free(burst);
}

int main(int argc, char **argv)
{
    const char *device = NULL, *cache_dir = NULL;
    size_t length = 0, used = 0;
    int option;

    while ((option = getopt(argc, argv, "c:d:")) != -1) {
        if (option == 'c')
            cache_dir = optarg;
        else if (option == 'd')
            device = optarg;
        else
            optind = argc;
    }
    if (argc - optind < 2) {
        fprintf(stderr, "usage: classify [-c FOLDER] [-d DEVICE] WEIGHTS PICTURE...\n");
        return 2;
    }

    ANeuralNetworksMemory *weights = open_weights(argv[optind], &length);
    ANeuralNetworksModel *model = make_model(weights, &used);
    if (used != length)
        fail(argv[optind], "more bytes than the network has weights");
    ANeuralNetworksCompilation *compilation = compile(model, device, cache_dir);
    classify(compilation, argv + optind + 1);

    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(weights);
    return 0;
}
