#include "tests/unit/tools/kit/tflite_builder.h"

#include <stdlib.h>
#include <string.h>

/* Arrays that grow by one; tests are small. */
#define PUSH(array, count, value) \
    do { \
        (array) = grow((array), (count), sizeof *(array)); \
        (array)[(count)++] = (value); \
    } while (0)

struct subgraph {
    struct hy_builder_tensor *tensors;
    struct hy_builder_operator *operators;
    int32_t *inputs;
    int32_t *outputs;
    uint32_t tensor_count;
    uint32_t operator_count;
    uint32_t input_count;
    uint32_t output_count;
};

struct hy_builder {
    struct subgraph *subgraphs;
    uint32_t subgraph_count;
    struct hy_builder_signature *signatures;
    uint32_t signature_count;
    const char *metadata_name;         /* NULL: none */
    struct hy_builder_tensor metadata; /* its bytes */
    struct hy_fbw writer;
};

static void *grow(void *array, uint32_t count, size_t size)
{
    void *grown = realloc(array, (count + 1) * size);
    if (!grown)
        abort();
    return grown;
}

static struct subgraph *current(struct hy_builder *builder)
{
    return &builder->subgraphs[builder->subgraph_count - 1];
}

struct hy_builder *hy_builder_create(void)
{
    struct hy_builder *builder = calloc(1, sizeof *builder);
    if (!builder)
        abort();
    hy_builder_subgraph(builder);
    return builder;
}

void hy_builder_subgraph(struct hy_builder *builder)
{
    PUSH(builder->subgraphs, builder->subgraph_count, (struct subgraph){0});
}

int32_t hy_builder_tensor(struct hy_builder *builder, const struct hy_builder_tensor *tensor)
{
    struct subgraph *to = current(builder);
    PUSH(to->tensors, to->tensor_count, *tensor);
    return (int32_t)to->tensor_count - 1;
}

void hy_builder_operator(struct hy_builder *builder, const struct hy_builder_operator *operator_)
{
    struct subgraph *to = current(builder);
    PUSH(to->operators, to->operator_count, *operator_);
}

void hy_builder_input(struct hy_builder *builder, int32_t tensor)
{
    struct subgraph *to = current(builder);
    PUSH(to->inputs, to->input_count, tensor);
}

void hy_builder_output(struct hy_builder *builder, int32_t tensor)
{
    struct subgraph *to = current(builder);
    PUSH(to->outputs, to->output_count, tensor);
}

void hy_builder_signature(struct hy_builder *builder, const struct hy_builder_signature *signature)
{
    PUSH(builder->signatures, builder->signature_count, *signature);
}

static void write_ints(struct hy_fbw *writer, size_t table, unsigned slot, uint32_t count,
                       const int32_t *values)
{
    hy_fbw_link(writer, table, slot, hy_fbw_vector(writer, 4, count, values));
}

static size_t write_quantisation(struct hy_fbw *writer, const struct hy_builder_tensor *tensor)
{
    const struct hy_fbw_field fields[] = {
        {2, 4, 0}, {3, 4, 0}, {6, 4, (uint32_t)tensor->quantised_dimension}};
    const size_t table = hy_fbw_table(writer, fields, 3);
    hy_fbw_link(writer, table, 2, hy_fbw_vector(writer, 4, tensor->scale_count, tensor->scales));
    hy_fbw_link(writer, table, 3,
                hy_fbw_vector(writer, 8, tensor->zero_point_count, tensor->zero_points));
    return table;
}

/* Which buffer a tensor names, when `own` is the one that is written for it. */
static uint32_t buffer_of(const struct hy_builder_tensor *tensor, uint32_t own)
{
    if (tensor->buffer)
        return tensor->buffer;
    return tensor->data || tensor->far_offset ? own : 0;
}

static size_t write_tensor(struct hy_fbw *writer, const struct hy_builder_tensor *tensor,
                           uint32_t buffer)
{
    struct hy_fbw_field fields[8] = {
        {0, 4, 0},
        {1, 1, (uint64_t)tensor->type},
        {2, 4, buffer_of(tensor, buffer)},
        {5, 1, tensor->is_variable},
    };
    unsigned count = 4;
    if (tensor->name)
        fields[count++] = (struct hy_fbw_field){3, 4, 0};
    if (tensor->scale_count)
        fields[count++] = (struct hy_fbw_field){4, 4, 0};
    if (tensor->signature_rank)
        fields[count++] = (struct hy_fbw_field){7, 4, 0};

    const size_t table = hy_fbw_table(writer, fields, count);
    write_ints(writer, table, 0, tensor->rank, tensor->dims);
    if (tensor->name)
        hy_fbw_link(writer, table, 3, hy_fbw_string(writer, tensor->name));
    if (tensor->scale_count)
        hy_fbw_link(writer, table, 4, write_quantisation(writer, tensor));
    if (tensor->signature_rank)
        write_ints(writer, table, 7, tensor->signature_rank, tensor->signature);
    return table;
}

static size_t write_options(struct hy_fbw *writer, const struct hy_builder_operator *operator_)
{
    static const struct hy_fbw_field ints[] = {{0, 4, 0}};
    static const struct hy_fbw_field text[] = {{1, 4, 0}};
    if (operator_->text) {
        const size_t table = hy_fbw_table(writer, text, 1);
        hy_fbw_link(writer, table, 1, hy_fbw_string(writer, operator_->text));
        return table;
    }
    if (!operator_->ints)
        return hy_fbw_table(writer, operator_->options, operator_->option_count);
    const size_t table = hy_fbw_table(writer, ints, 1);
    write_ints(writer, table, 0, operator_->int_count, operator_->ints);
    return table;
}

static size_t write_operator(struct hy_fbw *writer, const struct hy_builder_operator *operator_,
                             uint32_t code)
{
    const bool is_second = operator_->options_kind >= HY_TFLITE_SECOND_OPTIONS;
    const unsigned options = is_second ? 12 : 4;
    struct hy_fbw_field fields[9] = {{0, 4, code}, {1, 4, 0}, {2, 4, 0}};
    unsigned count = 3;
    if (operator_->options_kind) {
        const unsigned base = is_second ? HY_TFLITE_SECOND_OPTIONS : 0;
        fields[count++] = (struct hy_fbw_field){options - 1, 1, operator_->options_kind - base};
        fields[count++] = (struct hy_fbw_field){options, 4, 0};
    }
    if (operator_->custom_options)
        fields[count++] = (struct hy_fbw_field){5, 4, 0};
    if (operator_->intermediate_count)
        fields[count++] = (struct hy_fbw_field){8, 4, 0};
    if (operator_->far_options_offset) {
        fields[count++] = (struct hy_fbw_field){9, 8, operator_->far_options_offset};
        fields[count++] = (struct hy_fbw_field){10, 8, operator_->far_options_bytes};
    }
    const size_t table = hy_fbw_table(writer, fields, count);
    write_ints(writer, table, 1, operator_->input_count, operator_->inputs);
    write_ints(writer, table, 2, operator_->output_count, operator_->outputs);
    if (operator_->options_kind)
        hy_fbw_link(writer, table, options, write_options(writer, operator_));
    if (operator_->custom_options)
        hy_fbw_link(writer, table, 5,
                    hy_fbw_vector(writer, 1, operator_->custom_bytes, operator_->custom_options));
    if (operator_->intermediate_count)
        write_ints(writer, table, 8, operator_->intermediate_count, operator_->intermediates);
    return table;
}

static size_t write_subgraph(struct hy_fbw *writer, const struct subgraph *subgraph,
                             uint32_t *buffer, uint32_t *code)
{
    const struct hy_fbw_field fields[] = {{0, 4, 0}, {1, 4, 0}, {2, 4, 0}, {3, 4, 0}, {4, 4, 0}};
    const size_t table = hy_fbw_table(writer, fields, 5);
    write_ints(writer, table, 1, subgraph->input_count, subgraph->inputs);
    write_ints(writer, table, 2, subgraph->output_count, subgraph->outputs);
    hy_fbw_link(writer, table, 4, hy_fbw_string(writer, "main"));

    const size_t tensors = hy_fbw_vector(writer, 4, subgraph->tensor_count, NULL);
    hy_fbw_link(writer, table, 0, tensors);
    for (uint32_t i = 0; i < subgraph->tensor_count; i++)
        hy_fbw_link_element(writer, tensors, i,
                            write_tensor(writer, &subgraph->tensors[i], (*buffer)++));

    const size_t operators = hy_fbw_vector(writer, 4, subgraph->operator_count, NULL);
    hy_fbw_link(writer, table, 3, operators);
    for (uint32_t i = 0; i < subgraph->operator_count; i++)
        hy_fbw_link_element(writer, operators, i,
                            write_operator(writer, &subgraph->operators[i], (*code)++));
    return table;
}

static size_t write_code(struct hy_fbw *writer, const struct hy_builder_operator *operator_)
{
    const uint64_t old = (uint64_t)(operator_->op < 127 ? operator_->op : 127);
    const struct hy_fbw_field fields[] = {{0, 1, old},
                                          {2, 4, operator_->version ? operator_->version : 1},
                                          {3, 4, (uint32_t)operator_->op},
                                          {1, 4, 0}};
    const size_t table = hy_fbw_table(writer, fields, operator_->custom_name ? 4 : 3);
    if (operator_->custom_name)
        hy_fbw_link(writer, table, 1, hy_fbw_string(writer, operator_->custom_name));
    return table;
}

static size_t write_buffer(struct hy_fbw *writer, const struct hy_builder_tensor *tensor)
{
    const struct hy_fbw_field near = {0, 4, 0};
    const struct hy_fbw_field far[] = {{1, 8, tensor->far_offset}, {2, 8, tensor->far_bytes}};
    if (tensor->far_offset)
        return hy_fbw_table(writer, far, 2);
    const size_t table = hy_fbw_table(writer, &near, tensor->data ? 1 : 0);
    if (tensor->data)
        hy_fbw_link(writer, table, 0, hy_fbw_vector(writer, 1, tensor->bytes, tensor->data));
    return table;
}

/* One code per operator and one buffer per tensor (after the empty first): plain, not thrifty. */
static void write_codes(struct hy_builder *builder, size_t root, uint32_t count)
{
    struct hy_fbw *writer = &builder->writer;
    const size_t vector = hy_fbw_vector(writer, 4, count, NULL);
    uint32_t code = 0;
    hy_fbw_link(writer, root, 1, vector);
    for (uint32_t s = 0; s < builder->subgraph_count; s++)
        for (uint32_t i = 0; i < builder->subgraphs[s].operator_count; i++)
            hy_fbw_link_element(writer, vector, code++,
                                write_code(writer, &builder->subgraphs[s].operators[i]));
}

void hy_builder_metadata(struct hy_builder *builder, const char *name, const void *data,
                         uint32_t bytes)
{
    builder->metadata_name = name;
    builder->metadata = (struct hy_builder_tensor){.data = data, .bytes = bytes};
}

static void write_metadata(struct hy_builder *builder, size_t root, uint32_t buffer)
{
    struct hy_fbw *writer = &builder->writer;
    const struct hy_fbw_field fields[] = {{0, 4, 0}, {1, 4, buffer}};
    const size_t vector = hy_fbw_vector(writer, 4, 1, NULL);
    hy_fbw_link(writer, root, 6, vector);
    const size_t entry = hy_fbw_table(writer, fields, 2);
    hy_fbw_link_element(writer, vector, 0, entry);
    hy_fbw_link(writer, entry, 0, hy_fbw_string(writer, builder->metadata_name));
}

static void write_buffers(struct hy_builder *builder, size_t root, uint32_t count)
{
    struct hy_fbw *writer = &builder->writer;
    const uint32_t all = count + (builder->metadata_name != NULL);
    const size_t vector = hy_fbw_vector(writer, 4, all, NULL);
    uint32_t buffer = 0;
    hy_fbw_link(writer, root, 4, vector);
    hy_fbw_link_element(writer, vector, buffer++,
                        write_buffer(writer, &(struct hy_builder_tensor){0}));
    for (uint32_t s = 0; s < builder->subgraph_count; s++) {
        const struct subgraph *subgraph = &builder->subgraphs[s];
        for (uint32_t i = 0; i < subgraph->tensor_count; i++)
            hy_fbw_link_element(writer, vector, buffer++,
                                write_buffer(writer, &subgraph->tensors[i]));
    }
    if (builder->metadata_name)
        hy_fbw_link_element(writer, vector, buffer, write_buffer(writer, &builder->metadata));
}

static void write_names(struct hy_fbw *writer, size_t table, unsigned slot,
                        const char *const *names, const uint32_t *tensors)
{
    uint32_t count = 0;
    while (count < HY_BUILDER_MAX_SIGNATURE && names[count])
        count++;
    const size_t vector = hy_fbw_vector(writer, 4, count, NULL);
    hy_fbw_link(writer, table, slot, vector);
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_fbw_field fields[] = {{0, 4, 0}, {1, 4, tensors[i]}};
        const size_t name = hy_fbw_table(writer, fields, 2);
        hy_fbw_link_element(writer, vector, i, name);
        hy_fbw_link(writer, name, 0, hy_fbw_string(writer, names[i]));
    }
}

static void write_signatures(struct hy_builder *builder, size_t root)
{
    struct hy_fbw *writer = &builder->writer;
    const size_t vector = hy_fbw_vector(writer, 4, builder->signature_count, NULL);
    hy_fbw_link(writer, root, 7, vector);
    for (uint32_t i = 0; i < builder->signature_count; i++) {
        const struct hy_builder_signature *signature = &builder->signatures[i];
        const struct hy_fbw_field fields[] = {
            {0, 4, 0}, {1, 4, 0}, {2, 4, 0}, {4, 4, signature->subgraph}};
        const size_t table = hy_fbw_table(writer, fields, 4);
        hy_fbw_link_element(writer, vector, i, table);
        hy_fbw_link(writer, table, 2, hy_fbw_string(writer, signature->key));
        write_names(writer, table, 0, signature->input_names, signature->inputs);
        write_names(writer, table, 1, signature->output_names, signature->outputs);
    }
}

static void destroy(struct hy_builder *builder)
{
    for (uint32_t i = 0; i < builder->subgraph_count; i++) {
        free(builder->subgraphs[i].tensors);
        free(builder->subgraphs[i].operators);
        free(builder->subgraphs[i].inputs);
        free(builder->subgraphs[i].outputs);
    }
    free(builder->subgraphs);
    free(builder->signatures);
    free(builder);
}

uint8_t *hy_builder_finish(struct hy_builder *builder, size_t *length)
{
    struct hy_fbw_field fields[7] = {{0, 4, 3}, {1, 4, 0}, {2, 4, 0}, {3, 4, 0}, {4, 4, 0}};
    unsigned count = 5;
    if (builder->metadata_name)
        fields[count++] = (struct hy_fbw_field){6, 4, 0};
    if (builder->signature_count)
        fields[count++] = (struct hy_fbw_field){7, 4, 0};
    struct hy_fbw *writer = &builder->writer;
    hy_fbw_start(writer, "TFL3");
    const size_t root = hy_fbw_table(writer, fields, count);
    hy_fbw_link_at(writer, 0, root);
    hy_fbw_link(writer, root, 3, hy_fbw_string(writer, "built in memory"));

    uint32_t buffers = 1, codes = 0;
    const size_t vector = hy_fbw_vector(writer, 4, builder->subgraph_count, NULL);
    hy_fbw_link(writer, root, 2, vector);
    for (uint32_t i = 0; i < builder->subgraph_count; i++)
        hy_fbw_link_element(writer, vector, i,
                            write_subgraph(writer, &builder->subgraphs[i], &buffers, &codes));
    write_codes(builder, root, codes);
    write_buffers(builder, root, buffers);
    if (builder->signature_count)
        write_signatures(builder, root);
    if (builder->metadata_name)
        write_metadata(builder, root, buffers);

    uint8_t *bytes = writer->bytes;
    *length = writer->length;
    destroy(builder);
    return bytes;
}
