#ifndef HY_TESTS_EMULATION_AMX_H
#define HY_TESTS_EMULATION_AMX_H

/*
 * The instructions of AMX that our kernels use, in C: included before a kernel (-include), in the
 * place of tile_instructions.h. What a processor refuses with a fault is a fault here too.
 */
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_TILE_INSTRUCTIONS_H

#include <stddef.h>

struct tile_config;

void emulated_load_config(const struct tile_config *config);
void emulated_store_config(struct tile_config *config);
void emulated_release(void);
void emulated_zero(int tile);
void emulated_load(int tile, const void *from, size_t stride);
void emulated_store(int tile, void *to, size_t stride);
void emulated_dot_ss(int sums, int left, int right);
void emulated_dot_us(int sums, int left, int right);

/* What is in the tiles is gone, and their configuration is not. */
void emulated_lose(void);

/* In the place of hy_tiles_ask(), which it answers as it is told; yes at first. */
int emulated_tiles_ask(void);
void emulated_tiles_answer(int answer);

/* How often it has been asked, and how often tiles have been configured. */
unsigned emulated_tiles_asked(void);
unsigned emulated_tiles_used(void);

/* Who is told the rule that an instruction broke, and does not return. NULL: the program ends. */
void emulated_on_fault(void (*handler)(const char *rule));

#define tile_load_config(config)       emulated_load_config(config)
#define tile_store_config(config)      emulated_store_config(config)
#define tile_release()                 emulated_release()
#define tile_zero(tile)                emulated_zero(tile)
#define tile_load(tile, from, stride)  emulated_load(tile, from, stride)
#define tile_store(tile, to, stride)   emulated_store(tile, to, stride)
#define tile_dot_ss(sums, left, right) emulated_dot_ss(sums, left, right)
#define tile_dot_us(sums, left, right) emulated_dot_us(sums, left, right)

#endif
