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

#include "common/control_flow.h"
#include "common/operand_type.h"
#include "common/operation.h"
#include "cpu_fallback/op.h"

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
    "  types. Others run the scalar kernel.\n"
    "\n"
    "| Operation | Code | Level | Types | Kernel | Vector |\n"
    "|---|---:|---:|---|---|---|\n";

/* ---- Types, from signatures.def -------------------------------------------------------------- */

static const struct {
    int32_t operation;
    const char *inputs;
    const char *variants;
} signatures[] = {
#define SIG(operation, level, inputs, outputs, variants) {HY_OP_##operation, inputs, variants},
#include "common/signatures.def"
};

#define SIGNATURE_COUNT (sizeof signatures / sizeof *signatures)

/* The set of letters seen, in the order in which they came. */
struct letters {
    char items[32];
    uint32_t count;
};

static void add_letter(struct letters *letters, char letter)
{
    if (!memchr(letters->items, letter, letters->count) && letters->count < sizeof letters->items)
        letters->items[letters->count++] = letter;
}

/* A variant is "QQI" or, from a level on, "3:QQI"; what input 1 stands for is its first letter. */
static void add_variants(struct letters *letters, const char *variants)
{
    while (*variants) {
        const size_t length = strcspn(variants, " ");
        const char *colon = memchr(variants, ':', length);
        add_letter(letters, colon ? colon[1] : *variants);
        variants += length;
        variants += strspn(variants, " ");
    }
}

static void print_types(FILE *page, int32_t operation)
{
    struct letters letters = {0};
    for (size_t i = 0; i < SIGNATURE_COUNT; i++)
        if (signatures[i].operation == operation)
            add_variants(&letters, signatures[i].variants);

    for (uint32_t i = 0; i < letters.count; i++) {
        const struct hy_operand_type_info *type = hy_operand_type_of_letter(letters.items[i]);
        const char *name = type ? type->name : "?";
        if (strncmp(name, "TENSOR_", 7) == 0)
            name += 7;
        fputs(i ? ", " : "", page);
        for (; *name; name++)
            putc(tolower((unsigned char)*name), page);
    }
}

/* ---- The page -------------------------------------------------------------------------------- */

static const char *yes_or_no(bool yes)
{
    return yes ? "yes" : "-";
}

static void print_row(FILE *page, int32_t code)
{
    const struct hy_operation_info *info = hy_operation_info(code);
    const struct hy_cpu_op *op = hy_cpu_op_find(code);
    fprintf(page, "| %s | %d | %u | ", info->name, code, info->feature_level);
    print_types(page, code);
    fprintf(page, " | %s | %s |\n", yes_or_no(op || hy_is_control_flow(code)),
            yes_or_no(op && hy_cpu_op_is_fast(op, hy_kernels_fast())));
}

static void print_page(FILE *page)
{
    fputs(head, page);
    for (int32_t code = 0; code < HY_OP_COUNT; code++)
        if (hy_operation_info(code))
            print_row(page, code);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static bool is_of_an_operation(size_t offset)
{
    for (int32_t code = 0; code < HY_OP_COUNT; code++) {
        const struct hy_cpu_op *op = hy_cpu_op_find(code);
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
