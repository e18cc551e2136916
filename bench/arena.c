/*
 * arena: the memory of the CPU backend for the temporaries of a model, and the largest sum of live
 * temporaries at one operation, which is the lower limit of any arena. Prints a Markdown table.
 *
 *     arena MODEL...
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arena_probe.h"
#include "bench/inference.h"

static arena_probe_stats_fn *open_probe(void)
{
    void *library = dlopen(ARENA_PROBE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, ARENA_PROBE_SYMBOL) : NULL;
    arena_probe_stats_fn *stats = NULL;
    memcpy(&stats, &symbol, sizeof stats); /* ISO C has no cast for this */
    return stats;
}

static void print_row(const char *model, const struct hy_cpu_stats *stats)
{
    const char *slash = strrchr(model, '/');
    printf("| %s | %u | %zu | %zu | ", slash ? slash + 1 : model, stats->operations,
           stats->arena_bytes, stats->arena_least);
    if (stats->arena_least)
        printf("%.3f |\n", (double)stats->arena_bytes / (double)stats->arena_least);
    else
        printf("- |\n");
}

static enum hy_code show_model(const char *model, arena_probe_stats_fn *stats, struct hy_error *err)
{
    const struct hy_inference_options options = {.device = ARENA_PROBE_DEVICE};
    struct hy_inference *inference = NULL;
    const enum hy_code code = hy_inference_open(model, &options, &inference, err);
    if (code == HY_OK) {
        const struct hy_cpu_stats figures = stats();
        print_row(model, &figures);
    }
    hy_inference_destroy(inference);
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: arena MODEL...\n");
        return 2;
    }
    setenv("HALYARD_DRIVER_FILES", ARENA_PROBE_MANIFEST, 1);
    arena_probe_stats_fn *stats = open_probe();
    if (!stats) {
        fprintf(stderr, "arena: %s\n", dlerror());
        return 1;
    }

    int status = 0;
    puts("| model | operations | arena bytes | live at most | ratio |\n|---|--:|--:|--:|--:|");
    for (int i = 1; i < argc; i++) {
        struct hy_error err = {0};
        if (show_model(argv[i], stats, &err) != HY_OK) {
            fprintf(stderr, "arena: %s: %s\n", argv[i], err.text);
            status = 1;
        }
    }
    return status;
}
