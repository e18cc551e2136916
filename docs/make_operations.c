/*
 * Makes docs/operations.md from the tables that the product itself runs on.
 *
 *     make_operations          prints the page
 *     make_operations FILE     compares the page with a file
 *
 * Exit status: 0, 1 for a page that differs or a table that is incomplete, 77 on a machine that
 * runs no fast kernels and so cannot tell.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/operations/control_flow.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "common/operations/signature_table.h"
#include "cpu_fallback/program/op.h"

#define EXIT_SKIPPED 77

static const char head[] =
    "# Operations\n"
    "\n"
    "What the built-in devices run. `nnapi-reference` has the scalar kernels alone; `halyard-cpu`\n"
    "uses a faster set where there is one and the machine runs it. This page is made by\n"
    "`docs/make_operations.c` from the tables of the CPU backend.\n"
    "\n"
    "- *Level*: the feature level of the operation's first form; some types need a higher one.\n"
    "- *Types*: the element types of the first input whose type can vary.\n"
    "- *Kernel*: whether the CPU backend runs the operation.\n"
    "- *Vector*: whether kernels for AVX2, AVX-512 and NEON do the work, for at least one of the\n"
    "  types. Others run the scalar kernel.\n";

static const char extension_head[] = "\n"
                                     "## org.halyard.operations\n"
                                     "\n"
                                     "The operations of Halyard's own extension, which "
                                     "[extension.md](extension.md) defines. The code is\n"
                                     "that within the extension.\n";

static const char columns[] = "\n"
                              "| Operation | Code | Level | Types | Kernel | Vector |\n"
                              "|---|---:|---:|---|---|---|\n";

/* ---- Types ------------------------------------------------------------------------------------
 */

static void print_type(FILE *page, int32_t type)
{
    const char *name = hy_operand_type_name(type);

    if (strrchr(name, '.'))
        name = strrchr(name, '.') + 1;
    if (strncmp(name, "TENSOR_", 7) == 0)
        name += 7;
    for (; *name; name++)
        putc(tolower((unsigned char)*name), page);
}

/* What the first symbol of the signatures stands for: each type once. */
static void print_types(FILE *page, int32_t operation)
{
    const struct hy_operation_rules *rules = &hy_operation_rules[hy_op_row(operation)];
    uint32_t seen = 0; /* bit per row of a type */

    for (uint32_t i = 0; i < rules->signature_count; i++)
        for (uint32_t j = 0; j < rules->signatures[i].variant_count; j++) {
            const uint8_t type = rules->signatures[i].variants[j].types[0];
            if (seen >> type & 1)
                continue;
            fputs(seen ? ", " : "", page);
            print_type(page, hy_type_code(type));
            seen |= UINT32_C(1) << type;
        }
}

/* ---- The page -------------------------------------------------------------------------------- */

static const char *yes_or_no(bool yes)
{
    return yes ? "yes" : "-";
}

/* Without the extension's name, which the heading has. */
static const char *name_of(const struct hy_operation_info *info)
{
    const char *dot = strrchr(info->name, '.');
    return dot ? dot + 1 : info->name;
}

static void print_row(FILE *page, int32_t code)
{
    const struct hy_operation_info *info = hy_operation_info(code);
    const struct hy_cpu_op *op = hy_cpu_op_find(code);
    fprintf(page, "| %s | %d | %u | ", name_of(info), code & 0xffff, info->feature_level);
    print_types(page, code);
    fprintf(page, " | %s | %s |\n", yes_or_no(op || hy_is_control_flow(code)),
            yes_or_no(op && hy_cpu_op_is_fast(op, hy_kernels_fast())));
}

static void print_page(FILE *page)
{
    fputs(head, page);
    fputs(columns, page);
    for (uint32_t row = 0; row < HY_OP_COUNT; row++) {
        if (row == HY_OP_NNAPI_COUNT) {
            fputs(extension_head, page);
            fputs(columns, page);
        }
        if (hy_operation_info(hy_op_code(row)))
            print_row(page, hy_op_code(row));
    }
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static bool is_of_an_operation(size_t offset)
{
    for (uint32_t row = 0; row < HY_OP_COUNT; row++) {
        const struct hy_cpu_op *op = hy_cpu_op_find(hy_op_code(row));
        if (op && offset >= op->kernels.offset && offset - op->kernels.offset < op->kernels.size)
            return true;
    }
    return false;
}

/* Every fast kernel has to show on the page. */
static bool all_fast_slots_are_known(void)
{
    const char *fast = (const char *)hy_kernels_fast();
    const char *reference = (const char *)hy_kernels_reference();
    for (size_t i = 0; i < sizeof(struct hy_kernel_table); i++) {
        if (fast[i] == reference[i] || is_of_an_operation(i))
            continue;
        fprintf(stderr, "ops.def: no operation has the fast kernel at offset %zu\n", i);
        return false;
    }
    return true;
}

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    if (file && getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

static bool is_same(const char *path)
{
    char *page = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&page, &size);
    if (!stream)
        return false;
    print_page(stream);
    fclose(stream);

    char *there = read_file(path);
    const bool same = there && page && strcmp(there, page) == 0;
    if (!same)
        fprintf(stderr, "%s is not what make_operations prints: make it anew\n", path);
    free(there);
    free(page);
    return same;
}

int main(int argc, char **argv)
{
    if (hy_kernels_fast() == hy_kernels_reference()) {
        fputs("this machine runs the scalar kernels alone\n", stderr);
        return EXIT_SKIPPED;
    }
    if (!all_fast_slots_are_known())
        return EXIT_FAILURE;
    if (argc > 1)
        return is_same(argv[1]) ? EXIT_SUCCESS : EXIT_FAILURE;
    print_page(stdout);
    return ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
