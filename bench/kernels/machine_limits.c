/*
 * machine_limits: the limits of one core of this machine: multiply-adds of floats and of bytes per
 * nanosecond, by instruction set, and bytes per nanosecond read from each cache and from memory.
 * The speed of a kernel is a fraction of the smaller limit.
 *
 *     machine_limits
 *
 * Prints Markdown tables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/kernels/core_peak.h"

static void print_products(void)
{
    printf("| products | in a nanosecond |\n|---|--:|\n");
    for (int i = 0; i < HY_PEAK_SETS; i++) {
        const double products = hy_peak_products((enum hy_peak_set)i);
        if (products > 0)
            printf("| %s | %.0f |\n", hy_peak_set_name((enum hy_peak_set)i), products);
    }
    printf("\n");
}

static int print_read_speed(void)
{
    static const struct {
        const char *what;
        size_t bytes;
    } sizes[] = {{"16 KiB", 16u << 10}, {"256 KiB", 256u << 10}, {"512 KiB", 512u << 10},
                 {"4 MiB", 4u << 20},   {"16 MiB", 16u << 20},   {"256 MiB", 256u << 20}};
    uint64_t *words = aligned_alloc(4096, 256u << 20);

    if (!words)
        return 1;
    memset(words, 1, 256u << 20);
    printf("| read again and again | bytes in a nanosecond |\n|---|--:|\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        printf("| %s | %.0f |\n", sizes[i].what, hy_peak_read(words, sizes[i].bytes));
    free(words);
    return 0;
}

int main(void)
{
    print_products();
    if (print_read_speed() == 0)
        return 0;
    fprintf(stderr, "machine_limits: out of memory\n");
    return 1;
}
