#include "tests/unit/tools/kit/metadata_builder.h"

#include <stdlib.h>

/* What a field refers to has to come behind the table: tables are written first, then linked. */

static void link_text(struct hy_fbw *writer, size_t table, unsigned slot, const char *text)
{
    hy_fbw_link(writer, table, slot, hy_fbw_string(writer, text ? text : ""));
}

/* A vector of one table, of which the field is `slot`; gives the position of the vector. */
static size_t link_vector(struct hy_fbw *writer, size_t table, unsigned slot, uint32_t count)
{
    const size_t vector = hy_fbw_vector(writer, 4, count, NULL);
    hy_fbw_link(writer, table, slot, vector);
    return vector;
}

static void write_normalisation(struct hy_fbw *writer, size_t tensor,
                                const struct metadata_tensor *from)
{
    static const struct hy_fbw_field unit_fields[] = {{0, 1, 1}, {1, 4, 0}};
    static const struct hy_fbw_field option_fields[] = {{0, 4, 0}, {1, 4, 0}};
    const size_t units = link_vector(writer, tensor, 4, 1);
    const size_t unit = hy_fbw_table(writer, unit_fields, 2);
    hy_fbw_link_element(writer, units, 0, unit);
    const size_t options = hy_fbw_table(writer, option_fields, 2);
    hy_fbw_link(writer, unit, 1, options);
    hy_fbw_link(writer, options, 0, hy_fbw_vector(writer, 4, from->mean_count, from->means));
    hy_fbw_link(writer, options, 1, hy_fbw_vector(writer, 4, from->std_count, from->stds));
}

static void write_image_size(struct hy_fbw *writer, size_t tensor,
                             const struct metadata_tensor *from)
{
    static const struct hy_fbw_field content_fields[] = {{0, 1, 2}, {1, 4, 0}};
    static const struct hy_fbw_field image_fields[] = {{0, 1, 1}, {1, 4, 0}};
    const struct hy_fbw_field size_fields[] = {{0, 4, from->image_width},
                                               {1, 4, from->image_height}};
    const size_t content = hy_fbw_table(writer, content_fields, 2);
    hy_fbw_link(writer, tensor, 3, content);
    const size_t image = hy_fbw_table(writer, image_fields, 2);
    hy_fbw_link(writer, content, 1, image);
    hy_fbw_link(writer, image, 1, hy_fbw_table(writer, size_fields, 2));
}

static void write_file(struct hy_fbw *writer, size_t tensor, const struct metadata_tensor *from)
{
    const struct hy_fbw_field fields[] = {{0, 4, 0}, {2, 1, from->file_type}};
    const size_t files = link_vector(writer, tensor, 6, 1);
    const size_t file = hy_fbw_table(writer, fields, 2);
    hy_fbw_link_element(writer, files, 0, file);
    link_text(writer, file, 0, from->file);
}

static size_t write_tensor(struct hy_fbw *writer, const struct metadata_tensor *from)
{
    struct hy_fbw_field fields[5] = {{0, 4, 0}, {1, 4, 0}};
    unsigned count = 2;
    if (from->image_width)
        fields[count++] = (struct hy_fbw_field){3, 4, 0};
    if (from->mean_count)
        fields[count++] = (struct hy_fbw_field){4, 4, 0};
    if (from->file)
        fields[count++] = (struct hy_fbw_field){6, 4, 0};
    const size_t tensor = hy_fbw_table(writer, fields, count);
    link_text(writer, tensor, 0, from->name);
    link_text(writer, tensor, 1, from->description);
    if (from->image_width)
        write_image_size(writer, tensor, from);
    if (from->mean_count)
        write_normalisation(writer, tensor, from);
    if (from->file)
        write_file(writer, tensor, from);
    return tensor;
}

static void write_tensors(struct hy_fbw *writer, size_t subgraph, unsigned slot,
                          const struct metadata_tensor *tensors, uint32_t count)
{
    const size_t vector = link_vector(writer, subgraph, slot, count);
    for (uint32_t i = 0; i < count; i++)
        hy_fbw_link_element(writer, vector, i, write_tensor(writer, &tensors[i]));
}

uint8_t *make_metadata(const struct metadata_spec *spec, size_t *length)
{
    static const struct hy_fbw_field model_fields[] = {{0, 4, 0}, {1, 4, 0}, {3, 4, 0}};
    static const struct hy_fbw_field subgraph_fields[] = {{2, 4, 0}, {3, 4, 0}};
    struct hy_fbw writer;
    hy_fbw_start(&writer, "M001");
    const size_t model = hy_fbw_table(&writer, model_fields, 3);
    hy_fbw_link_at(&writer, 0, model);
    link_text(&writer, model, 0, spec->name);
    link_text(&writer, model, 1, spec->description);
    const size_t subgraphs = link_vector(&writer, model, 3, 1);
    const size_t subgraph = hy_fbw_table(&writer, subgraph_fields, 2);
    hy_fbw_link_element(&writer, subgraphs, 0, subgraph);
    write_tensors(&writer, subgraph, 2, spec->inputs, spec->input_count);
    write_tensors(&writer, subgraph, 3, spec->outputs, spec->output_count);
    *length = writer.length;
    return writer.bytes;
}

uint8_t *make_network_with_metadata(const struct metadata_spec *spec,
                                    const struct zip_entry *entries, uint32_t entry_count,
                                    size_t *length)
{
    struct hy_builder_tensor tensor = {
        .name = "image", .type = HY_TFLITE_FLOAT32, .rank = 4, .dims = {1, 1, 1, 3}};
    struct hy_builder *builder = hy_builder_create();
    const int32_t input = hy_builder_tensor(builder, &tensor);
    tensor.name = "scores";
    const int32_t output = hy_builder_tensor(builder, &tensor);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RELU,
                                                               .input_count = 1,
                                                               .inputs = {input},
                                                               .output_count = 1,
                                                               .outputs = {output}});
    hy_builder_input(builder, input);
    hy_builder_output(builder, output);

    size_t metadata_length;
    uint8_t *metadata = make_metadata(spec, &metadata_length);
    hy_builder_metadata(builder, "TFLITE_METADATA", metadata, (uint32_t)metadata_length);
    uint8_t *bytes = hy_builder_finish(builder, length);
    free(metadata);
    if (entry_count)
        append_zip(&bytes, length, entries, entry_count, false);
    return bytes;
}

uint8_t *make_network_of_open_size(size_t *length)
{
    const struct hy_builder_tensor tensor = {.name = "picture",
                                             .type = HY_TFLITE_FLOAT32,
                                             .rank = 4,
                                             .dims = {1, 1, 1, 3},
                                             .signature_rank = 4,
                                             .signature = {-1, -1, -1, 3}};
    struct hy_builder *builder = hy_builder_create();
    const int32_t input = hy_builder_tensor(builder, &tensor);
    const int32_t output = hy_builder_tensor(builder, &tensor);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RELU,
                                                               .input_count = 1,
                                                               .inputs = {input},
                                                               .output_count = 1,
                                                               .outputs = {output}});
    hy_builder_input(builder, input);
    hy_builder_output(builder, output);
    return hy_builder_finish(builder, length);
}
