#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "tools/commands/inspection.h"
#include "tools/shape_option.h"

enum { WIDTH = 80, SHAPE_SIZE = 160, LONGEST_NAME = 32 };

/* "4.08 MiB" */
struct amount {
    char text[32];
};

static struct amount bytes_text(uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    struct amount amount;
    double value = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes < 1024) {
        snprintf(amount.text, sizeof amount.text, "%u bytes", (unsigned)bytes);
        return amount;
    }
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1024;
    snprintf(amount.text, sizeof amount.text, "%.*f %s",
             value < 10    ? 2
             : value < 100 ? 1
                           : 0,
             value, units[unit]);
    return amount;
}

/* Prints a text from column `indent` on, with line breaks at blanks; the first line starts at
 * column `at`. */
static void print_wrapped(const char *text, int indent, int at)
{
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (at > indent && at + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            putchar(' ');
            at++;
        }
        printf("%.*s", length, text);
        at += length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

/* Truncates a name at the end of the line; the name starts at column `at`. */
static void print_name(const char *name, int at)
{
    const struct hy_line line = hy_text_line(name);
    const int capacity = at < WIDTH - 8 ? WIDTH - at : 8;

    if ((int)strlen(line.text) <= capacity)
        printf("%s", line.text);
    else
        printf("%.*s...", capacity - 3, line.text);
}

static void print_tensor(uint32_t index, const struct halyard_tensor_info *info)
{
    char shape[SHAPE_SIZE];

    hy_shape_text(info, shape, sizeof shape);
    print_name(info->name, printf("  %2u  %s  ", index, shape));
    if (info->scale_count == 1)
        printf("\n      scale %g, zero point %d", (double)info->scales[0], info->zero_points[0]);
    else if (info->scale_count > 1)
        printf("\n      %u scales along dimension %u", info->scale_count, info->scale_axis);
    putchar('\n');
    if (info->description && info->description[0])
        printf("      %s\n", hy_text_line(info->description).text);
}

static void print_tensors(const struct hy_inspection *inspection, const char *heading,
                          uint32_t count,
                          int (*get)(const struct halyard_network *network, uint32_t signature,
                                     uint32_t index, struct halyard_tensor_info *info))
{
    printf("\n%s\n", heading);
    for (uint32_t i = 0; i < count; i++) {
        struct halyard_tensor_info info = {.struct_size = sizeof info};
        if (get(inspection->network, inspection->signature, i, &info) == ANEURALNETWORKS_NO_ERROR)
            print_tensor(i, &info);
    }
}

/* ---- Operators ------------------------------------------------------------------------------- */

/* Operators with the same name and the same lowering. */
struct row {
    const char *name, *lowering;
    uint32_t count;
    uint64_t parameter_bytes;
};

static int by_name(const void *a, const void *b)
{
    const struct row *first = a, *second = b;
    const int order = strcmp(first->name, second->name);
    return order ? order : strcmp(first->lowering, second->lowering);
}

static const char *lowering_text(const struct halyard_network_operator *operator_)
{
    return operator_->obstacle[0] ? "no NNAPI form" : operator_->lowering;
}

/* The rows, sorted by name; free() them. NULL: memory has run out. */
static struct row *make_rows(const struct hy_inspection *inspection, uint32_t *count)
{
    struct row *rows = calloc((size_t)inspection->operator_count + 1, sizeof *rows);

    *count = 0;
    if (!rows)
        return NULL;
    for (uint32_t i = 0; i < inspection->operator_count; i++) {
        const struct halyard_network_operator *operator_ = &inspection->operators[i];
        rows[i] =
            (struct row){operator_->name, lowering_text(operator_), 1, operator_->parameter_bytes};
    }
    qsort(rows, inspection->operator_count, sizeof *rows, by_name);
    for (uint32_t i = 0; i < inspection->operator_count; i++) {
        if (*count > 0 && by_name(&rows[*count - 1], &rows[i]) == 0) {
            rows[*count - 1].count++;
            rows[*count - 1].parameter_bytes += rows[i].parameter_bytes;
        } else {
            rows[(*count)++] = rows[i];
        }
    }
    return rows;
}

static void print_table(const struct hy_inspection *inspection)
{
    uint32_t count;
    int width = 8;
    struct row *rows = make_rows(inspection, &count);

    for (uint32_t i = 0; rows && i < count; i++)
        width = (int)strlen(rows[i].name) > width ? (int)strlen(rows[i].name) : width;
    width = width > LONGEST_NAME ? LONGEST_NAME : width;
    printf("\n%-*s  %5s  %10s  %s\n", width + 2, "Operators", "count", "parameters", "lowered to");
    for (uint32_t i = 0; rows && i < count; i++) {
        const struct row *row = &rows[i];
        const bool is_long = (int)strlen(row->name) > width;
        if (is_long)
            printf("  %s\n", row->name);
        printf("  %-*s  %5u  %10s  ", width, is_long ? "" : row->name, row->count,
               row->parameter_bytes > 0 ? bytes_text(row->parameter_bytes).text : "-");
        print_wrapped(row->lowering, width + 23, width + 23);
    }
    free(rows);
}

static void print_position(const struct halyard_network_operator *operator_)
{
    if (operator_->subgraph > 0)
        printf("  %u/%-4u  %s", operator_->subgraph, operator_->index, operator_->name);
    else
        printf("  %4u  %s", operator_->index, operator_->name);
}

static void print_operators(const struct hy_inspection *inspection)
{
    puts("\nEach operator");
    for (uint32_t i = 0; i < inspection->operator_count; i++) {
        const struct halyard_network_operator *operator_ = &inspection->operators[i];
        print_position(operator_);
        if (operator_->parameter_bytes > 0)
            printf(", %s", bytes_text(operator_->parameter_bytes).text);
        printf("\n        ");
        print_wrapped(operator_->types, 8, 8);
        printf("        = ");
        print_wrapped(lowering_text(operator_), 10, 10);
    }
}

static void print_obstacles(const struct hy_inspection *inspection)
{
    if (inspection->obstacle_count > 0)
        puts("\nObstacles");
    for (uint32_t i = 0; i < inspection->operator_count; i++) {
        const struct halyard_network_operator *operator_ = &inspection->operators[i];
        if (!operator_->obstacle[0])
            continue;
        print_position(operator_);
        printf("\n        ");
        print_wrapped(hy_text_line(operator_->obstacle).text, 8, 8);
    }
}

/* ---- All together ---------------------------------------------------------------------------- */

static void print_head(const struct hy_inspection *inspection)
{
    const struct halyard_network *network = inspection->network;
    const char *description = halyard_network_description(network);
    const uint32_t signatures = halyard_network_signature_count(network);

    printf("%s: %s\n", hy_text_line(inspection->path).text, halyard_network_format(network));
    if (description[0])
        print_wrapped(hy_text_line(description).text, 0, 0);
    for (uint32_t i = 0; signatures > 1 && i < signatures; i++)
        printf("%s signature %s\n", i == inspection->signature ? "*" : " ",
               hy_text_line(halyard_network_signature_name(network, i)).text);
}

static void print_memory(const struct hy_inspection *inspection)
{
    const struct halyard_network_memory *memory = &inspection->memory;

    printf("\nMemory\n");
    printf("  parameters          %10s, %llu numbers\n",
           bytes_text(inspection->parameter_bytes).text,
           (unsigned long long)inspection->parameter_count);
    printf("  constants, mapped   %10s\n", bytes_text(memory->mapped).text);
    printf("  made when opened    %10s\n", bytes_text(memory->made).text);
    printf("  inputs and outputs  %10s\n", bytes_text(memory->io).text);
    printf("  tensors of a run    %10s, with inputs and outputs\n", bytes_text(memory->peak).text);
}

static void print_conclusion(const struct hy_inspection *inspection)
{
    putchar('\n');
    if (inspection->can_run)
        puts("The network can run.");
    else if (inspection->obstacle_count > 0)
        printf("The network cannot run: of %u operators, %u %s no NNAPI form.\n",
               inspection->operator_count, inspection->obstacle_count,
               inspection->obstacle_count == 1 ? "has" : "have");
    else
        print_wrapped(inspection->other.text, 0, printf("The network cannot run:"));
}

void hy_inspection_print(const struct hy_inspection *inspection, bool all_operators)
{
    const struct halyard_network *network = inspection->network;
    const uint32_t signature = inspection->signature;

    print_head(inspection);
    print_tensors(inspection, "Inputs", halyard_network_input_count(network, signature),
                  halyard_network_get_input);
    print_tensors(inspection, "Outputs", halyard_network_output_count(network, signature),
                  halyard_network_get_output);
    print_table(inspection);
    if (all_operators)
        print_operators(inspection);
    print_memory(inspection);
    print_obstacles(inspection);
    print_conclusion(inspection);
}
